// A network in training: the losses of a batch and their gradient, by hand-written forward and
// backward passes through the layers of a plan.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "engine/lanes/thread_team.hpp"
#include "nn/aligned_vector.hpp"
#include "nn/kernels.hpp"
#include "train_bridge/device/loss_bodies.hpp"
#include "train_bridge/gradient_plan.hpp"
#include "train_bridge/linear_algebra.hpp"
#include "train_bridge/row_kernels.hpp"
#include "train_bridge/train_batch.hpp"

namespace senet {

/// Mean cross entropies of a batch in nats, times the rows' weights, each over the rows that have
/// the target; 0 if no row has it. A dueling network only has a value loss: of what it expects
/// after the moves of the policy target, or after a mixture of them by their shares. Rows without a
/// policy target add nothing to it, but count.
struct Losses {
  double policy = 0;
  double value = 0;
};

/// Weights of the two losses in the gradient.
struct LossWeights {
  double policy = 1;
  double value = 1;
};

/// Computes gradients for networks of one plan and batches of one shape, in float or, to check the
/// float version, in double. Stores no weights. Used by one thread at a time; allocates only when
/// constructed.
///
/// Rows are processed in groups small enough for the activations to stay in the CPU cache, each
/// group forward and backward; the gradients add up. Memory does not grow with the batch.
template <class Real>
class TrainNetwork {
 public:
  /// `by_feature`: the first layer's weight and its gradient are transposed in both blocks,
  /// [features, outputs], which saves four passes over them for each gradient.
  TrainNetwork(const LayerPlan& plan, const TrainBatch::Shape& shape, bool by_feature = false)
      : group_rows_(std::min(shape.rows, kGroupRows)),
        fork_(plan.fork),
        policy_(plan.policy),
        outcomes_(plan.outcomes),
        advantages_(plan.advantages()),
        fork_size_(plan.size_of(plan.fork)),
        chosen_(group_rows_),
        transposed_(by_feature ? 0 : std::size_t{plan.features} * plan.layers[0].outputs),
        d_transposed_(transposed_.size()),
        d_outputs_(std::max(plan.widest(), plan.size_of(plan.outcomes)) * group_rows_),
        packed_inputs_(group_rows_, round_up(plan.widest(), kPanel),
                       d_outputs_.size() / group_rows_),
        values_(shape.max_active),
        action_logits_(shape.max_legal),
        pair_values_(shape.max_legal * shape.logits_per_action *
                     std::max<std::size_t>(1, advantages_)),
        pair_logit_(pair_values_.size()),
        pair_action_(pair_values_.size()) {
    place_layers(plan);
  }
  TrainNetwork(const TrainNetwork&) = delete;
  TrainNetwork& operator=(const TrainNetwork&) = delete;

