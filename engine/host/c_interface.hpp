// What every function of the C interface does: nothing is thrown, what is wrong is said, structs of
// other sizes than ours are read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "engine/host/service.hpp"
#include "nn/heap.hpp"
#include "senet/senet.h"

namespace senet {

/// A host's two functions as a heap.
class HostHeap final : public Heap {
 public:
  /// alloc and release of this configuration.
  explicit HostHeap(const senet_config& config) : config_(config) {}

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    if (void* const memory = config_.alloc(config_.user, size, usual(alignment))) return memory;
    throw std::bad_alloc();
  }
  void do_deallocate(void* memory, std::size_t size, std::size_t alignment) override {
    try {
      config_.release(config_.user, memory, size, usual(alignment));
    } catch (...) {  // a host's business; the caller is in a destructor
    }
  }
  // posix_memalign, for one, refuses to align by less than a pointer.
  static std::size_t usual(std::size_t alignment) {
    return std::max(alignment, alignof(std::max_align_t));
  }
  bool do_is_equal(const Heap& other) const noexcept override { return this == &other; }

  const senet_config config_;
};

}  // namespace senet

// The handles are ours to fill. A session's is the Session itself.
struct senet_engine {
  std::unique_ptr<senet::HostHeap> heap;  // outlives the service
  std::unique_ptr<senet::Service> service;
};
struct senet_model {
  const senet::Service* owner;
  senet::SharedNetwork network;
};

namespace senet {

/// Writes the reason, cut to the room there is, and returns the status. Needs no memory.
inline senet_status report(senet_status status, std::string_view reason,
                           senet_reason* why) noexcept {
  if (why != nullptr) {
    const std::size_t size = std::min(reason.size(), sizeof why->text - 1);
    std::memcpy(why->text, reason.data(), size);
    why->text[size] = '\0';
  }
  return status;
}

inline Error missing(const char* what) {
  return fail(SENET_BAD_ARGUMENT, std::string(what) + " is NULL");
}

/// An argument that must not be NULL.
struct Needed {
  const void* argument;
  const char* name;
};

/// Runs function() -> Result<void> or void, whose exceptions end here, if nothing `needed` is NULL.
template <class Function>
senet_status guarded(senet_reason* why, std::initializer_list<Needed> needed,
                     Function&& function) noexcept {
  try {
    const auto run = [&]() -> Result<void> {
      for (const Needed& one : needed) {
        if (one.argument == nullptr) return missing(one.name);
      }
      if constexpr (std::is_void_v<decltype(function())>) {
        return function(), Result<void>();
      } else {
        return function();
      }
    };
    const Result<void> outcome = run();
    return outcome ? SENET_OK : report(outcome.error().status(), outcome.error().reason(), why);
  } catch (const std::bad_alloc&) {
    return report(SENET_NO_MEMORY, "the system has no more memory", why);
  } catch (const std::exception& error) {
    return report(SENET_INTERNAL, error.what(), why);
  } catch (...) {
    return report(SENET_INTERNAL, "an exception of no known kind", why);
  }
}

/// The value goes to where the caller wants it.
template <class Value, class To>
Result<void> write(Result<Value> value, To* to) {
  if (!value) return value.error();
  *to = std::move(*value);
  return {};
}

inline std::string_view view(senet_text text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}

/// What the caller's header knew of a struct; the rest as in `defaults`.
template <class Struct>
Result<Struct> read_struct(const Struct* given, Struct defaults, const char* name) {
  if (given == nullptr) return missing(name);
  if (given->struct_size < sizeof given->struct_size || given->struct_size > 4096) {
    return fail(SENET_BAD_ARGUMENT, std::string(name) + ": struct_size is " +
                                        std::to_string(given->struct_size) + ", not sizeof(" +
                                        name + ")");
  }
  std::memcpy(&defaults, given, std::min<std::size_t>(given->struct_size, sizeof defaults));
  return defaults;
}

}  // namespace senet
