// The network in plain loops and double precision: what every other evaluator is measured against.
#pragma once

#include <vector>

#include "nn/evaluator.hpp"
#include "nn/layer_plan.hpp"

namespace senet {

/// The specification of the layers as code, written to be read. Slow. Owns a copy of the
/// parameters.
class ReferenceEvaluator : public Evaluator {
 public:
  explicit ReferenceEvaluator(const Network& network)
      : ReferenceEvaluator(network.spec(), network.parameters()) {}
  /// The same of any plan, with [plan.parameters] f32.
  ReferenceEvaluator(LayerPlan plan, std::span<const float> parameters);

  std::string_view name() const override { return "reference"; }
  void load(const Network& network) override;
  void forward(const Batch& batch) override;

 private:
  void run(const Layer& layer);

  LayerPlan plan_;
  std::vector<float> parameters_;
  std::vector<std::vector<double>> values_;  // of one row, by the plan's numbers
};

}  // namespace senet