  /// Returns the given rows' contribution to the batch's losses under `parameters`, and writes
  /// their contribution to the gradient of
  ///   weights.policy * losses.policy + weights.value * losses.value
  /// to `gradient`. The contributions of disjoint shares that cover the batch add up to the batch's
  /// values. Both blocks have the layout of the plan. batch.size() >= 1. Non-finite values are
  /// propagated to the gradient.
  Losses gradient(std::span<const Real> parameters, const TrainBatch& batch, Share rows,
                  LossWeights weights, std::span<Real> gradient) {
    assert(batch.size() >= 1 && rows.end <= batch.size());
    const std::size_t policy_rows = rows_with_policy(batch);
    std::fill(gradient.begin(), gradient.end(), Real{0});
    Losses losses;
    Pass pass{.parameters = parameters.data(),
              .gradient = gradient.data(),
              .batch = batch,
              .policy_share = policy_rows == 0 ? Real{0}
                                               : static_cast<Real>(weights.policy) /
                                                     static_cast<Real>(policy_rows),
              .value_share = static_cast<Real>(weights.value) / static_cast<Real>(batch.size()),
              .losses = losses};
    const Step& input = steps_.front();
    const bool by_feature = transposed_.empty();
    if (by_feature) {
      pass.table = pass.weight(input);
      pass.d_table = pass.d_weight(input);
    } else {
      RowKernels<Real>::transpose(pass.weight(input), input.inputs, input.outputs,
                                  transposed_.data());
      std::ranges::fill(d_transposed_, Real{0});
      pass.table = transposed_.data();
      pass.d_table = d_transposed_.data();
    }
    for (Dense& dense : dense_) dense.begin(pass);
    for (pass.first = rows.begin; pass.first < rows.end; pass.first += pass.rows) {
      pass.rows = std::min(group_rows_, rows.end - pass.first);
      forward(pass, 0, fork_);
      forward(pass, policy_, steps_.size());
      const Pass chosen = choose_rows(pass);
      if (is_dueling()) {
        forward(chosen, fork_, policy_);
        duel(pass, chosen);
      }
      backward(pass, policy_, steps_.size());
      if (!is_dueling()) forward(chosen, fork_, policy_);
      learn_policy(chosen);
      backward(pass, 0, fork_);
    }
    if (!by_feature) {
      RowKernels<Real>::transpose(d_transposed_.data(), input.outputs, input.inputs,
                                  pass.d_weight(input));
    }
    for (const Dense& dense : dense_) dense.end(pass);

    losses.value /= static_cast<double>(batch.size());
    if (policy_rows > 0) losses.policy /= static_cast<double>(policy_rows);
    return losses;
  }

 private:
  // Rows per pass: enough for matrix products at full speed, few enough for the activations of a
  // 128-wide network (about 11 KB per row) to stay in a cache of one or two megabytes.
  static constexpr std::size_t kGroupRows = 128;

  struct Dense;

  /// A layer and its buffers, [rows, size of the value] each; null where there are none. Inputs and
  /// outputs are kept for the backward pass, which computes the gradient of `in` from that of
  /// `out`; the gradient of `added` is that of `out`.
  struct Step : Layer {
    const Real *from, *residual;                  // `in` and `added`
    Real* to;                                     // `out`
    Real *d_from, *d_to;                          // gradients; features have none
    bool add;                                     // d_from already contains a part; add to it
    AlignedVector<Real> mean, inverse_deviation;  // per row, of a norm
    Dense* dense;                                 // of a Linear over values
  };

  /// One group of rows. Parameters and gradient are flat blocks of the same layout. Layers add to
  /// the gradient and to the losses; the shares weight each row in the gradient.
  struct Pass {
    const Real* parameters;
    Real* gradient;
    const TrainBatch& batch;
    Real policy_share, value_share;
    Losses& losses;
    const Real* table = nullptr;  // the first layer's weight by feature, [features, outputs] ...
    Real* d_table = nullptr;      // ... and its gradient
    std::size_t first = 0, rows = 0;        // the group's rows in the batch
    const std::uint32_t* chosen = nullptr;  // their indices relative to `first`, or null: all

    std::size_t batch_row(std::size_t row) const {
      return first + (chosen == nullptr ? row : chosen[row]);
    }
    const Real* weight(const Layer& layer) const { return parameters + layer.weight; }
    const Real* bias(const Layer& layer) const { return parameters + layer.bias; }
    Real* d_weight(const Layer& layer) const { return gradient + layer.weight; }
    Real* d_bias(const Layer& layer) const { return gradient + layer.bias; }
    /// The group's rows as a matrix, and the weight of a Linear.
    template <class Value>  // Real, const or not
    Matrix<Value> matrix(Value* data, std::size_t width) const {
      return {data, rows, width, width};
    }
    Matrix<const Real> weights(const Layer& layer) const {
      return {weight(layer), layer.outputs, layer.inputs, layer.inputs};
    }
  };

  /// A Linear over values: its weight, packed once per gradient, and its gradient, whose rows are
  /// padded to whole panels.
  struct Dense {
    Dense(const Layer& its, std::size_t rows)
        : layer(its),
          forward(its.inputs, its.outputs, rows),
          backward(its.outputs, its.inputs, rows),
          stride(round_up(its.inputs, kPanel)),
          d_weight(its.outputs * stride) {}

