// Replaces counted_malloc.cpp in sanitizer builds, which bring their own heap.
#include "tools/bench/timing.hpp"

namespace senet {

std::optional<std::uint64_t> thread_allocations() { return std::nullopt; }

}  // namespace senet
