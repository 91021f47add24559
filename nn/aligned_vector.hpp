// Vectors whose memory begins at a cache line, and sizes that are multiples of something.
#pragma once

#include <cstddef>
#include <vector>

#include "nn/heap.hpp"

namespace senet {

/// Bytes of a cache line and of the widest vector register. Where a compiler peels loops, the order
/// of a sum depends on alignment: aligning everything keeps results the same, bit for bit, wherever
/// memory happens to be.
inline constexpr std::size_t kLineBytes = 64;

/// The smallest multiple of `step` that is at least `size`.
constexpr std::size_t round_up(std::size_t size, std::size_t step) {
  return (size + step - 1) / step * step;
}

/// Allocator of aligned memory from a heap, the ordinary one if nothing is said.
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

/// A vector whose data() is a multiple of kLineBytes.
template <class Value>
using AlignedVector = std::vector<Value, AlignedAllocator<Value>>;

}  // namespace senet
