// The layers of a network as the trainer sees them, a class for each way: where their rows lie,
// and their forward and backward passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nn/layer_plan.hpp"
#include "train_bridge/scratch.hpp"
#include "train_bridge/train_batch.hpp"

namespace senet {

/// Mean cross entropies of a batch in nats, each over the rows that have the target; 0 where none
/// has.
struct Losses {
  double policy = 0;
  double value = 0;
};

/// A layer and where its rows lie, [rows, size of the value] each. What it reads and writes is kept
/// for the backward pass, which goes from the gradient of `out` to that of `in`; the gradient of
/// `added` is that of `out`.
struct TrainLayer : Layer {
  ScratchPiece from, residual, to;  // `in`, `added` and `out`
  ScratchPiece d_from, d_to;        // their gradients; features have none
  bool add;                         // d_from holds a part already, to be added to
};

/// What every layer needs while one group of rows passes. Parameters and gradient are flat blocks
/// of the same layout; layers add to the gradient, and to the losses, each row's counting with the
/// shares in the gradient.
template <class Real>
struct Pass {
  const Real* parameters;
  Real* gradient;
  ScratchPool<Real>* scratch;
  const TrainBatch* batch;
  Real policy_share, value_share;
  Losses* losses;
  std::size_t first = 0, rows = 0;        // rows of the batch that pass
  const std::uint32_t* chosen = nullptr;  // which of those behind `first`, or null: all

  std::size_t batch_row(std::size_t row) const {
    return first + (chosen == nullptr ? row : chosen[row]);
  }
  Real* at(ScratchPiece piece) const { return scratch->at(piece); }
  const Real* weight(const Layer& layer) const { return parameters + layer.weight; }
  const Real* bias(const Layer& layer) const { return parameters + layer.bias; }
  Real* d_weight(const Layer& layer) const { return gradient + layer.weight; }
  Real* d_bias(const Layer& layer) const { return gradient + layer.bias; }
};

/// Where layers plan the scratch memory that is theirs alone.
template <class Real>
struct ScratchPlan {
  ScratchPool<Real>& scratch;
  std::size_t rows;  // most of one pass
  const TrainBatch::Shape& batch;
};

/// Linear: out = in x weight^T + bias (+ added).
template <class Real>
class LinearLayer {
 public:
  explicit LinearLayer(const TrainLayer& layer) : layer_(layer) {}
  void forward(const Pass<Real>& pass) const;
  void backward(const Pass<Real>& pass) const;

 protected:
  TrainLayer layer_;
};

/// LayerNorm, then ReLU. Keeps row statistics for the backward pass.
template <class Real>
class NormLayer {
 public:
  NormLayer(const TrainLayer& layer, const ScratchPlan<Real>& plan);
  void forward(const Pass<Real>& pass) const;
  void backward(const Pass<Real>& pass) const;

 private:
  TrainLayer layer_;
  ScratchPiece mean_, inverse_deviation_;
};

/// The first Linear, over sparse features: only the weight columns of non-zero features are
/// touched. Works on a copy of the weight transposed to [features, outputs], made once a step, and
/// on such a gradient, which is transposed back when the step ends.
template <class Real>
class SparseInputLayer {
 public:
  SparseInputLayer(const TrainLayer& layer, const ScratchPlan<Real>& plan);
  void begin_step(const Pass<Real>& pass) const;
  void forward(const Pass<Real>& pass) const;
  void backward(const Pass<Real>& pass) const;
  void end_step(const Pass<Real>& pass) const;

 private:
  const Real* values(const Pass<Real>& pass, std::span<const float> value) const;

  TrainLayer layer_;
  ScratchPiece transposed_, d_transposed_, values_;
};

/// The last Linear of the value: cross entropy between the softmax of its results and the rows'
/// outcome distributions. The loss is found by the backward pass.
template <class Real>
class OutcomesLayer : public LinearLayer<Real> {
 public:
  using LinearLayer<Real>::LinearLayer;
  void backward(const Pass<Real>& pass) const;
};

/// The last Linear of the policy: cross entropy over each row's actions in the batch only. An
/// action's logit is the sum of some of its results; only those are computed, row by row, by the
/// backward pass.
template <class Real>
class PolicyLayer {
 public:
  PolicyLayer(const TrainLayer& layer, const ScratchPlan<Real>& plan);
  void forward(const Pass<Real>& /*pass*/) const {}
  void backward(const Pass<Real>& pass);

 private:
  std::span<const std::uint16_t> pairs_of(const TrainBatch& batch, std::size_t row);
  double learn_row(const Pass<Real>& pass, std::size_t row);

  TrainLayer layer_;
  ScratchPiece action_logits_;              // [actions of a row], then their gradients
  ScratchPiece pair_values_;                // [pairs of a row], logits, then their gradients
  std::vector<std::uint16_t> pair_logit_;   // of each (action, logit) pair of a row: which logit
  std::vector<std::uint32_t> pair_action_;  // and which action of the row
};

}  // namespace senet