    void begin(const Pass& pass) {
      forward.pack(pass.weights(layer), true, pass.bias(layer));
      backward.pack(pass.weights(layer), false);
      std::ranges::fill(d_weight, Real{0});
    }
    void end(const Pass& pass) const {
      for (std::size_t i = 0; i < layer.outputs; ++i) {
        std::copy_n(d_weight.data() + i * stride, layer.inputs,
                    pass.d_weight(layer) + i * layer.inputs);
      }
    }

    Layer layer;
    PackedMatrix<Real> forward, backward;
    std::size_t stride;
    AlignedVector<Real> d_weight;
  };

  static std::size_t rows_with_policy(const TrainBatch& batch) {
    std::size_t rows = 0;
    for (std::size_t row = 0; row < batch.size(); ++row) {
      rows += batch.targets_of(row).empty() ? 0 : 1;
    }
    return rows;
  }

  void place_layers(const LayerPlan& plan) {
    const GradientPlan gradients(
        plan, {.activations_in_place = true, .policy_apart = true, .outcomes_in_parallel = false});
    const auto allocate = [&](std::size_t size) {
      return memory_.emplace_back(group_rows_ * size).data();
    };
    std::vector<Real*> values{nullptr}, shared;
    for (const Layer& layer : plan.layers) {
      values.push_back(is_logits(layer) ? nullptr : allocate(layer.outputs));
    }
    while (shared.size() < gradients.buffers) shared.push_back(allocate(plan.widest()));
    fork_rows_ = {values[plan.fork], shared[gradients.d_fork]};
    if (plan.has_policy()) {
      chosen_rows_ = {allocate(fork_size_), shared[gradients.d_policy_fork]};
    }

    for (const Layer& layer : plan.layers) {
      const GradientPlan::Place& gradient = gradients.layers[layer.out - 1];
      const bool is_chosen = layer.in == plan.fork && layer.out <= plan.policy;  // the policy's
      const auto shared_or = [&](std::size_t number, Real* other) {
        return number == GradientPlan::kNone ? other : shared[number];
      };
      const AlignedVector<Real> row_values(layer.kind == LayerKind::kNormRelu ? group_rows_ : 0);
      Dense* dense = nullptr;
      if (layer.kind == LayerKind::kLinear && layer.in != kFeatures && !is_logits(layer)) {
        dense = &dense_.emplace_back(layer, group_rows_);
      }
      steps_.push_back({layer, is_chosen ? chosen_rows_.values : values[layer.in],
                        layer.added == kNoValue ? nullptr : values[layer.added], values[layer.out],
                        shared_or(gradient.d_in, nullptr),
                        shared_or(gradient.d_out, values[layer.out]), gradient.add, row_values,
                        row_values, dense});
    }
  }

  bool has_policy() const { return policy_ != fork_; }
  bool is_dueling() const { return advantages_ > 0; }
  bool is_logits(const Layer& layer) const { return layer.out == policy_ && has_policy(); }

