// Sparse feature rows, and the batch of one forward pass: games encode their features directly into
// it, and evaluators write answers directly to the caller's memory.
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include "nn/aligned_vector.hpp"
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
    rewrite(size_++, encode);
  }
  /// Replaces the features of a row. Threads may do so with different rows at the same time.
  template <class Encode>
  void rewrite(std::size_t row, Encode&& encode) {
    FeatureRow features(&index_[row * max_active_], &value_[row * max_active_], max_active_);
    encode(features);
    active_[row] = static_cast<std::uint16_t>(features.count());
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

/// The most memory that a row of a game takes.
struct RowSize {
  std::size_t max_active = 0;   // features that are not zero
  std::size_t state_bytes = 0;  // of the state that the row is encoded from
};
/// Of the game to which the state `game` belongs.
template <Game G>
constexpr RowSize row_size(const G& game = only_start<G>()) {
  return {most_active(game), sizeof(G)};
}

/// The rows of one forward pass, with the memory for their answers. A row begins as a state; the
/// thread that answers it encodes it, so that threads share that work too.
///
///   state   [capacity, state_bytes rounded up] bytes
///   encode  [capacity]   writes the features of a row's state; null: they are written
///   answer  [capacity]
///
/// Belongs to one thread, except for encode().
class Batch {
 public:
  Batch(std::size_t capacity, const RowSize& size, Heap& heap = default_heap())
      : state_bytes_(round_up(size.state_bytes, kAlignment)),
        rows_(capacity, size.max_active, heap),
        states_(capacity * state_bytes_, heap),
        encode_(capacity, nullptr, &heap),
        answers_(capacity, &heap) {}

  /// Bytes that an object of this size allocates.
  static std::size_t bytes(std::size_t capacity, const RowSize& size) {
    return SparseRows::bytes(capacity, size.max_active) +
           capacity * (round_up(size.state_bytes, kAlignment) + sizeof(Encode) + sizeof(RowResult));
  }

  std::size_t capacity() const { return rows_.capacity(); }
  std::size_t size() const { return rows_.size(); }
  std::size_t room() const { return rows_.room(); }

  /// Appends a row of an unfinished state, which it copies; encodes it at once if the batch has no
  /// memory for such states. Needs room() >= 1.
  template <Game G>
  void add(const RowResult& answer, const G& state) {
    static_assert(alignof(G) <= kAlignment);
    if (sizeof(G) > state_bytes_) {
      return add(answer, [&](FeatureRow& features) { state.encode(features); });
    }
    const std::size_t row = size();
    ::new (&states_[row * state_bytes_]) G(state);
    encode_[row] = [](const std::byte* bytes, FeatureRow& features) {
      std::launder(reinterpret_cast<const G*>(bytes))->encode(features);
    };
    answers_[row] = answer;
    rows_.add([](FeatureRow&) {});
  }
  /// Appends a row whose features `write(FeatureRow&)` writes now. Needs room() >= 1.
  template <std::invocable<FeatureRow&> Write>
  void add(const RowResult& answer, Write&& write) {
    encode_[size()] = nullptr;
    answers_[size()] = answer;
    rows_.add(write);
  }
  const RowResult& answer(std::size_t row) const { return answers_[row]; }

  /// Encodes those of the rows [first, last) that are still states. Returns all rows; only encoded
  /// ones may be read. Threads may encode different rows at the same time. Throws what a game's
  /// encode() throws.
  const SparseRows& encode(std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      if (encode_[row] == nullptr) continue;
      rows_.rewrite(
          row, [&](FeatureRow& features) { encode_[row](&states_[row * state_bytes_], features); });
      encode_[row] = nullptr;
    }
    return rows_;
  }
  /// The same for all rows.
  const SparseRows& encode() { return encode(0, size()); }

  /// Removes all rows; the capacity stays.
  void clear() { rows_.clear(); }

 private:
  using Encode = void (*)(const std::byte* state, FeatureRow& features);
  static constexpr std::size_t kAlignment = 16;

  std::size_t state_bytes_;
  SparseRows rows_;
  AlignedVector<std::byte> states_;
  std::pmr::vector<Encode> encode_;
  std::pmr::vector<RowResult> answers_;
};

}  // namespace senet
