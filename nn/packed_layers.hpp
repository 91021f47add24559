// Layers as the kernels want them: padded to whole panels, transposed or cut into panels, and
// centred.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "nn/aligned_floats.hpp"
#include "nn/parameter_cursor.hpp"

namespace senet {

/// Whether a Linear feeds a LayerNorm (which does not see a row's mean: see kernels.hpp) or is an
/// output.
enum class Centre : bool { kNo, kYes };

/// What packing takes away from the weights of a Linear: the mean over the outputs, per input and
/// of the bias.
class OutputMeans {
 public:
  /// For layers of up to `inputs` inputs.
  explicit OutputMeans(std::size_t inputs) : sums_(inputs) {}

  /// Measures `layer`, or sets every mean to zero.
  void measure(const LinearView& layer, Centre centre);

  /// weight[output, input] less the mean of its column.
  float weight(const LinearView& layer, std::size_t output, std::size_t input) const {
    return static_cast<float>(layer.weight[output * layer.inputs + input] - sums_[input]);
  }
  float bias(const LinearView& layer, std::size_t output) const {
    return static_cast<float>(layer.bias[output] - bias_);
  }

 private:
  std::vector<double> sums_;
  double bias_ = 0;
};

/// Scale and shift of a LayerNorm, [stride] each, zero beyond the width.
class PackedNorm {
 public:
  explicit PackedNorm(std::size_t width, Heap& heap = default_heap())
      : scale_(padded(width), heap), shift_(padded(width), heap) {}
  void load(const NormView& norm);
  const float* scale() const { return scale_.data(); }
  const float* shift() const { return shift_.data(); }

 private:
  AlignedFloats scale_, shift_;
};

/// A Linear for LinearPass: panels of kPanel outputs, each [padded inputs, kPanel].
class PanelLinear {
 public:
  PanelLinear(std::size_t inputs, std::size_t outputs, Heap& heap = default_heap())
      : inputs_(padded(inputs)),
        panel_count_(padded(outputs) / kPanel),
        panels_(inputs_ * panel_count_ * kPanel, heap),
        bias_(panel_count_ * kPanel, heap) {}
  void load(const LinearView& layer, const OutputMeans& means);
  std::size_t inputs() const { return inputs_; }
  std::size_t panel_count() const { return panel_count_; }
  const float* panels() const { return panels_.data(); }
  const float* bias() const { return bias_.data(); }

 private:
  std::size_t inputs_, panel_count_;
  AlignedFloats panels_, bias_;
};

/// A Linear for DotPass: [outputs + 1, padded inputs], the last row zero.
class RowLinear {
 public:
  RowLinear(std::size_t inputs, std::size_t outputs, Heap& heap = default_heap())
      : outputs_(outputs),
        stride_(padded(inputs)),
        weight_(stride_ * (outputs + 1), heap),
        bias_(outputs + 1, heap) {}
  void load(const LinearView& layer);
  /// The pass that answers wanted[0, count) from `in`.
  DotPass pass(const float* in, const std::uint16_t* wanted, std::size_t count, float* out) const {
    return {in, weight_.data(), bias_.data(), outputs_, stride_, wanted, count, out};
  }

 private:
  std::size_t outputs_, stride_;
  AlignedFloats weight_, bias_;
};

/// A Linear for SparsePass: [inputs, padded outputs].
class SparseLinear {
 public:
  SparseLinear(std::size_t inputs, std::size_t outputs, Heap& heap = default_heap())
      : stride_(padded(outputs)), weight_(stride_ * inputs, heap), bias_(stride_, heap) {}
  void load(const LinearView& layer, const OutputMeans& means);
  std::size_t stride() const { return stride_; }
  const float* weight() const { return weight_.data(); }
  const float* bias() const { return bias_.data(); }

 private:
  std::size_t stride_;
  AlignedFloats weight_, bias_;
};

}  // namespace senet
