// The network on our own packed kernels: sparse input layer, fused LayerNorm, only the wanted
// logits.
#pragma once

#include <string>
#include <vector>

#include "nn/evaluator.hpp"
#include "nn/kernels.hpp"
#include "nn/network_ends.hpp"
#include "nn/packed_layers.hpp"

namespace senet {

/// Memory of an evaluator of this shape, to within a few hundred bytes a layer.
std::size_t fused_evaluator_bytes(const NetworkSpec& spec);

/// A row's answers have the same bits at every batch size and position, and with every instruction
/// set that has fused multiply-add. Works on blocks of rows that fit the near caches, so its
/// scratch memory does not grow with the batch. Agrees with the reference evaluator to about 1e-6.
class FusedEvaluator : public Evaluator {
 public:
  /// `kernels` outlives the evaluator. Weights and activations come from `heap`.
  explicit FusedEvaluator(const Network& network, const Kernels& kernels = best_kernels(),
                          Heap& heap = default_heap());

  std::string_view name() const override { return kernels_.fma ? "fused-fma" : "fused-plain"; }
  void load(const Network& network) override;
  void forward(const Batch& batch) override;

 private:
  /// A square Linear and a LayerNorm: in a block the norm comes first, in a head it comes last.
  struct Layer {
    Layer(std::size_t width, Heap& heap) : norm(width, heap), linear(width, width, heap) {}
    PackedNorm norm;
    PanelLinear linear;
  };

  void forward_rows(const Batch& batch, std::size_t first, std::size_t rows);
  void run_blocks(std::size_t rows);
  /// The hidden layers of a head, from the trunk; returns where its last rows are, [rows, stride].
  const float* run_head(const std::vector<Layer>& layers, std::size_t rows);
  void normalise(const PackedNorm& norm, const float* in, float* out, std::size_t rows);
  LinearPass pass(const PanelLinear& linear, const float* in, float* out, std::size_t out_stride);

  const Kernels& kernels_;
  NetworkSpec spec_;
  std::size_t stride_;  // floats of a row of activations

  NetworkEnds ends_;
  std::vector<Layer> blocks_;  // two per residual block
  PackedNorm trunk_norm_;
  std::vector<Layer> policy_, value_;
  PanelLinear policy_out_;  // for rows that want most logits
  OutputMeans means_;       // scratch of load()

  AlignedFloats trunk_, hidden_, scratch_;  // [kBlockRows, stride] each
  AlignedFloats squares_;                   // [kBlockRows, kPanel]
  AlignedFloats logits_;                    // [kBlockRows, padded(policy_logits)]
};

}  // namespace senet
