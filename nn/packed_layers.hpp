// Linears as the kernels want them: padded to whole panels, cut into panels or transposed, and
// centred.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nn/evaluator_scratch.hpp"
#include "nn/kernels.hpp"

namespace senet {

/// Hands out the parameters of layers that are to be packed. A Linear in front of a LayerNorm,
/// which does not see a row's mean (see kernels.hpp), comes less its mean over the outputs, per
/// input and of the bias.
class PackSource {
 public:
  /// For the layers of this plan.
  explicit PackSource(const LayerPlan& plan) : means_(most_inputs(plan)) {}
  static std::size_t bytes(const LayerPlan& plan) { return most_inputs(plan) * sizeof(double); }

  /// The flat block that parameters come from.
  void use(std::span<const float> block) { block_ = block; }
  LayerParameters parameters(const Layer& layer) const { return {layer, block_}; }

  /// Calls weight(output, input, value) and bias(output, value) with all of a Linear.
  template <class Weight, class Bias>
  void read(const PlacedLayer& layer, Weight&& weight, Bias&& bias) {
    const LayerParameters from = parameters(layer);
    const double share = layer.to_norm ? 1.0 / static_cast<double>(layer.outputs) : 0.0;
    double bias_mean = 0;
    std::ranges::fill(means_, 0.0);
    for (std::size_t output = 0; output < layer.outputs; ++output) {
      const float* const row = &from.weight[output * layer.inputs];
      for (std::size_t i = 0; i < layer.inputs; ++i) means_[i] += share * row[i];
      bias_mean += share * from.bias[output];
    }
    for (std::size_t output = 0; output < layer.outputs; ++output) {
      const float* const row = &from.weight[output * layer.inputs];
      for (std::size_t i = 0; i < layer.inputs; ++i) {
        weight(output, i, static_cast<float>(row[i] - means_[i]));
      }
      bias(output, static_cast<float>(from.bias[output] - bias_mean));
    }
  }

 private:
  static std::size_t most_inputs(const LayerPlan& plan) {
    return std::ranges::max_element(plan.layers, {}, &Layer::inputs)->inputs;
  }

  std::span<const float> block_;
  std::vector<double> means_;
};

/// For LinearPass: panels of kPanel outputs, each [padded inputs, kPanel].
struct Panels {
  explicit Panels(const Layer& layer)
      : inputs(padded(layer.inputs)), biases(padded(layer.outputs)), weights(inputs * biases) {}
  std::size_t inputs, biases, weights;
  std::size_t at(std::size_t output, std::size_t input) const {
    return (output / kPanel * inputs + input) * kPanel + output % kPanel;
  }
};

/// For DotPass: [outputs + 1, padded inputs], the last row zero.
struct OutputRows {
  explicit OutputRows(const Layer& layer)
      : stride(padded(layer.inputs)), biases(layer.outputs + 1), weights(stride * biases) {}
  std::size_t stride, biases, weights;
  std::size_t at(std::size_t output, std::size_t input) const { return output * stride + input; }
};

/// For SparsePass: [inputs, padded outputs].
struct InputRows {
  explicit InputRows(const Layer& layer)
      : biases(padded(layer.outputs)), weights(layer.inputs * biases) {}
  std::size_t biases, weights;
  std::size_t at(std::size_t output, std::size_t input) const { return input * biases + output; }
};

/// A Linear in one of these layouts.
template <class Layout>
struct PackedLinear {
  PackedLinear(const Layer& layer, Heap& heap)
      : layout(layer), weight(layout.weights, heap), bias(layout.biases, heap) {}
  static std::size_t bytes(const Layer& layer) {
    return (Layout(layer).weights + Layout(layer).biases) * sizeof(float);
  }
  void load(const PlacedLayer& layer, PackSource& source) {
    source.read(
        layer, [&](auto output, auto input, float w) { weight[layout.at(output, input)] = w; },
        [&](auto output, float b) { bias[output] = b; });
  }

  Layout layout;
  AlignedFloats weight, bias;
};

/// Rows `in` times these panels to rows `out`.
inline LinearPass linear_pass(const PackedLinear<Panels>& linear, const float* in,
                              std::size_t in_stride, float* out, std::size_t out_stride,
                              float* squares) {
  const float *const weight = linear.weight.data(), *const bias = linear.bias.data();
  const std::size_t inputs = linear.layout.inputs, panels = linear.layout.biases / kPanel;
  return {in, in_stride, inputs, weight, bias, panels, out, out_stride, squares};
}

/// The inner products of the row `in` with the weights of the `count` outputs `wanted`.
inline DotPass dot_pass(const PackedLinear<OutputRows>& linear, const float* in,
                        const std::uint16_t* wanted, std::size_t count, float* out) {
  const OutputRows& rows = linear.layout;
  return {in, linear.weight.data(), linear.bias.data(), rows.biases - 1, rows.stride, wanted, count,
          out};
}

}  // namespace senet
