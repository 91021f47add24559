// A network's weights as our kernels want them, and the forward pass through them: sparse input
// layer, fused LayerNorm, only the wanted logits.
#pragma once

#include <cstddef>
#include <vector>

#include "nn/batch.hpp"
#include "nn/evaluator_scratch.hpp"
#include "nn/kernels.hpp"
#include "nn/network.hpp"
#include "nn/network_ends.hpp"
#include "nn/packed_layers.hpp"

namespace senet {

/// Between two calls of load() any number of threads may run it at once, each with a scratch of its
/// own. A row's answers have the same bits whatever range it is in, at every batch size and
/// position, and with every instruction set that has fused multiply-add. Agrees with the reference
/// evaluator to about 1e-6.
class PackedNetwork {
 public:
  /// `kernels` and `heap`, which the weights come from, outlive this.
  explicit PackedNetwork(const Network& network, const Kernels& kernels = best_kernels(),
                         Heap& heap = default_heap());

  /// Memory of one of this shape, to within a few hundred bytes a layer.
  static std::size_t bytes(const NetworkSpec& spec);

  const Kernels& kernels() const { return kernels_; }
  const NetworkSpec& spec() const { return spec_; }

  /// Takes over the weights of a network of the same shape. Allocates nothing.
  void load(const Network& network);

  /// Answers rows [first, last) of the batch, in blocks that fit the near caches. `scratch` was
  /// made for this shape. Allocates nothing.
  void forward(const Batch& batch, std::size_t first, std::size_t last,
               EvaluatorScratch& scratch) const;

 private:
  /// A square Linear and a LayerNorm: in a block the norm comes first, in a head it comes last.
  struct Layer {
    Layer(std::size_t width, Heap& heap) : norm(width, heap), linear(width, width, heap) {}
    PackedNorm norm;
    PanelLinear linear;
  };

  void forward_block(const Batch& batch, std::size_t first, std::size_t rows,
                     EvaluatorScratch& scratch) const;
  void run_blocks(std::size_t rows, EvaluatorScratch& scratch) const;
  /// The hidden layers of a head, from the trunk; returns where its last rows are, [rows, stride].
  const float* run_head(const std::vector<Layer>& layers, std::size_t rows,
                        EvaluatorScratch& scratch) const;
  /// One layer's norm and product. `squares` are those of `in` and of `out`.
  void normalise(const PackedNorm& norm, const float* in, float* out, float* squares,
                 std::size_t rows) const;
  LinearPass pass(const PanelLinear& linear, const float* in, float* out, std::size_t out_stride,
                  float* squares) const;

  const Kernels& kernels_;
  NetworkSpec spec_;
  std::size_t stride_;  // floats of a row of activations

  NetworkEnds ends_;
  std::vector<Layer> blocks_;  // two per residual block
  PackedNorm trunk_norm_;
  std::vector<Layer> policy_, value_;
  PanelLinear policy_out_;  // for rows that want most logits
  OutputMeans means_;       // scratch of load()
};

}  // namespace senet
