// What one thread writes while it runs a packed network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "nn/aligned_vector.hpp"
#include "nn/kernels.hpp"
#include "nn/layer_plan.hpp"

namespace senet {

/// Columns of a row of `width` activations, rounded up to whole panels.
constexpr std::size_t padded(std::size_t width) { return round_up(width, kPanel); }

/// Activations or packed weights.
using AlignedFloats = AlignedVector<float>;

/// Where the fast evaluators keep a value: rows of `stride` floats in one of the buffers.
struct RowsPlace {
  std::size_t buffer = 0;
  std::size_t stride = 0;  // padded(size of the value)
};

/// A layer, and where it finds and leaves its rows; features and outputs have no place.
struct PlacedLayer : Layer {
  RowsPlace from, to;
  bool to_norm;  // a norm reads what it writes
};

/// A plan's layers in as few buffers as do. Norms are made in place where their input is read no
/// more, and sums in the place of what they are added to.
struct PlacedPlan {
  explicit PlacedPlan(const LayerPlan& plan);
  std::vector<PlacedLayer> layers;
  SharedBuffers buffers;
};

/// The activations of a block of rows, for networks of one shape: whichever of them ran before does
/// not matter. Belongs to one thread at a time.
struct EvaluatorScratch {
  /// Rows of a block. Three buffers of 48 rows of 128 floats are 72 KiB: with the 64 KiB of the
  /// layer at work they stay in any second-level cache, while one panel of weights and a tile's
  /// rows stay in the first. A multiple of every kernel's tile_rows.
  static constexpr std::size_t kRows = 48;
  static constexpr std::size_t kDenseRows = 24;  // scattered at a time; a multiple of tile_rows
  static constexpr std::size_t kValueRows = 16;  // whose raw outcomes are kept at a time

  /// Allocates from `heap`, which outlives it; nothing does later. `rows`: of the largest block.
  explicit EvaluatorScratch(const LayerPlan& plan, Heap& heap = default_heap(),
                            std::size_t rows = kRows);

  /// Memory of one, itself included, for blocks of kRows.
  static std::size_t bytes(const LayerPlan& plan);

  std::vector<AlignedFloats> buffers;  // of PlacedPlan, [rows, stride of the widest value] each
  AlignedFloats squares;               // [rows, kPanel]: of the rows that were written last
  AlignedFloats logits;                // [rows, padded(policy logits)]
  AlignedFloats dense_rows;            // [kDenseRows, padded(features)]
  AlignedFloats raw_outcomes;          // [kValueRows, padded(outcomes)], before the softmax
  AlignedFloats shares;                // [padded(outcomes)], after it

  /// 0, 1, 2 ... up to the length of the longest list of numbers.
  std::vector<std::uint16_t> ascending;
  /// Whether these are 0, 1, 2 ...
  bool is_ascending(std::span<const std::uint16_t> numbers) const {
    return numbers.size() <= ascending.size() &&
           std::memcmp(numbers.data(), ascending.data(), numbers.size_bytes()) == 0;
  }
};

}  // namespace senet
