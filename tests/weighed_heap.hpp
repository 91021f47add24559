// Weighs what operator new has given and not got back, in the program it is linked into.
#pragma once

#include <cstddef>

namespace senet {

/// Bytes that are out now, as the system's allocator rounds them.
std::size_t heap_bytes();
/// The most there have been since the last call of this (or the program's start).
std::size_t heap_peak();

}  // namespace senet
