// A network's layers as a list of operations with shapes, built from its specification. The
// parameter layout, weight packing, the forward passes, the backward pass and the device's training
// step all interpret this list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nn/network_spec.hpp"

namespace senet {

/// The operation of a layer, applied to each row.
enum class LayerKind : std::uint8_t {
  kLinear,    // out = weight in + bias, plus `added` where there is one
  kNormRelu,  // out = relu(norm(in) * scale + shift)
  kRelu,      // out = relu(in)
};
constexpr bool is_activation(LayerKind kind) { return kind != LayerKind::kLinear; }

/// Layers exchange values: a value is one vector per row. Value 0 is the sparse features.
inline constexpr std::size_t kFeatures = 0;
inline constexpr std::size_t kNoValue = ~std::size_t{0};

/// One operation: reads one or two values and writes one.
struct Layer {
  LayerKind kind;
  std::uint32_t inputs, outputs;  // lengths of `in` and `out`
  std::size_t in, out;            // value indices; layer i writes value i + 1
  std::size_t added;              // index of the value added to the result, or kNoValue
  std::size_t tensor;             // index of its first tensor in LayerPlan::tensors
  std::size_t weight, bias;       // offsets in the parameter block; of a norm: scale and shift;
                                  // without meaning for kRelu
};

/// How the layers use a value.
struct ValueUse {
  bool to_linear = false;      // read by a Linear, as its `in`
  bool to_activation = false;  // read by an activation
  bool to_norm = false;        // ... which is a norm
  std::size_t last_reader;  // index of the last layer that reads it, or of its writer if none does
};

/// The layers of a network, each after those whose values it reads:
///
///   layers [0, fork)           lead to both outputs; the last of them writes value `fork`
///   layers [fork, policy)      lead to the policy's logits; the last of them writes `policy`
///   layers [policy, outcomes)  lead to the outcomes' softmax; the last of them writes `outcomes`
///
/// Without a policy, `policy` is `fork`. Neither branch reads what the other writes, so they may
/// run in parallel.
struct LayerPlan {
  /// The network that NetworkSpec describes. (Not explicit: interpreters of plans also accept a
  /// specification.)
  LayerPlan(const NetworkSpec& spec);

  /// A lower bound on the number of layers, without building the plan. The plan has more.
  static std::size_t layers_at_least(const NetworkSpec& spec) {
    return std::size_t{spec.blocks} + spec.policy_layers + spec.value_layers;
  }

  /// An empty plan. linear(), norm() and relu() append one layer and return the index of the value
  /// that it writes. The first two have tensors `name` + ".weight" and ".bias".
  explicit LayerPlan(std::uint32_t feature_count) : features(feature_count) {}
  std::size_t linear(const std::string& name, std::size_t in, std::uint32_t outputs,
                     std::size_t added = kNoValue);
  std::size_t norm(const std::string& name, std::size_t in);
  std::size_t relu(std::size_t in);

  /// Whether the plan has the structure above and the properties that its interpreters rely on:
  ///   - only the first layer reads the features, and a Linear writes each output;
  ///   - each Linear that is not an output is read by an activation, and an activation directly
  ///     follows the layer that it reads, so the two may be fused;
  ///   - nothing else reads what an activation reads, but a later sum may add to it. That sum is
  ///     then its last reader, is read by an activation of the same kind and can be computed in
  ///     place. So values that norms read may be stored without their mean, which norms ignore.
  bool is_sound() const;

  std::uint32_t size_of(std::size_t value) const {
    return value == kFeatures ? features : layers[value - 1].outputs;
  }
  bool has_policy() const { return policy != fork; }
  std::uint32_t policy_logits() const { return has_policy() ? size_of(policy) : 0; }
  /// Advantages for each policy logit, in dueling networks; else 0.
  std::uint32_t advantages() const { return is_dueling ? size_of(outcomes) : 0; }
  bool is_output(std::size_t value) const {
    return value == outcomes || (value == policy && has_policy());
  }
  /// The largest size of a value other than the features and the outputs.
  std::uint32_t widest() const;
  /// The use of every value, by its index.
  std::vector<ValueUse> uses() const;

  std::uint32_t features;
  std::vector<Layer> layers;
  std::vector<TensorPlace> tensors;  // in the order of the parameter block, no gaps
  std::size_t parameters = 0;        // floats in the block
  std::size_t fork = kNoValue, policy = kNoValue, outcomes = kNoValue;  // see above
  bool is_dueling = false;  // the policy's logits are advantages, see NetworkSpec

 private:
  std::size_t add(LayerKind kind, std::size_t in, std::uint32_t outputs, std::size_t added);
  std::size_t add_tensor(std::string name, std::uint32_t rows, std::uint32_t columns, bool decays);
};

/// A layer's parameters in the flat block: of a Linear, the weight [outputs, inputs] and the bias
/// [outputs]; of a norm, scale and shift, [outputs] each.
struct LayerParameters {
  LayerParameters(const Layer& layer, std::span<const float> block)
      : weight(block.subspan(layer.weight, layer.bias - layer.weight)),
        bias(block.subspan(layer.bias, layer.outputs)) {}
  std::span<const float> weight, bias;
};

/// Assigns buffer numbers to values that exist at different times: the lowest free one.
class SharedBuffers {
 public:
  std::size_t take();
  void give_back(std::size_t number) { taken_[number] = false; }
  std::size_t count() const { return taken_.size(); }

 private:
  std::vector<bool> taken_;
};

}  // namespace senet
