// Walks a network's flat parameter block layer by layer, in the order of parameter_layout.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>

namespace senet {

/// A Linear layer's parameters: y = weight x + bias.
struct LinearView {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::span<const float> weight;  // [outputs, inputs]
  std::span<const float> bias;    // [outputs]
};

/// A LayerNorm's parameters.
struct NormView {
  std::span<const float> scale;  // [width]
  std::span<const float> shift;  // [width]
};

/// Hands out the layers one after the other; allocates nothing. The views point into the block.
class ParameterCursor {
 public:
  explicit ParameterCursor(std::span<const float> parameters) : rest_(parameters) {}

  LinearView linear(std::size_t inputs, std::size_t outputs) {
    const std::span<const float> weight = take(inputs * outputs);
    return {inputs, outputs, weight, take(outputs)};
  }

  NormView norm(std::size_t width) {
    const std::span<const float> scale = take(width);
    return {scale, take(width)};
  }

  /// Whether every parameter has been handed out.
  bool done() const { return rest_.empty(); }

 private:
  std::span<const float> take(std::size_t count) {
    assert(count <= rest_.size());
    const std::span<const float> taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

  std::span<const float> rest_;
};

}  // namespace senet
