// A network in training: the loss of a batch and its gradient, by hand-written forward and backward
// passes.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "train_bridge/gradient_plan.hpp"
#include "train_bridge/row_kernels.hpp"
#include "train_bridge/thread_team.hpp"
#include "train_bridge/train_layers.hpp"

namespace senet {

/// What the two losses count in the gradient.
struct LossWeights {
  double policy = 1;
  double value = 1;
};

/// Computes gradients for networks of one plan and batches of one shape, in float or (to check the
/// float one) in double. Keeps no weights. Belongs to one thread at a time; allocates only when
/// constructed.
///
/// Rows pass in groups small enough for the activations to stay in the processor's cache, each
/// group forward and backward; the gradients add up. Memory does not grow with the batch.
template <class Real>
class TrainNetwork {
 public:
  TrainNetwork(const LayerPlan& plan, const TrainBatch::Shape& shape)
      : group_rows_(std::min(shape.rows, kGroupRows)),
        fork_(plan.fork),
        policy_(plan.policy),
        fork_size_(plan.size_of(plan.fork)),
        chosen_(group_rows_) {
    const ScratchPlan<Real> memory{scratch_, group_rows_, shape};
    const auto make = [&](const TrainLayer& layer) -> Kind {
      if (layer.kind == LayerKind::kNormRelu) return NormLayer<Real>(layer, memory);
      if (layer.in == kFeatures) return SparseInputLayer<Real>(layer, memory);
      if (layer.out == plan.policy) return PolicyLayer<Real>(layer, memory);
      if (layer.out == plan.outcomes) return OutcomesLayer<Real>(layer);
      return LinearLayer<Real>(layer);
    };
    for (const TrainLayer& layer : place_layers(plan)) layers_.push_back(make(layer));
    scratch_.allocate();
  }
  TrainNetwork(const TrainNetwork&) = delete;
  TrainNetwork& operator=(const TrainNetwork&) = delete;

  /// Losses of `batch` under `parameters`; writes to `gradient` the gradient of
  ///   weights.policy * losses.policy + weights.value * losses.value.
  /// Both blocks are laid out by the plan. batch.size() >= 1. Values that are not
  /// finite pass through to the gradient.
  Losses gradient(std::span<const Real> parameters, const TrainBatch& batch, LossWeights weights,
                  std::span<Real> gradient) {
    return this->gradient(parameters, batch, {0, batch.size()}, weights, gradient);
  }

  /// What the given rows contribute to the batch's losses and gradient: over shares that make up
  /// the batch, both add up to those above.
  Losses gradient(std::span<const Real> parameters, const TrainBatch& batch, Share rows,
                  LossWeights weights, std::span<Real> gradient) {
    assert(batch.size() >= 1 && rows.end <= batch.size());
    const std::size_t policy_rows = rows_with_policy(batch);
    std::fill(gradient.begin(), gradient.end(), Real{0});
    Losses losses;
    Pass<Real> pass{
        .parameters = parameters.data(),
        .gradient = gradient.data(),
        .scratch = &scratch_,
        .batch = &batch,
        .policy_share = policy_rows == 0
                            ? Real{0}
                            : static_cast<Real>(weights.policy) / static_cast<Real>(policy_rows),
        .value_share = static_cast<Real>(weights.value) / static_cast<Real>(batch.size()),
        .losses = &losses};
    const auto begin_step = [&](auto& layer) {
      if constexpr (requires { layer.begin_step(pass); }) layer.begin_step(pass);
    };
    const auto end_step = [&](auto& layer) {
      if constexpr (requires { layer.end_step(pass); }) layer.end_step(pass);
    };
    for (Kind& kind : layers_) std::visit(begin_step, kind);
    for (pass.first = rows.begin; pass.first < rows.end; pass.first += pass.rows) {
      pass.rows = std::min(group_rows_, rows.end - pass.first);
      forward(pass, 0, fork_);
      forward(pass, policy_, layers_.size());
      backward(pass, policy_, layers_.size());
      learn_policy(pass);
      backward(pass, 0, fork_);
    }
    for (Kind& kind : layers_) std::visit(end_step, kind);

    losses.value /= static_cast<double>(batch.size());
    if (policy_rows > 0) losses.policy /= static_cast<double>(policy_rows);
    return losses;
  }

