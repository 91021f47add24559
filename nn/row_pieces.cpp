#include "nn/row_pieces.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace senet {

RowPieces::RowPieces(std::size_t rows, std::size_t features, Heap& heap)
    : changes_(rows * kMostChanges, heap),
      parts_(rows * kMost, heap),
      shares_(rows * kMost, heap),
      counts_(rows, heap),
      seen_(features, heap) {}

std::size_t RowPieces::bytes(std::size_t rows, std::size_t features) {
  const std::size_t entries = rows * (kMostChanges + 2 * kMost);
  return entries * sizeof(std::uint16_t) + rows * sizeof(ShortCounts) +
         features * sizeof(std::uint32_t);
}

void RowPieces::begin() {
  follows_ = false;
  misses_ = 0;
}

bool RowPieces::cut(std::size_t row, std::span<const std::uint16_t> index,
                    std::span<const float> value) {
  if (index.size() > kMost) {
    begin();
    return false;
  }
  // Most values are 1. Both lists get each entry, and one of them keeps it: no branch depends on
  // the values. Bits are compared, because floats might be NaN, which costs twice as much.
  constexpr auto kBitsOfOne = std::bit_cast<std::uint32_t>(1.0f);
  std::uint16_t* const wholes = wholes_[1 - last_].data();
  std::array<std::uint8_t, kMost> others;
  std::size_t whole = 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    wholes[whole] = index[i];
    others[i - whole] = static_cast<std::uint8_t>(i);
    whole += std::bit_cast<std::uint32_t>(value[i]) == kBitsOfOne ? 1 : 0;
  }
  const std::size_t other = index.size() - whole;
  constexpr std::int32_t kOne = 1 << 15;
  std::uint16_t* const parts = &parts_[row * kMost];
  std::int16_t* const shares = &shares_[row * kMost];
  std::size_t part = 0;
  for (std::size_t i = 0; i < other; ++i) {
    const std::uint16_t feature = index[others[i]];
    float left = value[others[i]];
    if (!(std::abs(left) <= kRepeats) || whole + part + kRepeats > kMost) {
      begin();
      return false;
    }
    if (left > 1) {
      wholes[whole++] = feature;
      left -= 1;
    } else if (left < -1) {
      parts[part] = feature;
      shares[part++] = static_cast<std::int16_t>(-kOne);
      left += 1;
    }
    const auto share =
        static_cast<std::int32_t>(left * static_cast<float>(kOne) + std::copysign(0.5f, left));
    wholes[whole] = parts[part] = feature;
    shares[part] = static_cast<std::int16_t>(share);
    whole += share == kOne ? 1 : 0;
    part += share != kOne && share != 0 ? 1 : 0;
  }
  counts_[row].parts = static_cast<std::uint16_t>(part);
  list(row, whole);
  return true;
}

void RowPieces::list(std::size_t row, std::size_t count) {
  ShortCounts& counts = counts_[row];
  std::uint16_t* const changes = &changes_[row * kMostChanges];
  const std::uint16_t* const now = wholes_[1 - last_].data();
  const bool follows = misses_ < kMostMisses && compare(now, count, changes, counts);
  if (!follows) {
    std::copy_n(now, count, changes);
    counts.added = static_cast<std::uint16_t>(count);
    counts.removed = 0;
  }
  counts.follows = follows ? 1 : 0;
  misses_ = follows ? 0 : misses_ + 1;
  last_ = 1 - last_;
  last_count_ = count;
}

bool RowPieces::compare(const std::uint16_t* now, std::size_t count, std::uint16_t* changes,
                        ShortCounts& counts) {
  if (++number_ == 0) {  // after 2^32 rows
    std::ranges::fill(seen_, 0u);
    number_ = 1;
    follows_ = false;
  }
  const std::uint32_t number = number_;
  std::uint32_t* const seen = seen_.data();
  std::size_t added = 0, removed = 0, repeats = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint16_t feature = now[i];
    const std::uint32_t last = seen[feature];
    seen[feature] = number;
    changes[added] = feature;
    added += last != number - 1 ? 1 : 0;
    repeats += last == number ? 1 : 0;
  }
  const std::uint16_t* const before = wholes_[last_].data();
  std::uint16_t* const removals = changes + added;
  for (std::size_t i = 0; i < last_count_; ++i) {
    const std::uint16_t feature = before[i];
    removals[removed] = feature;
    removed += seen[feature] != number ? 1 : 0;
  }
  // A list of changes counts each weight once.
  const bool followed = std::exchange(follows_, repeats == 0);
  counts.added = static_cast<std::uint16_t>(added);
  counts.removed = static_cast<std::uint16_t>(removed);
  return followed && repeats == 0 && added + removed < count;
}

}  // namespace senet
