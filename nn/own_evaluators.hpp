// The evaluators that need no library: fused kernels, plain loops to compare with, and one without
// a network's cost.
#pragma once

#include <optional>
#include <vector>

#include "nn/evaluator.hpp"
#include "nn/layer_plan.hpp"

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

/// The network in plain loops and double precision, which every other evaluator is measured
/// against: the specification of the layers as code, written to be read. Slow. Owns a copy of the
/// parameters.
class ReferenceEvaluator : public Evaluator {
 public:
  explicit ReferenceEvaluator(const Weights& weights)
      : ReferenceEvaluator(weights.spec(), weights.network().parameters()) {
    loaded_ = weights.id();
  }
  /// The same of any plan, with [plan.parameters] f32.
  ReferenceEvaluator(LayerPlan plan, std::span<const float> parameters);
  /// Memory of one, to within a few hundred bytes a layer.
  static std::size_t bytes(const LayerPlan& plan);

  using Evaluator::forward;
  std::string_view name() const override { return "reference"; }
  void load(const Weights& weights) override;
  void forward(const Batch& batch, std::size_t first, std::size_t last) override;

 private:
  void run(const Layer& layer);

  LayerPlan plan_;
  std::vector<float> parameters_;
  std::optional<std::uint64_t> loaded_;      // id of the weights
  std::vector<std::vector<double>> values_;  // of one row, by the plan's numbers
};

/// No network at all: every answer is made of the bits of a hash of the row. Deterministic on every
/// machine: integer arithmetic, and floats made from integers exactly (or by
/// one correctly rounded division). For tests, signatures of the search and measuring everything
/// but the network. The same features in any order give the same answers; the weights do not
/// matter.
///
///   logits    multiples of 2^-13 in [-4, 4)
///   outcomes  proportional to 16-bit integers above zero
class HashEvaluator : public Evaluator {
 public:
  using Evaluator::forward;
  std::string_view name() const override { return "hash"; }
  void load(const Weights&) override {}
  void forward(const Batch& batch, std::size_t first, std::size_t last) override;
};

}  // namespace senet
