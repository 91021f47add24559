// How senet.hpp calls senet.h: texts, errors, handles and callables. Internal, not for hosts.
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
/// The former name of Result in this header.
template <class T>
using Answer = Result<T>;

namespace detail {

inline senet_text text(std::string_view words) { return {words.data(), words.size()}; }
inline Error error(senet_status status, const senet_reason& why) {
  return {status, why.text[0] != '\0' ? why.text : senet_status_name(status)};
}

/// Calls function(arguments...), or function(arguments..., &why) if it takes a senet_reason.
template <class Function, class... Arguments>
Result<void> call(Function function, Arguments... arguments) {
  senet_reason why{};
  senet_status status = SENET_OK;
  if constexpr (std::is_invocable_v<Function, Arguments..., senet_reason*>) {
    status = function(arguments..., &why);
  } else {
    status = function(arguments...);
  }
  if (status == SENET_OK) return {};
  return error(status, why);
}

/// The out-parameter of function(arguments..., &value), or of (arguments..., &value, &why).
template <class Value, class Function, class... Arguments>
Result<Value> ask(Function function, Arguments... arguments) {
  Value value{};
  if (const Result<void> asked = call(function, arguments..., &value); !asked) return asked.error();
  return value;
}

/// The same for a handle, as its Owner.
template <class Owner, class Handle, class Function, class... Arguments>
Result<Owner> open(Function function, Arguments... arguments) {
  const Result<Handle*> handle = ask<Handle*>(function, arguments...);
  if (!handle) return handle.error();
  return Owner(*handle);
}

/// The whole text or list that function(arguments..., data, room, &size) writes.
template <class List, class Function, class... Arguments>
Result<List> read(Function function, Arguments... arguments) {
  constexpr std::size_t kEnd = std::is_same_v<List, std::string> ? 1 : 0;  // a text's '\0'
  List list;
  for (std::size_t size = 63;;) {
    list.resize(size);
    const senet_status status = function(arguments..., list.data(), list.size() + kEnd, &size);
    list.resize(size);
    if (status == SENET_OK) return list;
    if (status != SENET_NO_ROOM) return error(status, {});
  }
}

/// Microseconds for senet.h. A negative time becomes `least`.
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

/// Anything that can be stored and called as done().
template <class Done>
concept Callable = requires(std::decay_t<Done>& done) {
  done();
};

/// A senet_done whose `user` is a Done, allocated with new: calls and deletes it.
template <class Done>
void call_and_delete(void* user, senet_session*) noexcept {
  const std::unique_ptr<Done> done(static_cast<Done*>(user));
  try {
    (*done)();
  } catch (...) {  // no exception may pass through the C interface
  }
}

}  // namespace detail

}  // namespace senet::api
