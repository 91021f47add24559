// The layers of a network as the CPU trainer sees them, a class for each way: where their rows lie,
// and their forward and backward passes.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nn/aligned_vector.hpp"
#include "nn/layer_plan.hpp"
#include "train_bridge/device/loss_bodies.hpp"
#include "train_bridge/linear_algebra.hpp"
#include "train_bridge/row_kernels.hpp"
#include "train_bridge/train_batch.hpp"

namespace senet {

/// A place in a ScratchPool, known before the memory exists.
struct ScratchPiece {
  std::size_t offset = 0;
};

/// One block of zeroed memory cut into aligned pieces: first reserve() them all, then allocate()
/// once.
template <class Value>
class ScratchPool {
 public:
  /// Plans a piece of `size` values. Only before allocate().
  ScratchPiece reserve(std::size_t size) {
    assert(memory_.empty());
    const ScratchPiece piece{planned_};
    planned_ += round_up(size, kLineBytes / sizeof(Value));
    return piece;
  }

  /// Allocates everything planned.
  void allocate() { memory_.resize(planned_); }

  /// Where a piece lies; valid while the pool lives. Only after allocate().
  Value* at(ScratchPiece piece) { return memory_.data() + piece.offset; }

 private:
  AlignedVector<Value> memory_;
  std::size_t planned_ = 0;
};

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

  void forward(const Pass<Real>& pass) const {
    Real* const out = pass.at(layer_.to);
    if (layer_.added == kNoValue) {
      RowKernels<Real>::fill_rows(pass.bias(layer_), pass.rows, layer_.outputs, out);
    } else {
      RowKernels<Real>::add_row(pass.at(layer_.residual), pass.bias(layer_), pass.rows,
                                layer_.outputs, out);
    }
    multiply(Product<Real, Real>{rows<const Real>(pass, pass.at(layer_.from), layer_.inputs), false,
                                 weight(pass), true, rows(pass, out, layer_.outputs), true});
  }

  void backward(const Pass<Real>& pass) const {
    const std::size_t inputs = layer_.inputs, outputs = layer_.outputs;
    const Matrix<const Real> d_out = rows<const Real>(pass, pass.at(layer_.d_to), outputs);
    RowKernels<Real>::add_column_sums(d_out.data, pass.rows, outputs, pass.d_bias(layer_));
    multiply(Product<Real, Real>{d_out,
                                 true,
                                 rows<const Real>(pass, pass.at(layer_.from), inputs),
                                 false,
                                 {pass.d_weight(layer_), outputs, inputs, inputs},
                                 true});
    multiply(Product<Real, Real>{d_out, false, weight(pass), false,
                                 rows(pass, pass.at(layer_.d_from), inputs), layer_.add});
  }

 protected:
  TrainLayer layer_;

 private:
  template <class Value>  // Real, constant or not
  static Matrix<Value> rows(const Pass<Real>& pass, Value* data, std::size_t width) {
    return {data, pass.rows, width, width};
  }
  Matrix<const Real> weight(const Pass<Real>& pass) const {
    return {pass.weight(layer_), layer_.outputs, layer_.inputs, layer_.inputs};
  }
};

/// LayerNorm, then ReLU. Keeps row statistics for the backward pass.
template <class Real>
class NormLayer {
 public:
  NormLayer(const TrainLayer& layer, const ScratchPlan<Real>& plan)
      : layer_(layer),
        mean_(plan.scratch.reserve(plan.rows)),
        inverse_deviation_(plan.scratch.reserve(plan.rows)) {}

  void forward(const Pass<Real>& pass) const {
    RowKernels<Real>::norm_relu_forward(
        pass.at(layer_.from), pass.weight(layer_), pass.bias(layer_), pass.rows, layer_.outputs,
        pass.at(mean_), pass.at(inverse_deviation_), pass.at(layer_.to));
  }

  void backward(const Pass<Real>& pass) const {
    const NormRelu<Real> forward{pass.at(layer_.from), pass.at(layer_.to), pass.weight(layer_),
                                 pass.at(mean_), pass.at(inverse_deviation_)};
    RowKernels<Real>::norm_relu_backward(forward, pass.rows, layer_.outputs, pass.at(layer_.d_to),
                                         pass.d_weight(layer_), pass.d_bias(layer_), layer_.add,
                                         pass.at(layer_.d_from));
  }

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
  SparseInputLayer(const TrainLayer& layer, const ScratchPlan<Real>& plan)
      : layer_(layer),
        transposed_(plan.scratch.reserve(std::size_t{layer.inputs} * layer.outputs)),
        d_transposed_(plan.scratch.reserve(std::size_t{layer.inputs} * layer.outputs)),
        values_(plan.scratch.reserve(plan.batch.max_active)) {}

  void begin_step(const Pass<Real>& pass) const {
    RowKernels<Real>::transpose(pass.weight(layer_), layer_.inputs, layer_.outputs,
                                pass.at(transposed_));
    std::fill_n(pass.at(d_transposed_), std::size_t{layer_.inputs} * layer_.outputs, Real{0});
  }

  void forward(const Pass<Real>& pass) const {
    const std::size_t width = layer_.outputs;
    Real* const out = pass.at(layer_.to);
    RowKernels<Real>::fill_rows(pass.bias(layer_), pass.rows, width, out);
    for (std::size_t row = 0; row < pass.rows; ++row) {
      const std::size_t at = pass.batch_row(row);
      RowKernels<Real>::add_weighted_rows(pass.at(transposed_), width, pass.batch->index(at),
                                          values(pass, pass.batch->value(at)), out + row * width);
    }
  }

