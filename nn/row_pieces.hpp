// Rows of features cut into pieces of weights, for the sparse input layer in 16 bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "nn/aligned_vector.hpp"
#include "nn/kernels.hpp"

namespace senet {

/// The pieces of a block of rows, in the kernel's format (ShortSparsePass). A feature of value 1 is
/// a whole weight; other values are shares of a weight, and those beyond 1 also a whole one.
///
/// Rows next to each other have most whole weights in common, such as the positions after the moves
/// of one decision. A row that follows another lists only the weights that it adds and subtracts.
/// The sums have the same bits: sums of integers do not depend on the order.
class RowPieces {
 public:
  static constexpr std::size_t kMost = 96;    // pieces of a row
  static constexpr std::size_t kRepeats = 2;  // pieces of a feature
  static constexpr std::size_t kMostChanges = 2 * kMost;

  /// Room for `rows` rows of `features` features, in `heap`.
  RowPieces(std::size_t rows, std::size_t features, Heap& heap);
  /// Bytes that an object of this size allocates.
  static std::size_t bytes(std::size_t rows, std::size_t features);

  /// The next row follows none.
  void begin();
  /// Cuts the row `row`, which follows the row cut last. If it has more than kMost pieces, or a
  /// value beyond kRepeats, returns false, and the next row follows none.
  bool cut(std::size_t row, std::span<const std::uint16_t> index, std::span<const float> value);

  /// From `row` on, as ShortSparsePass takes them.
  const std::uint16_t* changes(std::size_t row) const { return &changes_[row * kMostChanges]; }
  const std::uint16_t* parts(std::size_t row) const { return &parts_[row * kMost]; }
  const std::int16_t* shares(std::size_t row) const { return &shares_[row * kMost]; }
  const ShortCounts* counts(std::size_t row) const { return &counts_[row]; }

 private:
  // Rows of different games follow each other in vain: after so many in succession that followed
  // none, the first row among them, the others are not compared.
  static constexpr int kMostMisses = 4;

  // Lists `count` whole weights, or what changes against those of the row before.
  void list(std::size_t row, std::size_t count);
  // Writes the changes. False if they are too many, or if there is nothing to compare with.
  bool compare(const std::uint16_t* now, std::size_t count, std::uint16_t* changes,
               ShortCounts& counts);

  AlignedVector<std::uint16_t> changes_;  // [rows, kMostChanges]
  AlignedVector<std::uint16_t> parts_;    // [rows, kMost]
  AlignedVector<std::int16_t> shares_;    // [rows, kMost]
  AlignedVector<ShortCounts> counts_;     // [rows]

  // The whole weights of the row cut last and of the one before it.
  std::array<std::array<std::uint16_t, kMost>, 2> wholes_{};
  std::size_t last_ = 0, last_count_ = 0;
  // [features]: the number of the last row that had the whole weight. Rows are numbered from 1.
  AlignedVector<std::uint32_t> seen_;
  std::uint32_t number_ = 0;
  bool follows_ = false;  // the next row follows another
  int misses_ = 0;        // rows in succession that followed none
};

}  // namespace senet
