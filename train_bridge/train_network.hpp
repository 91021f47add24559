// A network in training: the loss of a batch and its gradient, by hand-written forward and backward
// passes.
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

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
  TrainNetwork(const LayerPlan& plan, const TrainBatch::Shape& shape);
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
                  LossWeights weights, std::span<Real> gradient);

  /// Bytes of activations and other scratch memory.
  std::size_t scratch_bytes() const { return scratch_.bytes(); }

 private:
  using Kind = std::variant<SparseInputLayer<Real>, LinearLayer<Real>, NormLayer<Real>,
                            OutcomesLayer<Real>, PolicyLayer<Real>>;
  struct Rows {
    ScratchPiece values, gradient;  // [rows, size of the fork]
  };

  /// Plans the memory of values and gradients.
  std::vector<TrainLayer> place_layers(const LayerPlan& plan);
  /// Layers [begin, end), there and back.
  void forward(const Pass<Real>& pass, std::size_t begin, std::size_t end);
  void backward(const Pass<Real>& pass, std::size_t begin, std::size_t end);
  /// The policy's layers, which only rows with a policy target pass.
  void learn_policy(Pass<Real> pass);

  ScratchPool<Real> scratch_;
  std::size_t group_rows_;
  std::size_t fork_, policy_, fork_size_;  // see LayerPlan
  Rows fork_rows_, chosen_rows_;           // all, and those with a policy target
  std::vector<std::uint32_t> chosen_;      // which rows of the pass these are
  std::vector<Kind> layers_;
};

}  // namespace senet
