// Memory that a trainer reserves once: aligned vectors, and a pool planned piece by piece.
#pragma once

#include <cassert>
#include <cstddef>
#include <new>
#include <vector>

namespace senet {

/// Bytes of a cache line and of the widest vector register. Where a compiler peels loops, the order
/// of a sum depends on alignment: aligning everything keeps a resumed run bit-identical to one that
/// never stopped.
inline constexpr std::size_t kScratchAlignment = 64;

/// Allocator of aligned memory from the ordinary heap.
template <class Value>
struct AlignedAllocator {
  using value_type = Value;
  AlignedAllocator() = default;
  template <class Other>
  AlignedAllocator(const AlignedAllocator<Other>&) {}

  Value* allocate(std::size_t count) {
    return static_cast<Value*>(
        ::operator new (count * sizeof(Value), std::align_val_t{kScratchAlignment}));
  }
  void deallocate(Value* memory, std::size_t) {
    ::operator delete (memory, std::align_val_t{kScratchAlignment});
  }
  bool operator==(const AlignedAllocator&) const = default;
};

/// A vector whose data() is aligned.
template <class Value>
using AlignedVector = std::vector<Value, AlignedAllocator<Value>>;

/// A place in a ScratchPool, known before the memory exists.
struct ScratchPiece {
  std::size_t offset = 0;
};

/// One block of zeroed memory cut into aligned pieces: first reserve() them all, then allocate()
/// once.
template <class Value>
class ScratchPool {
 public:
  /// Plans a piece of `size` values. Only before allocate().
  ScratchPiece reserve(std::size_t size) {
    assert(memory_.empty());
    constexpr std::size_t kLine = kScratchAlignment / sizeof(Value);
    const ScratchPiece piece{planned_};
    planned_ += (size + kLine - 1) / kLine * kLine;
    return piece;
  }

  /// Allocates everything planned.
  void allocate() { memory_.resize(planned_); }

  /// Where a piece lies; valid while the pool lives. Only after allocate().
  Value* at(ScratchPiece piece) { return memory_.data() + piece.offset; }

  std::size_t bytes() const { return planned_ * sizeof(Value); }

 private:
  AlignedVector<Value> memory_;
  std::size_t planned_ = 0;
};

}  // namespace senet