  /// Layers [begin, end), forward and backward. The policy's logits are computed in the backward
  /// pass.
  void forward(const Pass& pass, std::size_t begin, std::size_t end) {
    if (pass.rows == 0) return;
    for (Step& step : std::span(steps_).subspan(begin, end - begin)) {
      if (step.kind == LayerKind::kNormRelu) {
        RowKernels<Real>::norm_relu_forward(step.from, pass.weight(step), pass.bias(step),
                                            pass.rows, step.outputs, step.mean.data(),
                                            step.inverse_deviation.data(), step.to);
      } else if (step.kind == LayerKind::kRelu) {
        RowKernels<Real>::relu_forward(step.from, pass.rows * step.outputs, step.to);
      } else if (step.in == kFeatures) {
        multiply_features(pass, step);
      } else if (!is_logits(step)) {
        multiply_values(pass, step);
      }
    }
  }
  void backward(const Pass& pass, std::size_t begin, std::size_t end) {
    for (std::size_t i = end; i-- > begin;) {
      const Step& step = steps_[i];
      if (step.kind == LayerKind::kNormRelu) {
        const NormRelu<Real> forward{step.from, step.to, pass.weight(step), step.mean.data(),
                                     step.inverse_deviation.data()};
        RowKernels<Real>::norm_relu_backward(forward, pass.rows, step.outputs, step.d_to,
                                             pass.d_weight(step), pass.d_bias(step), step.add,
                                             step.d_from);
      } else if (step.kind == LayerKind::kRelu) {
        RowKernels<Real>::relu_backward(step.to, pass.rows * step.outputs, step.d_to, step.add,
                                        step.d_from);
      } else if (step.in == kFeatures) {
        multiply_features_backward(pass, step);
      } else if (is_logits(step)) {
        double loss = 0;
        for (std::size_t row = 0; row < pass.rows; ++row) {
          if (is_dueling()) {
            learn_advantages(pass, step, row);
          } else {
            loss += learn_actions(pass, step, row);
          }
        }
        pass.losses.policy += loss;
      } else {
        if (step.out == outcomes_ && !is_dueling()) learn_outcomes(pass, step);
        multiply_values_backward(pass, step);
      }
    }
  }

  /// The first Linear, over sparse features: reads only the weight columns of non-zero features.
  /// Works on the weight and the gradient by feature; unless the blocks have them so, these are
  /// copies, made once per gradient and transposed back at its end.
  void multiply_features(const Pass& pass, const Step& step) {
    const std::size_t width = step.outputs;
    RowKernels<Real>::fill_rows(pass.bias(step), pass.rows, width, step.to);
    for (std::size_t row = 0; row < pass.rows; ++row) {
      const std::size_t at = pass.batch_row(row);
      RowKernels<Real>::add_weighted_rows(pass.table, width, pass.batch.index(at),
                                          converted(pass.batch.value(at)), step.to + row * width);
    }
  }
  void multiply_features_backward(const Pass& pass, const Step& step) {
    const std::size_t width = step.outputs;
    RowKernels<Real>::add_column_sums(step.d_to, pass.rows, width, pass.d_bias(step));
    for (std::size_t row = 0; row < pass.rows; ++row) {
      const std::size_t at = pass.batch_row(row);
      RowKernels<Real>::add_to_rows(step.d_to + row * width, width, pass.batch.index(at),
                                    converted(pass.batch.value(at)), pass.d_table);
    }
  }
  const Real* converted(std::span<const float> value) {
    std::copy(value.begin(), value.end(), values_.begin());
    return values_.data();
  }

  /// Any other Linear: out = in x weight^T + bias (+ added).
  static void multiply_values(const Pass& pass, const Step& step) {
    const bool has_residual = step.added != kNoValue;
    if (has_residual) std::copy_n(step.residual, pass.rows * step.outputs, step.to);
    step.dense->forward.multiply(pass.matrix(step.from, step.inputs),
                                 pass.matrix(step.to, step.outputs), has_residual);
  }
  void multiply_values_backward(const Pass& pass, const Step& step) {
    const std::size_t rows = pass.rows, inputs = step.inputs, outputs = step.outputs;
    Dense& dense = *step.dense;
    RowKernels<Real>::add_column_sums(step.d_to, rows, outputs, pass.d_bias(step));
    RowKernels<Real>::transpose(step.d_to, outputs, rows, d_outputs_.data());
    packed_inputs_.pack(pass.matrix(step.from, inputs), false);
    packed_inputs_.multiply({d_outputs_.data(), outputs, rows, rows},
                            {dense.d_weight.data(), outputs, inputs, dense.stride}, true);
    dense.backward.multiply(pass.template matrix<const Real>(step.d_to, outputs),
                            pass.matrix(step.d_from, inputs), step.add);
  }

