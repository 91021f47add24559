// The network in plain loops and double precision: what every other evaluator is measured against.
#pragma once

#include <vector>

#include "nn/evaluator.hpp"

namespace senet {

/// The specification of the network as code, written to be read. Slow. Owns a copy of the
/// parameters.
class ReferenceEvaluator : public Evaluator {
 public:
  explicit ReferenceEvaluator(const Weights& weights);
  /// Memory of one.
  static std::size_t bytes(const NetworkSpec& spec);

  using Evaluator::forward;
  std::string_view name() const override { return "reference"; }
  void load(const Weights& weights) override;
  void forward(const Batch& batch, std::size_t first, std::size_t last) override;

 private:
  void forward_row(const Batch& batch, std::size_t row);

  NetworkSpec spec_;
  std::uint64_t loaded_;  // id of the weights
  std::vector<float> parameters_;
  std::vector<double> features_;  // [features]
  std::vector<double> trunk_;     // [width], the residual stream
  std::vector<double> hidden_;    // [width]
  std::vector<double> scratch_;   // [width]
  std::vector<double> logits_;    // [policy_logits]
  std::vector<double> outcomes_;  // [outcomes]
};

}  // namespace senet
