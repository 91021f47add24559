// What one thread writes while it runs a packed network.
#pragma once

#include <cstddef>

#include "nn/aligned_floats.hpp"
#include "nn/network_ends.hpp"
#include "nn/network_spec.hpp"

namespace senet {

/// The activations of a block of rows, for networks of one shape: whichever of them ran before does
/// not matter. Belongs to one thread at a time.
struct EvaluatorScratch {
  /// Rows of a block. Three buffers of 48 rows of 128 floats are 72 KiB: with the 64 KiB of the
  /// layer at work they stay in any second-level cache, while one panel of weights and a tile's
  /// rows stay in the first. A multiple of every kernel's tile_rows.
  static constexpr std::size_t kRows = 48;

  /// Allocates from `heap`, which outlives it; nothing does later.
  explicit EvaluatorScratch(const NetworkSpec& spec, Heap& heap = default_heap());

  /// Memory of one, itself included.
  static std::size_t bytes(const NetworkSpec& spec);

  AlignedFloats trunk, hidden, other;  // [kRows, padded(width)] each
  AlignedFloats squares;               // [kRows, kPanel]
  AlignedFloats logits;                // [kRows, padded(policy_logits)]
  EndsScratch ends;
};

}  // namespace senet
