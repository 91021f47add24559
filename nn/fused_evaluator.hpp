// The network on our own packed kernels.
#pragma once

#include "nn/evaluator.hpp"

namespace senet {

/// Runs packed weights that it shares with others, in a scratch of its own: see PackedNetwork. Its
/// memory does not grow with the batch.
class FusedEvaluator final : public Evaluator {
 public:
  /// The weights and `heap` outlive the evaluator.
  explicit FusedEvaluator(const Weights& weights, Heap& heap = default_heap())
      : network_(&weights.packed()), scratch_(weights.spec(), heap) {}

  using Evaluator::forward;
  std::string_view name() const override {
    return network_->kernels().fma ? "fused-fma" : "fused-plain";
  }
  void load(const Weights& weights) override { network_ = &weights.packed(); }
  void forward(const Batch& batch, std::size_t first, std::size_t last) override {
    network_->forward(batch, first, last, scratch_);
  }

 private:
  const PackedNetwork* network_;
  EvaluatorScratch scratch_;
};

}  // namespace senet
