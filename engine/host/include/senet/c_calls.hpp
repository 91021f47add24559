// How the C++ face calls senet.h: texts, errors, owners and callables. Not for hosts.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "senet/result.hpp"
#include "senet/senet.h"

namespace senet::api {

using senet::Error;
using senet::Result;
/// The name that Result had in this header before.
template <class T>
using Answer = Result<T>;

namespace detail {

inline senet_text text(std::string_view words) { return {words.data(), words.size()}; }
inline Error error(senet_status status, const senet_reason& why) {
  return {status, why.text[0] != '\0' ? why.text : senet_status_name(status)};
}
inline Result<void> answer(senet_status status, const senet_reason& why = {}) {
  if (status == SENET_OK) return {};
  return error(status, why);
}

/// A number from call(&number, &why).
template <class Call>
Result<std::uint32_t> number(Call&& call) {
  std::uint32_t number = 0;
  senet_reason why{};
  const senet_status status = call(&number, &why);
  if (status != SENET_OK) return error(status, why);
  return number;
}

/// Calls read(buffer, room, &size) until the buffer has room for all of it.
template <class Read>
Result<std::string> read_text(Read&& read) {
  std::string text(63, '\0');
  for (;;) {
    std::size_t size = 0;
    const senet_status status = read(text.data(), text.size() + 1, &size);
    text.resize(size);
    if (status == SENET_OK) return text;
    if (status != SENET_NO_ROOM) return error(status, {});
  }
}

/// Calls read(data, room, &count) until the list has room for all of it.
template <class T, class Read>
Result<std::vector<T>> read_list(Read&& read) {
  std::vector<T> list(64);
  for (;;) {
    std::size_t count = 0;
    const senet_status status = read(list.data(), list.size(), &count);
    list.resize(count);
    if (status == SENET_OK) return list;
    if (status != SENET_NO_ROOM) return error(status, {});
  }
}

/// Microseconds for C: what is negative is `least`.
inline std::uint64_t microseconds(std::chrono::microseconds time, std::uint64_t least = 0) {
  return time.count() < 0 ? least : static_cast<std::uint64_t>(time.count());
}

template <auto kClose>
struct Closer {
  template <class Handle>
  void operator()(Handle* handle) const noexcept {
    kClose(handle);
  }
};

/// What can be kept and called: done().
template <class Done>
concept Callable = requires(std::decay_t<Done>& done) {
  done();
};

/// A senet_done whose `user` is a callable of ours, which ends with its call.
template <class Done>
void call_and_delete(void* user, senet_session*) noexcept {
  const std::unique_ptr<Done> done(static_cast<Done*>(user));
  try {
    (*done)();
  } catch (...) {  // senet.h is C: nothing may be thrown through it
  }
}

}  // namespace detail

}  // namespace senet::api
