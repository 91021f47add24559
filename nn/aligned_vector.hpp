// Vectors aligned to cache lines, and rounding of sizes.
#pragma once

#include <cstddef>
#include <vector>

#include "nn/heap.hpp"

namespace senet {

/// Bytes of a cache line and of the widest vector register. Where a compiler peels loops, the order
/// of a sum depends on alignment: aligning everything keeps results the same, bit for bit, at any
/// address.
inline constexpr std::size_t kLineBytes = 64;

/// The smallest multiple of `step` that is at least `size`.
constexpr std::size_t round_up(std::size_t size, std::size_t step) {
  return (size + step - 1) / step * step;
}

/// Allocator of aligned memory from a heap, by default the global one.
template <class Value>
struct AlignedAllocator {
  using value_type = Value;
  AlignedAllocator() = default;
  AlignedAllocator(Heap& from) : heap(&from) {}
  template <class Other>
  AlignedAllocator(const AlignedAllocator<Other>& other) : heap(other.heap) {}

  Value* allocate(std::size_t count) {
    return static_cast<Value*>(heap->allocate(count * sizeof(Value), kLineBytes));
  }
  void deallocate(Value* memory, std::size_t count) {
    heap->deallocate(memory, count * sizeof(Value), kLineBytes);
  }
  bool operator==(const AlignedAllocator&) const = default;

  Heap* heap = &default_heap();
};

/// A vector whose data() is aligned to kLineBytes.
template <class Value>
using AlignedVector = std::vector<Value, AlignedAllocator<Value>>;

}  // namespace senet
