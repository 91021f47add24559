// Vectors whose memory begins at a cache line.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace senet {

/// Bytes of a cache line and of the widest vector register. Where a compiler peels loops, the order
/// of a sum depends on alignment: aligning everything keeps results the same, bit for bit, wherever
/// memory happens to be.
inline constexpr std::size_t kLineBytes = 64;

/// Allocator of aligned memory from the ordinary heap.
template <class Value>
struct AlignedAllocator {
  using value_type = Value;
  AlignedAllocator() = default;
  template <class Other>
  AlignedAllocator(const AlignedAllocator<Other>&) {}

  Value* allocate(std::size_t count) {
    return static_cast<Value*>(
        ::operator new (count * sizeof(Value), std::align_val_t{kLineBytes}));
  }
  void deallocate(Value* memory, std::size_t) {
    ::operator delete (memory, std::align_val_t{kLineBytes});
  }
  bool operator==(const AlignedAllocator&) const = default;
};

/// A vector whose data() is a multiple of kLineBytes.
template <class Value>
using AlignedVector = std::vector<Value, AlignedAllocator<Value>>;

}  // namespace senet