  /// Cross entropy between the softmax of the outcome logits and the rows' distributions; replaces
  /// the logits by their gradient.
  static void learn_outcomes(const Pass& pass, const Step& step) {
    double loss = 0;
    for (std::size_t row = 0; row < pass.rows; ++row) {
      const std::span<const float> target = pass.batch.outcomes(pass.batch_row(row));
      const auto weight = static_cast<Real>(pass.batch.weight(pass.batch_row(row)));
      loss += weight * cross_entropy_of_row(
                           HostGroup{}, step.to + row * step.outputs, step.outputs,
                           [&](std::size_t i) { return target[i]; }, pass.value_share * weight);
    }
    pass.losses.value += loss;
  }

  /// The rows with a policy target, with a copy of their values at the fork.
  Pass choose_rows(Pass pass) {
    const std::size_t all = std::exchange(pass.rows, 0), width = fork_size_;
    pass.chosen = chosen_.data();
    if (!has_policy()) return pass;
    for (std::size_t row = 0; row < all; ++row) {
      if (pass.batch.targets_of(pass.first + row).empty()) continue;
      std::copy_n(fork_rows_.values + row * width, width, chosen_rows_.values + pass.rows * width);
      chosen_[pass.rows++] = static_cast<std::uint32_t>(row);
    }
    return pass;
  }

  /// The policy's layers backward, for the chosen rows only.
  void learn_policy(const Pass& pass) {
    if (pass.rows == 0) return;
    const std::size_t width = fork_size_;
    backward(pass, fork_, policy_);
    for (std::size_t row = 0; row < pass.rows; ++row) {
      Real* const to = fork_rows_.gradient + chosen_[row] * width;
      RowKernels<Real>::add_row(to, chosen_rows_.gradient + row * width, 1, width, to);
    }
  }

  /// The last Linear of the policy for one row, forward and backward: cross entropy over the row's
  /// actions in the batch only. An action's logit is the sum of some outputs of the Linear; only
  /// those are computed.
  Real learn_actions(const Pass& pass, const Step& step, std::size_t row) {
    const std::size_t at = pass.batch_row(row), width = step.inputs;
    const std::span<const float> targets = pass.batch.targets_of(at);
    const std::span<const std::uint16_t> pairs = pairs_of(pass.batch, at);
    Real *const logits = action_logits_.data(), *const pair_value = pair_values_.data();

    RowKernels<Real>::row_products(pass.weight(step), width, pairs, step.from + row * width,
                                   pair_value);
    std::fill_n(logits, targets.size(), Real{0});
    for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
      logits[pair_action_[pair]] += pair_value[pair] + pass.bias(step)[pairs[pair]];
    }
    const auto weight = static_cast<Real>(pass.batch.weight(at));
    const Real loss =
        weight * cross_entropy_of_row(
                     HostGroup{}, logits, targets.size(), [&](std::size_t i) { return targets[i]; },
                     pass.policy_share * weight);

