// The evaluators that need no library: fused kernels, the reference, and a hash in place of a
// network.
#pragma once

#include <optional>
#include <type_traits>
#include <vector>

#include "nn/evaluator.hpp"
#include "nn/layer_plan.hpp"

namespace senet {

/// Runs the shared packed weights in its own scratch; see Packed. Its memory does not depend on the
/// batch size.
template <class Product>
class PackedEvaluator final : public Evaluator {
 public:
  /// The weights and `heap` outlive the evaluator.
  explicit PackedEvaluator(const Weights& weights, Heap& heap = default_heap())
      : network_(&weights.packed<Product>()),
        scratch_(weights.spec(), heap, EvaluatorScratch::block_rows(weights.spec(), kWeightBytes)) {
  }
  /// Memory of an evaluator.
  static std::size_t bytes(const LayerPlan& plan) {
    return sizeof(PackedEvaluator) - sizeof(EvaluatorScratch) +
           EvaluatorScratch::bytes(plan, EvaluatorScratch::block_rows(plan, kWeightBytes));
  }

  using Evaluator::forward;
  std::string_view name() const override {
    if (network_->kernels().fma) return kBytes ? "int8-fma" : "fused-fma";
    return kBytes ? "int8-plain" : "fused-plain";
  }
  void load(const Weights& weights) override { network_ = &weights.packed<Product>(); }
  void forward(Batch& batch, std::size_t first, std::size_t last) override {
    network_->forward(batch, first, last, scratch_);
  }

 private:
  static constexpr bool kBytes = std::is_same_v<Product, ByteProduct>;
  static constexpr std::size_t kWeightBytes = kBytes ? 1 : sizeof(float);

  const Packed<Product>* network_;
  EvaluatorScratch scratch_;
};
using FusedEvaluator = PackedEvaluator<PanelProduct>;
using ByteEvaluator = PackedEvaluator<ByteProduct>;

/// The reference for every other evaluator: plain loops in double precision, written to be read as
/// the specification of the layers. Slow. Owns a copy of the parameters.
class ReferenceEvaluator : public Evaluator {
 public:
  explicit ReferenceEvaluator(const Weights& weights)
      : ReferenceEvaluator(weights.spec(), weights.network().parameters()) {
    loaded_ = weights.id();
  }
  /// The same for any plan, with [plan.parameters] f32.
  ReferenceEvaluator(LayerPlan plan, std::span<const float> parameters);
  /// Memory of an evaluator, to within a few hundred bytes per layer.
  static std::size_t bytes(const LayerPlan& plan);

  using Evaluator::forward;
  std::string_view name() const override { return "reference"; }
  void load(const Weights& weights) override;
  void forward(Batch& batch, std::size_t first, std::size_t last) override;

 private:
  void run(const Layer& layer);

  LayerPlan plan_;
  std::vector<float> parameters_;
  std::optional<std::uint64_t> loaded_;      // id of the loaded weights
  std::vector<std::vector<double>> values_;  // values of one row, by value index
};

/// No network: every answer consists of bits of a hash of the row. The same on every machine,
/// because it uses integer arithmetic; floats are made from integers, exactly or by one correctly
/// rounded division. For tests, search signatures and measurements of everything except the
/// network. Neither the order of the features nor the weights matter.
///
///   logits    multiples of 2^-13 in [-4, 4)
///   outcomes  proportional to 16-bit integers above zero
class HashEvaluator : public Evaluator {
 public:
  using Evaluator::forward;
  std::string_view name() const override { return "hash"; }
  void load(const Weights&) override {}
  void forward(Batch& batch, std::size_t first, std::size_t last) override;
};

}  // namespace senet
