// The two heads of a network in training: their towers, their last layers and their cross
// entropies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "train_bridge/train_batch.hpp"
#include "train_bridge/train_layers.hpp"

namespace senet {

/// Value head: cross entropy between the softmax of the last Linear and the rows' outcome
/// distributions.
template <class Real>
class ValueHead {
 public:
  ValueHead(const LayerPlan<Real>& plan, const NetworkSpec& spec);

  /// Forward and backward for the batch's rows [first, first + pass.rows). `trunk`[rows, width] is
  /// the trunk's output. The loss of a row counts `weight` times in the gradients, which are added
  /// to the parameters' and written to d_trunk[rows, width]. Returns the rows' summed, unweighted
  /// loss in nats.
  double learn(const Pass<Real>& pass, const TrainBatch& batch, std::size_t first,
               const Real* trunk, Real weight, Real* d_trunk) const;

 private:
  Tower<Real> tower_;
  LinearLayer<Real> last_;
  std::size_t width_;
  ScratchPiece logits_;  // [rows, outcomes], then their gradients
};

/// Policy head: cross entropy over each row's actions in the batch only. An action's logit is the
/// sum of some of the last Linear's outputs; only those outputs are computed, row by row, and rows
/// without policy target do not pass through the head at all.
template <class Real>
class PolicyHead {
 public:
  PolicyHead(const LayerPlan<Real>& plan, const NetworkSpec& spec, const TrainBatch::Shape& shape);

  /// As ValueHead::learn, but adds to d_trunk[rows, width].
  double learn(const Pass<Real>& pass, const TrainBatch& batch, std::size_t first,
               const Real* trunk, Real weight, Real* d_trunk);

 private:
  std::span<const std::uint16_t> pairs_of(const TrainBatch& batch, std::size_t row);
  double learn_row(const Pass<Real>& pass, const TrainBatch& batch, std::size_t row,
                   const Real* features, Real weight, Real* d_features);

  Tower<Real> tower_;
  LinearLayer<Real> last_;
  std::size_t width_;
  ScratchPiece trunk_;               // [rows, width], rows with policy target only
  ScratchPiece action_logits_;       // [actions of a row], then their gradients
  ScratchPiece pair_values_;         // [pairs of a row], logits, then their gradients
  std::vector<std::uint32_t> rows_;  // of the pass, those with policy target
  std::vector<std::uint16_t>
      pair_logit_;  // which logit: one entry per (action, logit) pair of a row
  std::vector<std::uint32_t> pair_action_;  // and which action of the row
};

}  // namespace senet
