// Measures the bytes allocated with operator new in the program that it is linked into.
#pragma once

#include <cstddef>

namespace senet {

/// Bytes allocated now, as rounded by the system's allocator.
std::size_t heap_bytes();
/// The maximum of heap_bytes() since the last call of heap_peak() or the start of the program.
std::size_t heap_peak();

}  // namespace senet
