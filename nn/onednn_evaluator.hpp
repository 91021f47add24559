// The network with oneDNN's matrix products and our own passes between them: the portable fast
// evaluator.
#pragma once

#include <array>
#include <dnnl.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "nn/evaluator.hpp"
#include "nn/kernels.hpp"
#include "nn/network_ends.hpp"
#include "nn/onednn_product.hpp"
#include "nn/packed_layers.hpp"

namespace senet {

/// One set of compiled products for each batch rung 1, 2, 4 ... max_rows; a batch runs on the
/// smallest rung that holds it, or always on the largest one (`exact`). Products are bound to their
/// memory up front. oneDNN itself allocates a few small blocks for every product that it executes
/// and gives them back.
class OneDnnEvaluator : public Evaluator {
 public:
  /// Throws dnnl::error; see make_onednn.
  OneDnnEvaluator(const Weights& weights, std::size_t max_rows, bool exact);

  using Evaluator::forward;
  std::string_view name() const override { return "onednn"; }
  void load(const Weights& weights) override;
  void forward(const Batch& batch, std::size_t first, std::size_t last) override;

 private:
  /// Weights in one of the layouts that the rungs' products want.
  struct PackedWeights {
    dnnl::memory memory;
    dnnl::reorder reorder;  // from staging_
    dnnl::memory staging;
  };
  /// A Linear, packed once for each different layout.
  struct Layer {
    std::size_t outputs = 0;  // unpadded
    Into into = Into::kReplace;
    AlignedFloats bias;  // [padded outputs]
    std::vector<PackedWeights> versions;
  };
  /// A product bound to a layer and its rows.
  struct Step {
    OneDnnProduct product;
    std::array<dnnl::memory, 4> memories;  // owners of the handles in `arguments`
    std::array<dnnl_exec_arg_t, 4> arguments;
  };
  /// Everything compiled for one number of rows: a step for each layer.
  struct Rung {
    std::size_t rows = 0;
    std::vector<Step> steps;
  };

  void add_layer(std::size_t outputs, Into into);
  void add_rung(std::size_t rows);
  Step make_step(Layer& layer, std::size_t rows, float* in, float* out);
  const dnnl::memory& packed_for(Layer& layer, const OneDnnProduct& product);
  void load_layer(Layer& layer, const LinearView& linear);
  void run(const Rung& rung, std::size_t layer);
  void normalise(const PackedNorm& norm, const float* in, float* out, std::size_t rows);
  /// A head's hidden layers, the first of which is `layer`, from the trunk; returns where the last
  /// rows are.
  const float* run_head(const Rung& rung, std::size_t layer, const std::vector<PackedNorm>& norms,
                        std::size_t rows);

  const Kernels& kernels_;
  NetworkSpec spec_;
  std::size_t stride_;  // floats of a row of activations
  std::size_t max_rows_;
  std::optional<std::uint64_t> loaded_;                  // id of the weights
  std::size_t first_policy_, policy_out_, first_value_;  // numbers of layers

  NetworkEnds ends_;
  std::vector<PackedNorm> block_norms_;  // two per residual block
  PackedNorm trunk_norm_;
  std::vector<PackedNorm> policy_norms_, value_norms_;
  OutputMeans means_;  // scratch of load()

  AlignedFloats trunk_, hidden_, scratch_;  // [max_rows, stride] each
  AlignedFloats squares_;                   // [max_rows, kPanel]
  AlignedFloats logits_;                    // [max_rows, padded(policy_logits)]
  EndsScratch ends_scratch_;
  AlignedFloats staging_;  // one Linear's weights, padded: scratch of load()

  dnnl::engine engine_;
  dnnl::stream stream_;
  std::vector<Layer> layers_;  // blocks, policy, policy out, value
  std::vector<Rung> rungs_;    // ascending
};

}  // namespace senet
