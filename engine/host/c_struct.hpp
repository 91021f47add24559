// Structs of the C interface, whose callers may have older or newer headers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "senet/result.hpp"
#include "senet/status.h"

namespace senet {

/// The error for an argument or a part of one that must not be NULL.
inline Error missing(const char* what) {
  return fail(SENET_BAD_ARGUMENT, std::string(what) + " is NULL");
}

/// The fields that the caller's header has; the others are those of `defaults`. The struct's first
/// field is its struct_size.
template <class Struct>
Result<Struct> read_struct(const Struct* given, Struct defaults, const char* name) {
  if (given == nullptr) return missing(name);
  if (given->struct_size < sizeof given->struct_size || given->struct_size > 4096) {
    return fail(SENET_BAD_ARGUMENT, std::string(name) + ": struct_size is " +
                                        std::to_string(given->struct_size) +
                                        ": it must be sizeof(" + name + ")");
  }
  std::memcpy(&defaults, given, std::min<std::size_t>(given->struct_size, sizeof defaults));
  return defaults;
}

}  // namespace senet
