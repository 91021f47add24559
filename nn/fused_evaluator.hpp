// The network on our own packed kernels.
#pragma once

#include "nn/evaluator.hpp"
#include "nn/packed_network.hpp"

namespace senet {

/// A packed network and one thread's scratch: see PackedNetwork. Its memory does not grow with the
/// batch.
class FusedEvaluator : public Evaluator {
 public:
  /// `kernels` outlives the evaluator.
  explicit FusedEvaluator(const Network& network, const Kernels& kernels = best_kernels())
      : network_(network, kernels), scratch_(network.spec()) {}

  std::string_view name() const override {
    return network_.kernels().fma ? "fused-fma" : "fused-plain";
  }
  void load(const Network& network) override { network_.load(network.parameters()); }
  void forward(const Batch& batch) override { network_.forward(batch, 0, batch.size(), scratch_); }

 private:
  PackedNetwork network_;
  EvaluatorScratch scratch_;
};

}  // namespace senet
