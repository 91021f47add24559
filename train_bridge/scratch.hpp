// Memory that a trainer reserves once: a pool planned piece by piece.
#pragma once

#include <cassert>
#include <cstddef>

#include "nn/aligned_vector.hpp"
#include "nn/round_up.hpp"

namespace senet {

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
    const ScratchPiece piece{planned_};
    planned_ += round_up(size, kLineBytes / sizeof(Value));
    return piece;
  }

  /// Allocates everything planned.
  void allocate() { memory_.resize(planned_); }

  /// Where a piece lies; valid while the pool lives. Only after allocate().
  Value* at(ScratchPiece piece) { return memory_.data() + piece.offset; }

 private:
  AlignedVector<Value> memory_;
  std::size_t planned_ = 0;
};

}  // namespace senet
