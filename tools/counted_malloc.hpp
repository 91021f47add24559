// Counts the heap allocations of each thread of the senet program.
#pragma once

#include <cstdint>
#include <optional>

namespace senet {

/// Heap allocations that the calling thread has made since it began: malloc and its relatives,
/// whoever called them (operator new and other libraries too), reallocations included. Nothing in
/// builds that do not count: sanitizers bring a heap of their own.
std::optional<std::uint64_t> thread_allocations();

}  // namespace senet
