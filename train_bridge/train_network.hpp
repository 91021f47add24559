// A network in training: the loss of a batch and its gradient, by hand-written forward and backward
// passes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "nn/network_spec.hpp"
#include "train_bridge/thread_team.hpp"
#include "train_bridge/train_batch.hpp"
#include "train_bridge/train_heads.hpp"
#include "train_bridge/train_layers.hpp"

namespace senet {

/// Mean cross entropies of a batch in nats, each over the rows that have the target; 0 where none
/// has.
struct Losses {
  double policy = 0;
  double value = 0;
};

/// What the two losses count in the gradient.
struct LossWeights {
  double policy = 1;
  double value = 1;
};

/// Computes gradients for networks of one spec and batches of one shape, in float or (to check the
/// float one) in double. Keeps no weights. Belongs to one thread at a time; allocates only when
/// constructed.
///
/// Rows pass in groups small enough for the activations to stay in the processor's cache, each
/// group forward and backward; the gradients add up. Memory does not grow with the batch.
template <class Real>
class TrainNetwork {
 public:
  TrainNetwork(const NetworkSpec& spec, const TrainBatch::Shape& shape);
  TrainNetwork(const TrainNetwork&) = delete;
  TrainNetwork& operator=(const TrainNetwork&) = delete;

  /// Losses of `batch` under `parameters`; writes to `gradient` the gradient of
  ///   weights.policy * losses.policy + weights.value * losses.value.
  /// Both blocks are laid out by parameter_layout(spec). batch.size() >= 1. Values that are not
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
  struct Block {
    NormLayer<Real> norm1;
    LinearLayer<Real> linear1;
    NormLayer<Real> norm2;
    LinearLayer<Real> linear2;
  };

  const Real* trunk_forward(const Pass<Real>& pass, const TrainBatch& batch, std::size_t first);
  void trunk_backward(const Pass<Real>& pass, const TrainBatch& batch, std::size_t first,
                      Real* d_trunk);
  const NormLayer<Real>& norm_after(std::size_t block) const {
    return block + 1 < blocks_.size() ? blocks_[block + 1].norm1 : trunk_norm_;
  }

  ScratchPool<Real> scratch_;
  LayerPlan<Real> plan_;
  SparseInputLayer<Real> input_;
  NormLayer<Real> input_norm_;
  std::vector<Block> blocks_;
  NormLayer<Real> trunk_norm_;
  PolicyHead<Real> policy_;
  ValueHead<Real> value_;
  ScratchPiece d_trunk_, work_, spare_;  // [rows, width]
};

}  // namespace senet
