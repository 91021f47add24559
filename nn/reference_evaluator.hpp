// The network in plain loops and double precision: what every other evaluator is measured against.
#pragma once

#include <optional>
#include <vector>

#include "nn/evaluator.hpp"
#include "nn/layer_plan.hpp"

namespace senet {

/// The specification of the layers as code, written to be read. Slow. Owns a copy of the
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

}  // namespace senet