  void backward(const Pass<Real>& pass) const {
    const std::size_t width = layer_.outputs;
    const Real* const d_out = pass.at(layer_.d_to);
    RowKernels<Real>::add_column_sums(d_out, pass.rows, width, pass.d_bias(layer_));
    for (std::size_t row = 0; row < pass.rows; ++row) {
      const std::size_t at = pass.batch_row(row);
      RowKernels<Real>::add_to_rows(d_out + row * width, width, pass.batch->index(at),
                                    values(pass, pass.batch->value(at)), pass.at(d_transposed_));
    }
  }

  void end_step(const Pass<Real>& pass) const {
    RowKernels<Real>::transpose(pass.at(d_transposed_), layer_.outputs, layer_.inputs,
                                pass.d_weight(layer_));
  }

 private:
  const Real* values(const Pass<Real>& pass, std::span<const float> value) const {
    Real* const converted = pass.at(values_);
    std::copy(value.begin(), value.end(), converted);
    return converted;
  }

  TrainLayer layer_;
  ScratchPiece transposed_, d_transposed_, values_;
};

/// The last Linear of the value: cross entropy between the softmax of its results and the rows'
/// outcome distributions. The loss is found by the backward pass.
template <class Real>
class OutcomesLayer : public LinearLayer<Real> {
 public:
  using LinearLayer<Real>::LinearLayer;

  void backward(const Pass<Real>& pass) const {
    const std::size_t outcomes = this->layer_.outputs;
    Real* const logits = pass.at(this->layer_.to);
    double loss = 0;
    for (std::size_t row = 0; row < pass.rows; ++row) {
      const std::span<const float> target = pass.batch->outcomes(pass.batch_row(row));
      loss += cross_entropy_of_row(
          HostGroup{}, logits + row * outcomes, outcomes, [&](std::size_t i) { return target[i]; },
          pass.value_share);
    }
    pass.losses->value += loss;
    LinearLayer<Real>::backward(pass);
  }
};

/// The last Linear of the policy: cross entropy over each row's actions in the batch only. An
/// action's logit is the sum of some of its results; only those are computed, row by row, by the
/// backward pass.
template <class Real>
class PolicyLayer {
 public:
  PolicyLayer(const TrainLayer& layer, const ScratchPlan<Real>& plan)
      : layer_(layer),
        action_logits_(plan.scratch.reserve(plan.batch.action_room)),
        pair_values_(plan.scratch.reserve(plan.batch.action_room * plan.batch.logits_per_action)),
        pair_logit_(plan.batch.action_room * plan.batch.logits_per_action),
        pair_action_(plan.batch.action_room * plan.batch.logits_per_action) {}

  void forward(const Pass<Real>& /*pass*/) const {}

  void backward(const Pass<Real>& pass) {
    double loss = 0;
    for (std::size_t row = 0; row < pass.rows; ++row) loss += learn_row(pass, row);
    pass.losses->policy += loss;
  }

 private:
  /// Lists the (action, logit) pairs of a row, actions counted from the row's first.
  std::span<const std::uint16_t> pairs_of(const TrainBatch& batch, std::size_t row) {
    const std::size_t begin = batch.first_action(row);
    const std::size_t end = batch.first_action(row + 1);
    std::size_t pairs = 0;
    for (std::size_t action = begin; action < end; ++action) {
      for (const std::uint16_t logit : batch.logits(action)) {
        if (logit == kNoLogit) continue;
        pair_logit_[pairs] = logit;
        pair_action_[pairs] = static_cast<std::uint32_t>(action - begin);
        ++pairs;
      }
    }
    return {pair_logit_.data(), pairs};
  }

  Real learn_row(const Pass<Real>& pass, std::size_t row) {
    const TrainBatch& batch = *pass.batch;
    const std::size_t at = pass.batch_row(row), width = layer_.inputs;
    const std::span<const float> targets = batch.targets_of(at);
    const Real* const features = pass.at(layer_.from) + row * width;
    Real* const d_features = pass.at(layer_.d_from) + row * width;
    const std::span<const std::uint16_t> pairs = pairs_of(batch, at);
    Real* const logits = pass.at(action_logits_);
    Real* const pair_value = pass.at(pair_values_);

    RowKernels<Real>::row_products(pass.weight(layer_), width, pairs, features, pair_value);
    std::fill_n(logits, targets.size(), Real{0});
    for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
      logits[pair_action_[pair]] += pair_value[pair] + pass.bias(layer_)[pairs[pair]];
    }
    const Real loss = cross_entropy_of_row(
        HostGroup{}, logits, targets.size(), [&](std::size_t i) { return targets[i]; },
        pass.policy_share);

    for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
      pair_value[pair] = logits[pair_action_[pair]];
      pass.d_bias(layer_)[pairs[pair]] += pair_value[pair];
    }
    RowKernels<Real>::add_to_rows(features, width, pairs, pair_value, pass.d_weight(layer_));
    if (!layer_.add) std::fill_n(d_features, width, Real{0});
    RowKernels<Real>::add_weighted_rows(pass.weight(layer_), width, pairs, pair_value, d_features);
    return loss;
  }

  TrainLayer layer_;
  ScratchPiece action_logits_;              // [actions of a row], then their gradients
  ScratchPiece pair_values_;                // [pairs of a row], logits, then their gradients
  std::vector<std::uint16_t> pair_logit_;   // of each (action, logit) pair of a row: which logit
  std::vector<std::uint32_t> pair_action_;  // and which action of the row
};

}  // namespace senet