    for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
      pair_value[pair] = logits[pair_action_[pair]];
    }
    learn_pairs(pass, step, row, pairs);
    return loss;
  }

  /// The last Linear of the policy backward for one row, from the gradients in pair_values_.
  void learn_pairs(const Pass& pass, const Step& step, std::size_t row,
                   std::span<const std::uint16_t> pairs) {
    const std::size_t width = step.inputs;
    const Real* const features = step.from + row * width;
    Real* const d_features = step.d_from + row * width;
    const Real* const d_value = pair_values_.data();
    for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
      pass.d_bias(step)[pairs[pair]] += d_value[pair];
    }
    RowKernels<Real>::add_to_rows(features, width, pairs, d_value, pass.d_weight(step));
    if (!step.add) std::fill_n(d_features, width, Real{0});
    RowKernels<Real>::add_weighted_rows(pass.weight(step), width, pairs, d_value, d_features);
  }

  /// The loss of a dueling network: cross entropy between the rows' distributions and the softmax
  /// of the value head's logits plus the advantages of the move that was played minus the mean ones
  /// of all moves. Replaces the value head's logits by their gradient, which is also that of the
  /// weighted sum of advantages.
  void duel(const Pass& pass, const Pass& chosen) {
    const Step &policy = steps_[policy_ - 1], &value = steps_.back();
    std::size_t row = 0;
    for (std::size_t next = 0; next < pass.rows; ++next) {
      Real* const logits = value.to + next * value.outputs;
      if (row == chosen.rows || chosen.chosen[row] != next) {
        std::fill_n(logits, value.outputs, Real{0});
        continue;
      }
      const std::size_t at = pass.batch_row(next);
      const std::span<const std::uint16_t> pairs = pairs_of(pass.batch, at);
      RowKernels<Real>::row_products(pass.weight(policy), policy.inputs, pairs,
                                     policy.from + row * policy.inputs, pair_values_.data());
      for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
        logits[pairs[pair] % advantages_] +=
            share_of(pass.batch, at, pair) * (pair_values_[pair] + pass.bias(policy)[pairs[pair]]);
      }
      const std::span<const float> target = pass.batch.outcomes(at);
      const auto weight = static_cast<Real>(pass.batch.weight(at));
      pass.losses.value +=
          weight * cross_entropy_of_row(
                       HostGroup{}, logits, value.outputs, [&](std::size_t i) { return target[i]; },
                       pass.value_share * weight);
      ++row;
    }
  }
  void learn_advantages(const Pass& pass, const Step& step, std::size_t row) {
    const std::size_t at = pass.batch_row(row);
    const Real* const d_logits = steps_.back().to + pass.chosen[row] * advantages_;
    const std::span<const std::uint16_t> pairs = pairs_of(pass.batch, at);
    for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
      pair_values_[pair] = share_of(pass.batch, at, pair) * d_logits[pairs[pair] % advantages_];
    }
    learn_pairs(pass, step, row, pairs);
  }
  /// What the advantage of a pair counts: the target of its action minus the mean's share.
  Real share_of(const TrainBatch& batch, std::size_t row, std::size_t pair) const {
    const std::span<const float> targets = batch.targets_of(row);
    return static_cast<Real>(targets[pair_action_[pair]]) -
           Real{1} / static_cast<Real>(targets.size());
  }

  /// Lists the (action, logit) pairs of a row, of a dueling network (action, advantage); actions
  /// are numbered from the row's first.
  std::span<const std::uint16_t> pairs_of(const TrainBatch& batch, std::size_t row) {
    const std::span<const std::uint16_t> logits = batch.logits_of(row);
    const std::size_t each = batch.shape().logits_per_action;
    assert(logits.size() <= batch.shape().max_legal * each);
    const std::size_t advantages = std::max<std::size_t>(1, advantages_);
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      if (logits[i] == kNoLogit) continue;
      for (std::size_t k = 0; k < advantages; ++k) {
        pair_logit_[pairs] = static_cast<std::uint16_t>(logits[i] * advantages + k);
        pair_action_[pairs++] = static_cast<std::uint32_t>(i / each);
      }
    }
    return {pair_logit_.data(), pairs};
  }

  std::size_t group_rows_;
  std::size_t fork_, policy_, outcomes_, advantages_, fork_size_;  // see LayerPlan
  std::vector<AlignedVector<Real>> memory_;                        // of values and gradients
  std::vector<Step> steps_;                                        // one per layer
  struct {
    Real *values, *gradient;           // [rows, size of the fork]
  } fork_rows_{}, chosen_rows_{};      // all rows, and those with a policy target
  std::vector<std::uint32_t> chosen_;  // row numbers of chosen_rows_ in the pass

  AlignedVector<Real> transposed_, d_transposed_;  // of the first layer, unless by feature
  std::deque<Dense> dense_;                        // of the other Linears
  AlignedVector<Real> d_outputs_;                  // [outputs, rows], of the current Linear
  PackedMatrix<Real> packed_inputs_;               // of the current Linear
  AlignedVector<Real> values_;                     // of a row's features
  AlignedVector<Real> action_logits_;              // [actions of a row], then their gradients
  AlignedVector<Real> pair_values_;                // [pairs of a row], logits, then their gradients
  std::vector<std::uint16_t> pair_logit_;   // the logit of each (action, logit) pair of a row
  std::vector<std::uint32_t> pair_action_;  // and its action
};

}  // namespace senet
