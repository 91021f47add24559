// The network with oneDNN's matrix products and our own passes between them: the portable fast
// evaluator.
#pragma once

#include <array>
#include <cstddef>
#include <dnnl.hpp>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "nn/evaluator.hpp"
#include "nn/layer_steps.hpp"

namespace senet {

/// What the products of an evaluator share.
struct OneDnnContext {
  /// `row_counts`: ascending.
  OneDnnContext(const LayerPlan& plan, std::span<const std::size_t> row_counts,
                EvaluatorScratch& bound_to);

  /// Where weights come from that are not oneDNN's.
  operator Heap&() const { return default_heap(); }

  dnnl::engine engine;
  dnnl::stream stream;
  std::vector<std::size_t> rungs;  // numbers of rows that there are products for
  EvaluatorScratch& scratch;       // whose memory these are bound to
  AlignedFloats staging;           // [padded outputs, padded inputs] of one Linear, for load()
};

/// A Linear as a product for each rung, bound to its memory up front. The weights are packed once
/// for each different layout that the products want. The constructor throws dnnl::error.
class OneDnnLinear {
 public:
  OneDnnLinear(const PlacedLayer& layer, OneDnnContext& context);
  void load(PackSource& source);
  void run(const BlockPass& pass) const;
  const float* logits(const BlockPass& pass, std::size_t row, std::size_t count,
                      bool is_first) const;

 private:
  /// Weights in one of the layouts.
  struct Version {
    dnnl::memory memory;
    dnnl::reorder reorder;  // from the staging
    dnnl::memory staging;
  };
  /// A compiled product out (+)= in * weights + bias for a fixed number of rows.
  struct Product {
    dnnl::primitive primitive;
    std::array<dnnl::memory, 4> memories;  // owners of the handles in `arguments`
    std::array<dnnl_exec_arg_t, 4> arguments;
  };
  void add_product(std::size_t rows);
  template <class Primitive, class Description>
  void add_product(const Description& compiled, const dnnl::memory::desc& plain_weights);
  const dnnl::memory& packed_for(const dnnl::memory::desc& weights,
                                 const dnnl::memory::desc& plain_weights);
  void multiply(const BlockPass& pass) const;

  PlacedLayer layer_;
  OneDnnContext* context_;
  AlignedFloats bias_;
  std::vector<Version> versions_;
  std::vector<Product> products_;  // by rung
};

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
