// What every function of the C interface does: nothing is thrown, what is wrong is said, structs of
// other sizes than ours are read.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "engine/host_heap.hpp"
#include "engine/service.hpp"
#include "senet/senet.h"

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

// Needs no memory.
inline senet_status tell(Status status, std::string_view reason, senet_reason* why) noexcept {
  if (why != nullptr) {
    const std::size_t size = std::min(reason.size(), sizeof why->text - 1);
    std::memcpy(why->text, reason.data(), size);
    why->text[size] = '\0';
  }
  return static_cast<senet_status>(status);
}

/// Runs function() -> Outcome<void>, whose exceptions end here.
template <class Function>
senet_status guarded(senet_reason* why, Function&& function) noexcept {
  try {
    const Outcome<void> outcome = function();
    return outcome ? SENET_OK : tell(outcome.error().status, outcome.error().reason, why);
  } catch (const std::bad_alloc&) {
    return tell(Status::kNoMemory, "the system has no more memory", why);
  } catch (const std::exception& error) {
    return tell(Status::kInternal, error.what(), why);
  } catch (...) {
    return tell(Status::kInternal, "an exception of no known kind", why);
  }
}

inline tl::unexpected<Failure> missing(const char* what) {
  return refuse(Status::kBadArgument, std::string(what) + " is NULL");
}

inline std::string_view view(senet_text text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}

/// What the caller's header knew of a struct; the rest as in `defaults`.
template <class Struct>
Outcome<Struct> read_struct(const Struct* given, Struct defaults, const char* name) {
  if (given == nullptr) return missing(name);
  if (given->struct_size < sizeof given->struct_size || given->struct_size > 4096) {
    return refuse(Status::kBadArgument, std::string(name) + ": struct_size is " +
                                            std::to_string(given->struct_size) + ", not sizeof(" +
                                            name + ")");
  }
  std::memcpy(&defaults, given, std::min<std::size_t>(given->struct_size, sizeof defaults));
  return defaults;
}

}  // namespace senet

// What the functions of C, which are in no namespace, say all the time.
using senet::guarded;
using senet::missing;
using senet::Outcome;
using senet::read_struct;
using senet::Status;
using senet::view;
