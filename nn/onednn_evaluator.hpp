// The network with oneDNN's matrix products and our own passes between them: a portable fast
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

/// The state that the products of one evaluator share.
struct OneDnnContext {
  /// `row_counts` must be ascending.
  OneDnnContext(const LayerPlan& plan, std::span<const std::size_t> row_counts,
                EvaluatorScratch& bound_to);

  /// The heap for weights that oneDNN does not own.
  operator Heap&() const { return default_heap(); }

  dnnl::engine engine;
  dnnl::stream stream;
  std::vector<std::size_t> batch_sizes;  // row counts that have compiled products
  EvaluatorScratch& scratch;             // the products are bound to its memory
  AlignedFloats staging;  // [padded outputs, padded inputs] of one Linear, for load()
};

/// A Linear as one product per batch size, bound to its memory in advance. Weights are packed once
/// for each distinct layout that the products require. The constructor throws dnnl::error.
class OneDnnLinear {
 public:
  using Entries = FloatEntries;

  OneDnnLinear(const PlacedLayer& layer, OneDnnContext& context);
  void load(PackSource& source);
  void run(const BlockPass& pass) const;
  const float* logits(const BlockPass& pass, std::size_t row, std::size_t count,
                      bool is_first) const;

 private:
  /// Weights in one of the layouts.
  struct Version {
    dnnl::memory memory;
    dnnl::reorder reorder;  // from `staging`
    dnnl::memory staging;
  };
  /// A compiled product out (+)= in * weights + bias for a fixed number of rows.
  struct Product {
    dnnl::primitive primitive;
    std::array<dnnl::memory, 4> memories;  // own the handles in `arguments`
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
  std::vector<Product> products_;  // by batch size
};

/// One set of compiled products for each batch size 1, 2, 4 ... max_rows. A batch runs on the
/// smallest that holds it, or always on the largest one (`exact`). oneDNN itself allocates and
/// frees a few small blocks per executed product.
class OneDnnEvaluator : public Evaluator {
 public:
  /// An evaluator of any plan; call load() before forward(). Fails if oneDNN does, with oneDNN's
  /// reason.
  static Result<std::unique_ptr<OneDnnEvaluator>> make(const LayerPlan& plan, std::size_t max_rows,
                                                       bool exact);

  using Evaluator::forward;
  std::string_view name() const override { return "onednn"; }
  void load(const Weights& weights) override;
  /// The same from [plan.parameters] f32.
  void load(std::span<const float> parameters);
  void forward(Batch& batch, std::size_t first, std::size_t last) override;

 private:
  OneDnnEvaluator(const LayerPlan& plan, std::size_t max_rows, bool exact);

  const Kernels& kernels_;
  EvaluatorScratch scratch_;
  OneDnnContext context_;
  LayerSteps<OneDnnLinear> steps_;
  std::optional<std::uint64_t> loaded_;  // id of the loaded weights
};

}  // namespace senet