 private:
  // Rows of one pass. Enough for matrix products at full speed; few enough for a 128 wide network's
  // activations (about 11 KB a row) to stay in a cache of one or two megabytes.
  static constexpr std::size_t kGroupRows = 128;

  static std::size_t rows_with_policy(const TrainBatch& batch) {
    std::size_t rows = 0;
    for (std::size_t row = 0; row < batch.size(); ++row) {
      rows += batch.targets_of(row).empty() ? 0 : 1;
    }
    return rows;
  }

  using Kind = std::variant<SparseInputLayer<Real>, LinearLayer<Real>, NormLayer<Real>,
                            OutcomesLayer<Real>, PolicyLayer<Real>>;
  struct Rows {
    ScratchPiece values, gradient;  // [rows, size of the fork]
  };

  /// Plans the memory of values and gradients.
  std::vector<TrainLayer> place_layers(const LayerPlan& plan) {
    const GradientPlan gradients(
        plan, {.norms_in_place = true, .policy_apart = true, .outcomes_beside = false});
    const auto reserve = [&](std::size_t size) { return scratch_.reserve(group_rows_ * size); };
    std::vector<ScratchPiece> values{{}}, shared;
    for (const Layer& layer : plan.layers) {
      values.push_back(layer.out == plan.policy ? ScratchPiece{} : reserve(layer.outputs));
    }
    while (shared.size() < gradients.buffers) shared.push_back(reserve(plan.widest()));
    fork_rows_ = {values[plan.fork], shared[gradients.d_fork]};
    chosen_rows_ = {reserve(fork_size_), shared[gradients.d_policy_fork]};

    std::vector<TrainLayer> layers;
    for (const Layer& layer : plan.layers) {
      const GradientPlan::Place& gradient = gradients.layers[layer.out - 1];
      const bool is_chosen = layer.in == plan.fork && layer.out <= plan.policy;
      const auto shared_or = [&](std::size_t number, ScratchPiece other) {
        return number == GradientPlan::kNone ? other : shared[number];
      };
      layers.push_back({layer, is_chosen ? chosen_rows_.values : values[layer.in],
                        layer.added == kNoValue ? ScratchPiece{} : values[layer.added],
                        values[layer.out], shared_or(gradient.d_in, {}),
                        shared_or(gradient.d_out, values[layer.out]), gradient.add});
    }
    return layers;
  }
  /// Layers [begin, end), there and back.
  void forward(const Pass<Real>& pass, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::visit([&](auto& layer) { layer.forward(pass); }, layers_[i]);
    }
  }
  void backward(const Pass<Real>& pass, std::size_t begin, std::size_t end) {
    for (std::size_t i = end; i-- > begin;) {
      std::visit([&](auto& layer) { layer.backward(pass); }, layers_[i]);
    }
  }
  /// The policy's layers, which only rows with a policy target pass.
  void learn_policy(Pass<Real> pass) {
    const std::size_t all = std::exchange(pass.rows, 0), width = fork_size_;
    for (std::size_t row = 0; row < all; ++row) {
      const std::size_t at = pass.first + row;
      if (pass.batch->first_action(at) == pass.batch->first_action(at + 1)) continue;
      std::copy_n(pass.at(fork_rows_.values) + row * width, width,
                  pass.at(chosen_rows_.values) + pass.rows * width);
      chosen_[pass.rows++] = static_cast<std::uint32_t>(row);
    }
    if (pass.rows == 0) return;
    pass.chosen = chosen_.data();
    forward(pass, fork_, policy_);
    backward(pass, fork_, policy_);
    for (std::size_t row = 0; row < pass.rows; ++row) {
      Real* const to = pass.at(fork_rows_.gradient) + chosen_[row] * width;
      RowKernels<Real>::add_row(to, pass.at(chosen_rows_.gradient) + row * width, 1, width, to);
    }
  }

  ScratchPool<Real> scratch_;
  std::size_t group_rows_;
  std::size_t fork_, policy_, fork_size_;  // see LayerPlan
  Rows fork_rows_, chosen_rows_;           // all, and those with a policy target
  std::vector<std::uint32_t> chosen_;      // which rows of the pass these are
  std::vector<Kind> layers_;
};

}  // namespace senet
