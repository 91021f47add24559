// The network with oneDNN's matrix products and our own passes between them: the portable fast
// evaluator.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "nn/evaluator.hpp"
#include "nn/onednn_product.hpp"

namespace senet {

/// One set of compiled products for each batch rung 1, 2, 4 ... max_rows; a batch runs on the
/// smallest rung that holds it, or always on the largest one (`exact`). oneDNN itself allocates a
/// few small blocks for every product that it executes and gives them back.
class OneDnnEvaluator : public Evaluator {
 public:
  /// Of any plan; has to be loaded before it answers. Fails when oneDNN does: the reason is its
  /// own.
  static Result<std::unique_ptr<OneDnnEvaluator>> make(const LayerPlan& plan, std::size_t max_rows,
                                                       bool exact);

  using Evaluator::forward;
  std::string_view name() const override { return "onednn"; }
  void load(const Weights& weights) override;
  /// The same from [plan.parameters] f32.
  void load(std::span<const float> parameters);
  void forward(const Batch& batch, std::size_t first, std::size_t last) override;

 private:
  OneDnnEvaluator(const LayerPlan& plan, std::size_t max_rows, bool exact);

  const Kernels& kernels_;
  EvaluatorScratch scratch_;
  OneDnnContext context_;
  LayerSteps<OneDnnLinear> steps_;
  std::optional<std::uint64_t> loaded_;  // id of the weights
};

}  // namespace senet
