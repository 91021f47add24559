// The network with oneDNN's matrix products and our own passes between them: the portable fast
// evaluator.
#pragma once

#include <memory>
#include <span>

#include "nn/evaluator.hpp"
#include "nn/onednn_product.hpp"

namespace senet {

/// One set of compiled products for each batch rung 1, 2, 4 ... max_rows; a batch runs on the
/// smallest rung that holds it, or always on the largest one (`exact`). oneDNN itself allocates a
/// few small blocks for every product that it executes and gives them back.
class OneDnnEvaluator : public Evaluator {
 public:
  /// Fails when oneDNN does: the reason is its own.
  static Result<std::unique_ptr<Evaluator>> make(const Network& network, std::size_t max_rows,
                                                 bool exact) {
    return make(network.spec(), network.parameters(), max_rows, exact);
  }
  /// The same of any plan, with [plan.parameters] f32.
  static Result<std::unique_ptr<Evaluator>> make(const LayerPlan& plan,
                                                 std::span<const float> parameters,
                                                 std::size_t max_rows, bool exact);

  std::string_view name() const override { return "onednn"; }
  void load(const Network& network) override { load(network.parameters()); }
  void forward(const Batch& batch) override;

 private:
  OneDnnEvaluator(const LayerPlan& plan, std::span<const float> parameters, std::size_t max_rows,
                  bool exact);
  void load(std::span<const float> parameters);

  const Kernels& kernels_;
  EvaluatorScratch scratch_;
  OneDnnContext context_;
  LayerSteps<OneDnnLinear> steps_;
};

}  // namespace senet
