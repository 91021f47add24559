// What a game writes when it describes a position to the network: (index, value) pairs of one batch
// row.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

namespace senet {

/// Writes the non-zero features of one position into storage owned by someone else (a batch row).
///
/// Board games have few non-zero inputs (about 30 of 344 in backgammon), so pairs are what is
/// stored; an evaluator that wants a dense row scatters them.
class FeatureRow {
 public:
  /// `index` and `value` have room for `capacity` entries each and outlive the row.
  FeatureRow(std::uint16_t* index, float* value, std::size_t capacity)
      : index_(index), value_(value), capacity_(static_cast<std::uint32_t>(capacity)) {}

  /// Appends one feature. Each index at most once a row; `value` is finite. Zeros may be left out.
  void add(std::size_t index, float value) {
    assert(count_ < capacity_);
    index_[count_] = static_cast<std::uint16_t>(index);
    value_[count_] = value;
    ++count_;
  }

  /// Appends one feature if `present`, without a branch. Needs room for it in either case.
  void add_if(bool present, std::size_t index, float value) {
    assert(count_ < capacity_);
    index_[count_] = static_cast<std::uint16_t>(index);
    value_[count_] = value;
    count_ += present ? 1 : 0;
  }

  /// Entries written so far.
  std::size_t count() const { return count_; }

 private:
  std::uint16_t* index_;
  float* value_;
  std::uint32_t capacity_;
  std::uint32_t count_ = 0;
};

}  // namespace senet
