// A network's layers as a list of operations with shapes, made from its specification. Layout,
// packing, the forward passes, the backward pass and the device's step all interpret this list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nn/network_spec.hpp"

namespace senet {

/// What a layer does to each row.
enum class LayerKind : std::uint8_t {
  kLinear,    // out = weight in + bias, plus `added` where there is one
  kNormRelu,  // out = relu(norm(in) * scale + shift)
};

/// Values pass between layers, a vector for each row. Value 0 is the features, which are sparse.
inline constexpr std::size_t kFeatures = 0;
inline constexpr std::size_t kNoValue = ~std::size_t{0};

/// One operation: it reads values and writes one.
struct Layer {
  LayerKind kind;
  std::uint32_t inputs, outputs;  // lengths of `in` and `out`
  std::size_t in, out;            // numbers of values; layer i writes value i + 1
  std::size_t added;              // of the value that the result is added to, or kNoValue
  std::size_t tensor;             // number of the first of its tensors in LayerPlan::tensors
  std::size_t weight, bias;       // their offsets in the parameter block: a norm's scale and shift
};

/// How the layers use a value.
struct ValueUse {
  bool to_linear = false;   // read by a Linear, as its `in`
  bool to_norm = false;     // read by a norm
  std::size_t last_reader;  // number of the last layer that reads it; its writer's when none does
};

/// The layers of a network, each behind those whose values it reads:
///
///   layers [0, fork)           lead to both outputs; the last of them writes value `fork`
///   layers [fork, policy)      lead to the policy's logits; the last of them writes `policy`
///   layers [policy, outcomes)  lead to the outcomes' softmax; the last of them writes `outcomes`
///
/// Neither branch reads what the other writes, so they may run side by side.
struct LayerPlan {
  /// The network of a specification: its picture as operations. (Not explicit: whatever interprets
  /// plans takes a specification as well.)
  LayerPlan(const NetworkSpec& spec);

  /// A number of layers that the plan of this specification exceeds, without making it.
  static std::size_t layers_at_least(const NetworkSpec& spec) {
    return std::size_t{spec.blocks} + spec.policy_layers + spec.value_layers;
  }

  /// No layers yet. linear() and norm() append one, with its tensors `name` + ".weight" and
  /// ".bias", and return the value that it writes.
  explicit LayerPlan(std::uint32_t feature_count) : features(feature_count) {}
  std::size_t linear(const std::string& name, std::size_t in, std::uint32_t outputs,
                     std::size_t added = kNoValue);
  std::size_t norm(const std::string& name, std::size_t in);

  /// Whether the plan is as drawn above and keeps to what its interpreters build on:
  ///   - the first layer is the only one to read the features, and each output is a Linear's;
  ///   - every other Linear is read by a norm, and a norm directly follows the layer that it reads:
  ///     the two may be fused;
  ///   - what a norm reads is read by nothing else, but may be added to: then the sum is its last
  ///     reader and can take its place. So all of these may lack their mean, which no norm sees.
  bool is_sound() const;

  std::uint32_t size_of(std::size_t value) const {
    return value == kFeatures ? features : layers[value - 1].outputs;
  }
  bool is_output(std::size_t value) const { return value == policy || value == outcomes; }
  /// The largest size of a value that is neither features nor an output.
  std::uint32_t widest() const;
  /// Of every value, by its number.
  std::vector<ValueUse> uses() const;

  std::uint32_t features;
  std::vector<Layer> layers;
  std::vector<TensorPlace> tensors;  // in the order of the parameter block, without gaps
  std::size_t parameters = 0;        // floats of the block
  std::size_t fork = kNoValue, policy = kNoValue, outcomes = kNoValue;  // see above

 private:
  std::size_t add(LayerKind kind, std::size_t in, std::uint32_t outputs, std::size_t added);
  std::size_t add_tensor(std::string name, std::uint32_t rows, std::uint32_t columns, bool decays);
};

/// A layer's parameters, inside the flat block: of a Linear the weight [outputs, inputs] and the
/// bias [outputs], of a norm scale and shift, [outputs] each.
struct LayerParameters {
  LayerParameters(const Layer& layer, std::span<const float> block)
      : weight(block.subspan(layer.weight, layer.bias - layer.weight)),
        bias(block.subspan(layer.bias, layer.outputs)) {}
  std::span<const float> weight, bias;
};

/// Numbers of buffers for values that live at different times: the lowest one that is free.
class SharedBuffers {
 public:
  std::size_t take();
  void give_back(std::size_t number) { taken_[number] = false; }
  std::size_t count() const { return taken_.size(); }

 private:
  std::vector<bool> taken_;
};

}  // namespace senet
