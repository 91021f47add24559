// The samples of one training step, as any trainer backend takes them.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "senet/game.hpp"

namespace senet {

/// Sparse inputs, policy targets over the actions to consider only, and outcome targets. Fixed
/// capacity, no allocation after construction.
///
///   features  index/value [rows, max_active], `active` entries used of each row
///   policy    rows' actions one after the other: row r owns [first_action(r), first_action(r
///   + 1));
///             each has a target probability and up to `logits_per_action` policy logits that add
///             up to its logit (kNoLogit pads). A row without policy target owns none.
///   outcomes  [rows, outcomes] f32, a distribution: the value target as viewer() sees it
class TrainBatch {
 public:
  struct Shape {
    std::size_t rows;               // capacity in samples
    std::size_t max_active;         // G::kMaxActive
    std::size_t max_legal;          // G::kMaxLegal
    std::size_t logits_per_action;  // G::kLogitsPerAction
    std::size_t outcomes;           // kOutcomes<G>
    std::size_t action_room;  // capacity of the policy lists of all rows together; >= max_legal
  };

  explicit TrainBatch(const Shape& shape)
      : shape_(shape),
        index_(shape.rows * shape.max_active),
        value_(shape.rows * shape.max_active),
        active_(shape.rows),
        first_action_(shape.rows + 1),
        target_(shape.action_room),
        logit_(shape.action_room * shape.logits_per_action),
        outcomes_(shape.rows * shape.outcomes) {}

  const Shape& shape() const { return shape_; }
  std::size_t size() const { return size_; }
  std::size_t actions() const { return first_action_[size_]; }
  /// Whether one more sample with `actions` policy targets fits.
  bool fits(std::size_t actions) const {
    return size_ < shape_.rows && this->actions() + actions <= shape_.action_room;
  }
  void clear() { size_ = 0; }

  /// Starts a sample: `encode` writes its features; returns its outcome target to fill. Needs
  /// fits(0).
  template <class Encode>
  std::span<float> add(Encode&& encode) {
    assert(size_ < shape_.rows);
    FeatureRow row(&index_[size_ * shape_.max_active], &value_[size_ * shape_.max_active],
                   shape_.max_active);
    encode(row);
    active_[size_] = static_cast<std::uint16_t>(row.count());
    first_action_[size_ + 1] = first_action_[size_];
    ++size_;
    return {&outcomes_[(size_ - 1) * shape_.outcomes], shape_.outcomes};
  }

  /// Adds an action to the sample started last. `logits` has logits_per_action entries.
  void add_action(float target, std::span<const std::uint16_t> logits) {
    const std::size_t at = first_action_[size_]++;
    assert(at < shape_.action_room && logits.size() == shape_.logits_per_action);
    target_[at] = target;
    for (std::size_t i = 0; i < logits.size(); ++i) logit_[at * logits.size() + i] = logits[i];
  }

  std::span<const std::uint16_t> index(std::size_t row) const {
    return {&index_[row * shape_.max_active], active_[row]};
  }
  std::span<const float> value(std::size_t row) const {
    return {&value_[row * shape_.max_active], active_[row]};
  }
  std::size_t first_action(std::size_t row) const { return first_action_[row]; }
  float target(std::size_t action) const { return target_[action]; }
  /// Targets and logits of all actions of a row.
  std::span<const float> targets_of(std::size_t row) const {
    return {target_.data() + first_action_[row], first_action_[row + 1] - first_action_[row]};
  }
  std::span<const std::uint16_t> logits_of(std::size_t row) const {
    const std::size_t each = shape_.logits_per_action;
    return {logit_.data() + first_action_[row] * each, targets_of(row).size() * each};
  }
  std::span<const std::uint16_t> logits(std::size_t action) const {
    return {&logit_[action * shape_.logits_per_action], shape_.logits_per_action};
  }
  std::span<const float> outcomes(std::size_t row) const {
    return {&outcomes_[row * shape_.outcomes], shape_.outcomes};
  }

 private:
  Shape shape_;
  std::size_t size_ = 0;
  std::vector<std::uint16_t> index_;
  std::vector<float> value_;
  std::vector<std::uint16_t> active_;
  std::vector<std::size_t> first_action_;
  std::vector<float> target_;
  std::vector<std::uint16_t> logit_;
  std::vector<float> outcomes_;
};

}  // namespace senet
