// The samples of one training step for any trainer: encoded, or as places in the replay buffer.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nn/batch.hpp"
#include "senet/game.hpp"

namespace senet {

/// Sparse inputs, policy targets over the considered actions only, and outcome targets. Fixed
/// capacity; no allocation after construction.
///
///   policy    the actions of all rows, one row after the other: row r has those from
///             first_action(r) up to first_action(r + 1). Each has a target probability and up to
///             `logits_per_action` policy logits that add up to its logit (kNoLogit pads). A row
///             without policy target has none.
///   outcomes  [rows, outcomes] f32, a distribution: the value target from the perspective of
///             viewer()
///   weight    [rows] f32, of the row's losses in the gradient
class TrainBatch : public SparseRows {
 public:
  struct Shape {
    std::size_t rows;               // capacity in samples
    std::size_t max_active;         // most_active() of the game
    std::size_t max_legal;          // most_legal() of the game
    std::size_t logits_per_action;  // G::kLogitsPerAction
    std::size_t outcomes;           // ways to end
    std::size_t action_room;        // capacity of the policy lists of all rows; >= max_legal
  };

  explicit TrainBatch(const Shape& shape)
      : SparseRows(shape.rows, shape.max_active),
        shape_(shape),
        first_action_(shape.rows + 1),
        target_(shape.action_room),
        logit_(shape.action_room * shape.logits_per_action),
        outcomes_(shape.rows * shape.outcomes),
        weight_(shape.rows) {}

  static std::size_t bytes(const Shape& shape) {
    return SparseRows::bytes(shape.rows, shape.max_active) +
           shape.rows * ((shape.outcomes + 1) * sizeof(float) + sizeof(std::size_t)) +
           shape.action_room * (sizeof(float) + shape.logits_per_action * sizeof(std::uint16_t));
  }

  const Shape& shape() const { return shape_; }
  std::size_t actions() const { return first_action_[size()]; }
  /// Whether another sample with `actions` policy targets fits.
  bool fits(std::size_t actions) const {
    return room() > 0 && this->actions() + actions <= shape_.action_room;
  }

  /// Starts a sample: `encode` writes its features; returns its outcome target for the caller to
  /// fill. Requires fits(0).
  template <class Encode>
  std::span<float> add(Encode&& encode, float weight = 1) {
    SparseRows::add(encode);
    weight_[size() - 1] = weight;
    first_action_[size()] = first_action_[size() - 1];
    return {&outcomes_[(size() - 1) * shape_.outcomes], shape_.outcomes};
  }

  /// Adds an action to the last sample. `logits` has logits_per_action entries.
  void add_action(float target, std::span<const std::uint16_t> logits) {
    const std::size_t at = first_action_[size()]++;
    assert(at < shape_.action_room && logits.size() == shape_.logits_per_action);
    target_[at] = target;
    for (std::size_t i = 0; i < logits.size(); ++i) logit_[at * logits.size() + i] = logits[i];
  }

  std::size_t first_action(std::size_t row) const { return first_action_[row]; }
  /// Targets and logits of all actions of a row.
  std::span<const float> targets_of(std::size_t row) const {
    return {target_.data() + first_action_[row], first_action_[row + 1] - first_action_[row]};
  }
  std::span<const std::uint16_t> logits_of(std::size_t row) const {
    const std::size_t each = shape_.logits_per_action;
    return {logit_.data() + first_action_[row] * each, targets_of(row).size() * each};
  }
  std::span<const float> outcomes(std::size_t row) const {
    return {&outcomes_[row * shape_.outcomes], shape_.outcomes};
  }
  float weight(std::size_t row) const { return weight_[row]; }

 private:
  Shape shape_;
  std::vector<std::size_t> first_action_;
  std::vector<float> target_;
  std::vector<std::uint16_t> logit_;
  std::vector<float> outcomes_;
  std::vector<float> weight_;
};

/// A sample drawn for a step: its place in the replay's ring, whether to use its mirror image, and
/// the weight of its losses.
struct DrawnSample {
  std::uint32_t place;
  bool mirrored;
  float weight = 1;

  bool operator==(const DrawnSample&) const = default;
};

/// The size of a replay buffer: places of its ring, and images of each sample (2 in a game with
/// mirror images, else 1).
struct ReplayRoom {
  std::size_t places = 0;
  std::size_t images = 1;
};

}  // namespace senet
