// A network's weights as our kernels want them, and the forward pass through them: sparse input
// layer, fused LayerNorm, only the wanted logits.
#pragma once

#include <cstddef>
#include <span>

#include "nn/layer_steps.hpp"
#include "nn/network.hpp"

namespace senet {

/// A product of our own kernels.
class PanelProduct {
 public:
  PanelProduct(const PlacedLayer& layer, Heap& heap) : layer_(layer), linear_(layer, heap) {}
  static std::size_t bytes(const Layer& layer) { return PackedLinear<Panels>::bytes(layer); }
  void load(PackSource& source) { linear_.load(layer_, source); }
  void run(const BlockPass& pass) const;
  const float* logits(const BlockPass& pass, std::size_t row, std::size_t count,
                      bool is_first) const;

 private:
  PlacedLayer layer_;
  PackedLinear<Panels> linear_;
};

/// Between two calls of load() any number of threads may run it at once, each with a scratch of its
/// own. A row's answers have the same bits whatever range it is in, at every batch size and
/// position, and with every instruction set that has fused multiply-add. Agrees with the reference
/// evaluator to about 1e-6.
class PackedNetwork {
 public:
  /// `kernels` and `heap`, which the weights come from, outlive this.
  explicit PackedNetwork(const Network& network, const Kernels& kernels = best_kernels(),
                         Heap& heap = default_heap())
      : PackedNetwork(network.spec(), network.parameters(), kernels, heap) {}
  /// The same of any plan, with [plan.parameters] f32.
  PackedNetwork(const LayerPlan& plan, std::span<const float> parameters,
                const Kernels& kernels = best_kernels(), Heap& heap = default_heap());

  /// Memory of one of this shape, to within a few hundred bytes a layer.
  static std::size_t bytes(const LayerPlan& plan) {
    return sizeof(PackedNetwork) + LayerSteps<PanelProduct>::bytes(plan);
  }

  const Kernels& kernels() const { return kernels_; }

  /// Takes over the parameters of a network of the same shape. Allocates nothing.
  void load(std::span<const float> parameters) { steps_.load(parameters); }

  /// Answers rows [first, last) of the batch, in blocks that fit the near caches. `scratch` was
  /// made for this shape. Allocates nothing.
  void forward(const Batch& batch, std::size_t first, std::size_t last,
               EvaluatorScratch& scratch) const;

 private:
  const Kernels& kernels_;
  LayerSteps<PanelProduct> steps_;
};

}  // namespace senet
