// Sparse feature rows, and the batch of one forward pass: games encode their features directly into
// it, and evaluators write answers directly to the caller's memory.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nn/heap.hpp"
#include "senet/game.hpp"

namespace senet {

/// The requested answers of one row and where to write them. The caller (a search) owns the memory
/// and keeps it until the forward pass has ended.
///
///   outcomes  [outcomes] f32   softmax of the value head
///   wanted    [n] u16          policy logits to compute, repeats allowed; kNoLogit gives 0
///   logits    [n] f32          their raw values, in the same order
struct RowResult {
  std::span<float> outcomes;
  std::span<const std::uint16_t> wanted;
  float* logits = nullptr;
};

/// Rows of sparse features. Fixed capacity, no allocation after construction.
///
///   index  [capacity, max_active] u16
///   value  [capacity, max_active] f32
///   active [capacity] u16       number of entries used in each row
class SparseRows {
 public:
  SparseRows(std::size_t capacity, std::size_t max_active, Heap& heap = default_heap())
      : max_active_(max_active),
        index_(capacity * max_active, &heap),
        value_(capacity * max_active, &heap),
        active_(capacity, &heap) {}

  /// Bytes that an object of this size allocates.
  static std::size_t bytes(std::size_t capacity, std::size_t max_active) {
    return capacity *
           (max_active * (sizeof(std::uint16_t) + sizeof(float)) + sizeof(std::uint16_t));
  }

  std::size_t capacity() const { return active_.size(); }
  std::size_t size() const { return size_; }
  std::size_t room() const { return capacity() - size_; }

  /// Appends a row: `encode` writes its features. Needs room() >= 1.
  template <class Encode>
  void add(Encode&& encode) {
    assert(size_ < capacity());
    FeatureRow row(&index_[size_ * max_active_], &value_[size_ * max_active_], max_active_);
    encode(row);
    active_[size_++] = static_cast<std::uint16_t>(row.count());
  }

  /// Removes all rows; the capacity stays.
  void clear() { size_ = 0; }

  std::span<const std::uint16_t> index(std::size_t row) const {
    return {&index_[row * max_active_], active_[row]};
  }
  std::span<const float> value(std::size_t row) const {
    return {&value_[row * max_active_], active_[row]};
  }
  /// Distance between the first entries of consecutive rows, in index() and in value().
  std::size_t entry_stride() const { return max_active_; }
  /// The entry counts of `row` and of the rows after it.
  const std::uint16_t* active(std::size_t row) const { return &active_[row]; }

 private:
  std::size_t max_active_;
  std::size_t size_ = 0;
  std::pmr::vector<std::uint16_t> index_;
  std::pmr::vector<float> value_;
  std::pmr::vector<std::uint16_t> active_;
};

/// Rows with the memory for their answers. Belongs to one worker thread.
class Batch : public SparseRows {
 public:
  Batch(std::size_t capacity, std::size_t max_active, Heap& heap = default_heap())
      : SparseRows(capacity, max_active, heap), answers_(capacity, &heap) {}

  /// Bytes that an object of this size allocates.
  static std::size_t bytes(std::size_t capacity, std::size_t max_active) {
    return SparseRows::bytes(capacity, max_active) + capacity * sizeof(RowResult);
  }

  /// Appends a row: `encode` writes its features. Needs room() >= 1.
  template <class Encode>
  void add(const RowResult& answer, Encode&& encode) {
    SparseRows::add(encode);
    answers_[size() - 1] = answer;
  }
  const RowResult& answer(std::size_t row) const { return answers_[row]; }

 private:
  std::pmr::vector<RowResult> answers_;
};

}  // namespace senet
