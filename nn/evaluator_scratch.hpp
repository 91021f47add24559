// The memory that one thread writes while it runs a packed network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "nn/aligned_vector.hpp"
#include "nn/kernels.hpp"
#include "nn/layer_plan.hpp"
#include "nn/row_pieces.hpp"

namespace senet {

/// `width` columns rounded up to whole panels.
constexpr std::size_t padded(std::size_t width) { return round_up(width, kPanel); }

/// Activations or packed weights.
using AlignedFloats = AlignedVector<float>;

/// Where the fast evaluators keep a value: rows of `stride` floats in one of the buffers.
struct RowsPlace {
  std::size_t buffer = 0;
  std::size_t stride = 0;  // padded(size of the value)
};

/// A layer with the places of its input and output; features and outputs have no place.
struct PlacedLayer : Layer {
  RowsPlace from, to;
  Then then;  // what reads its result; kRelu: the layer applies it, and the ReLU is not in the list

  bool is_output() const { return to.stride == 0; }
};

/// A plan's layers with as few buffers as possible. Activations run in place if their input has no
/// later reader, ReLUs then as part of the Linear; sums replace the value that they add to.
struct PlacedPlan {
  explicit PlacedPlan(const LayerPlan& plan);
  std::vector<PlacedLayer> layers;
  SharedBuffers buffers;
};

/// The activations of a block of rows, for networks of one shape. Runs keep nothing in it that
/// later results depend on. Belongs to one thread at a time.
struct EvaluatorScratch {
  /// Rows of a block. Three buffers of 48 rows of 128 floats are 72 KiB: together with the 64 KiB
  /// of the current layer they fit into any second-level cache, while one panel of weights and a
  /// tile's rows fit into the first level. A multiple of every kernel's tile_rows.
  static constexpr std::size_t kRows = 48;
  static constexpr std::size_t kDenseRows = 24;  // rows made dense at a time; multiple of tile_rows
  static constexpr std::size_t kValueRows = 16;  // rows whose raw outcomes are stored at a time

  /// Rows of a block for weights of `weight_bytes` each: kRows, or twice as many where the weights
  /// behind the first layer exceed kNearCache. Each block then reads them from a farther cache.
  static std::size_t block_rows(const LayerPlan& plan, std::size_t weight_bytes);
  static constexpr std::size_t kNearCache = std::size_t{1} << 20;

  /// Allocates everything here, from `heap`, which outlives it. `rows`: maximum rows of a block.
  explicit EvaluatorScratch(const LayerPlan& plan, Heap& heap = default_heap(),
                            std::size_t rows = kRows);

  /// Memory of a scratch for blocks of `rows`, including the object itself.
  static std::size_t bytes(const LayerPlan& plan, std::size_t rows = kRows);

  std::size_t rows;                       // maximum of a block
  std::vector<AlignedFloats> buffers;     // of PlacedPlan, [rows, stride of the widest value] each
  AlignedFloats squares;                  // of the rows written last
  AlignedVector<std::uint8_t> byte_rows;  // [rows, padded(widest value)], for products of bytes
  AlignedFloats units;                    // [rows], of `byte_rows`
  AlignedFloats logits;                   // [rows, padded(policy logits)]
  AlignedFloats dense_rows;               // [kDenseRows, padded(features)]
  RowPieces pieces;                       // of the rows, for ShortEntries
  AlignedFloats raw_outcomes;             // [kValueRows, padded(outcomes)], before the softmax
  AlignedFloats shares;                   // [padded(outcomes)], after it

  /// 0, 1, 2 ... as long as the longest index list.
  std::vector<std::uint16_t> ascending;
  /// Whether `numbers` is 0, 1, 2 ...
  bool is_ascending(std::span<const std::uint16_t> numbers) const {
    return numbers.size() <= ascending.size() &&
           std::memcmp(numbers.data(), ascending.data(), numbers.size_bytes()) == 0;
  }
};

}  // namespace senet
