#include "nn/packed_layers.hpp"

#include <algorithm>

namespace senet {

void OutputMeans::measure(const LinearView& layer, Centre centre) {
  std::ranges::fill(sums_, 0.0);
  bias_ = 0;
  if (centre == Centre::kNo) return;
  const double share = 1.0 / static_cast<double>(layer.outputs);
  for (std::size_t output = 0; output < layer.outputs; ++output) {
    const float* weight = &layer.weight[output * layer.inputs];
    for (std::size_t input = 0; input < layer.inputs; ++input)
      sums_[input] += share * weight[input];
    bias_ += share * layer.bias[output];
  }
}

void PackedNorm::load(const NormView& norm) {
  std::ranges::copy(norm.scale, scale_.data());
  std::ranges::copy(norm.shift, shift_.data());
}

void PanelLinear::load(const LinearView& layer, const OutputMeans& means) {
  for (std::size_t output = 0; output < layer.outputs; ++output) {
    float* column = panels_.data() + output / kPanel * inputs_ * kPanel + output % kPanel;
    for (std::size_t input = 0; input < layer.inputs; ++input) {
      column[input * kPanel] = means.weight(layer, output, input);
    }
    bias_[output] = means.bias(layer, output);
  }
}

void RowLinear::load(const LinearView& layer) {
  for (std::size_t output = 0; output < layer.outputs; ++output) {
    std::ranges::copy(layer.weight.subspan(output * layer.inputs, layer.inputs),
                      weight_.data() + output * stride_);
  }
  std::ranges::copy(layer.bias, bias_.data());
}

void SparseLinear::load(const LinearView& layer, const OutputMeans& means) {
  for (std::size_t output = 0; output < layer.outputs; ++output) {
    for (std::size_t input = 0; input < layer.inputs; ++input) {
      weight_[input * stride_ + output] = means.weight(layer, output, input);
    }
    bias_[output] = means.bias(layer, output);
  }
}

}  // namespace senet
