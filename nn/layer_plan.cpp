#include "nn/layer_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace senet {

LayerPlan::LayerPlan(const NetworkSpec& spec) : LayerPlan(spec.features) {
  is_dueling = spec.dueling;
  const std::uint32_t width = spec.width;
  const auto activate = [&](const std::string& name, std::size_t in) {
    return spec.norm ? norm(name, in) : relu(in);
  };
  std::size_t stream = activate("input.norm", linear("input.linear", kFeatures, width));
  for (std::uint32_t i = 0; i < spec.blocks; ++i) {
    const std::string block = fmt::format("block.{}.", i);
    std::size_t x = activate(block + "norm1", stream);
    x = linear(block + "linear1", x, width);
    x = activate(block + "norm2", x);
    stream = linear(block + "linear2", x, width, stream);
  }
  // The input's ReLU would be repeated without an effect.
  fork = spec.norm || spec.blocks > 0 ? activate("trunk.norm", stream) : stream;
  const auto head = [&](const char* name, std::uint32_t hidden_layers, std::uint32_t hidden_width,
                        std::uint32_t outputs) {
    std::size_t x = fork;
    for (std::uint32_t i = 0; i < hidden_layers; ++i) {
      x = linear(fmt::format("{}.{}.linear", name, i), x, hidden_width);
      x = activate(fmt::format("{}.{}.norm", name, i), x);
    }
    return linear(fmt::format("{}.out", name), x, outputs);
  };
  const std::uint32_t logits = spec.policy_logits * (spec.dueling ? spec.outcomes : 1);
  policy = spec.policy_head ? head("policy", spec.policy_layers, width, logits) : fork;
  outcomes = head("value", spec.value_layers, spec.value_width == 0 ? width : spec.value_width,
                  spec.outcomes);
  assert(is_sound());
}

std::size_t LayerPlan::linear(const std::string& name, std::size_t in, std::uint32_t outputs,
                              std::size_t added) {
  const std::size_t out = add(LayerKind::kLinear, in, outputs, added);
  layers.back().weight = add_tensor(name + ".weight", outputs, size_of(in), true);
  layers.back().bias = add_tensor(name + ".bias", 1, outputs, false);
  return out;
}

std::size_t LayerPlan::norm(const std::string& name, std::size_t in) {
  const std::size_t out = add(LayerKind::kNormRelu, in, size_of(in), kNoValue);
  layers.back().weight = add_tensor(name + ".weight", 1, size_of(in), false);
  layers.back().bias = add_tensor(name + ".bias", 1, size_of(in), false);
  return out;
}

std::size_t LayerPlan::relu(std::size_t in) {
  return add(LayerKind::kRelu, in, size_of(in), kNoValue);
}

std::size_t LayerPlan::add(LayerKind kind, std::size_t in, std::uint32_t outputs,
                           std::size_t added) {
  const std::size_t out = layers.size() + 1;
  layers.push_back({kind, size_of(in), outputs, in, out, added, tensors.size(), 0, 0});
  return out;
}

std::size_t LayerPlan::add_tensor(std::string name, std::uint32_t rows, std::uint32_t columns,
                                  bool decays) {
  tensors.push_back({std::move(name), rows, columns, parameters, decays});
  parameters += tensors.back().size();
  return tensors.back().offset;
}

std::uint32_t LayerPlan::widest() const {
  std::uint32_t widest = 0;
  for (const Layer& layer : layers) {
    if (!is_output(layer.out)) widest = std::max(widest, layer.outputs);
  }
  return widest;
}

std::vector<ValueUse> LayerPlan::uses() const {
  std::vector<ValueUse> uses(layers.size() + 1);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    uses[layer.out].last_reader = i;
    ValueUse& in = uses[layer.in];
    (is_activation(layer.kind) ? in.to_activation : in.to_linear) = true;
    in.to_norm |= layer.kind == LayerKind::kNormRelu;
    in.last_reader = i;
    if (layer.added != kNoValue) uses[layer.added].last_reader = i;
  }
  return uses;
}

bool LayerPlan::is_sound() const {
  const bool in_order = 0 < fork && fork <= policy && policy < outcomes;
  if (!in_order || outcomes != layers.size()) return false;
  const std::vector<ValueUse> uses = this->uses();
  return std::ranges::all_of(layers, [&](const Layer& layer) {
    const std::size_t in = layer.in, out = layer.out, added = layer.added;
    const bool is_first = out == 1, activates = is_activation(layer.kind);
    // A branch's layers read the branch's own values and the value at the fork.
    const std::size_t before = out > policy ? policy : out > fork ? fork : kFeatures;
    const bool reads_well = in < out && (in > before || in == fork || is_first);
    const bool follows_well = !activates || (in == out - 1 && !is_first && !is_output(out));
    const bool is_read_well =
        is_output(out) ||
        (uses[out].to_activation ? !uses[out].to_linear : uses[out].to_linear && activates);
    const bool adds_well = added == kNoValue ||
                           (!is_output(out) && before < added && added < out &&
                            uses[added].to_activation && uses[added].to_norm == uses[out].to_norm &&
                            size_of(added) == layer.outputs && uses[added].last_reader == out - 1);
    return reads_well && follows_well && is_read_well && adds_well && (in == kFeatures) == is_first;
  });
}

std::size_t SharedBuffers::take() {
  const auto free = std::ranges::find(taken_, false);
  const auto number = static_cast<std::size_t>(free - taken_.begin());
  if (free == taken_.end()) taken_.push_back(false);
  taken_[number] = true;
  return number;
}

}  // namespace senet
