#include "nn/network_spec.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace senet {
namespace {

constexpr std::size_t kMaxNameLength = 64;

/// Appends tensors one after the other, without gaps.
class LayoutWriter {
 public:
  void linear(const std::string& name, std::uint32_t inputs, std::uint32_t outputs) {
    add(name + ".weight", outputs, inputs, true);
    add(name + ".bias", 1, outputs, false);
  }

  void norm(const std::string& name, std::uint32_t width) {
    add(name + ".weight", 1, width, false);
    add(name + ".bias", 1, width, false);
  }

  std::vector<TensorPlace> take() { return std::move(places_); }

 private:
  void add(std::string name, std::uint32_t rows, std::uint32_t columns, bool decays) {
    places_.push_back({std::move(name), rows, columns, offset_, decays});
    offset_ += places_.back().size();
  }

  std::vector<TensorPlace> places_;
  std::size_t offset_ = 0;
};

}  // namespace

std::vector<TensorPlace> parameter_layout(const NetworkSpec& spec) {
  LayoutWriter layout;
  layout.linear("input.linear", spec.features, spec.width);
  layout.norm("input.norm", spec.width);
  for (std::uint32_t i = 0; i < spec.blocks; ++i) {
    const std::string block = fmt::format("block.{}.", i);
    layout.norm(block + "norm1", spec.width);
    layout.linear(block + "linear1", spec.width, spec.width);
    layout.norm(block + "norm2", spec.width);
    layout.linear(block + "linear2", spec.width, spec.width);
  }
  layout.norm("trunk.norm", spec.width);
  const auto head = [&](const char* name, std::uint32_t layers, std::uint32_t outputs) {
    for (std::uint32_t i = 0; i < layers; ++i) {
      layout.linear(fmt::format("{}.{}.linear", name, i), spec.width, spec.width);
      layout.norm(fmt::format("{}.{}.norm", name, i), spec.width);
    }
    layout.linear(fmt::format("{}.out", name), spec.width, outputs);
  };
  head("policy", spec.policy_layers, spec.policy_logits);
  head("value", spec.value_layers, spec.outcomes);
  return layout.take();
}

std::size_t parameter_count(const NetworkSpec& spec) {
  const std::size_t width = spec.width;
  const auto linear = [](std::size_t inputs, std::size_t outputs) {
    return (inputs + 1) * outputs;
  };
  const std::size_t hidden = std::size_t{spec.blocks} * 2 + spec.policy_layers + spec.value_layers;
  return linear(spec.features, width) + 2 * width       // input stage
         + hidden * (linear(width, width) + 2 * width)  // every hidden Linear has one norm
         + 2 * width                                    // trunk.norm
         + linear(width, spec.policy_logits) + linear(width, spec.outcomes);
}

double dense_flop(const NetworkSpec& spec) {
  const double width = spec.width;
  const double hidden = 2.0 * spec.blocks + spec.policy_layers + spec.value_layers;
  return 2.0 * width * (spec.features + hidden * width + spec.policy_logits + spec.outcomes);
}

Result<void> check_spec(const NetworkSpec& spec) {
  const bool printable =
      std::ranges::all_of(spec.game, [](char c) { return c > ' ' && c < '\x7f'; });
  if (spec.game.empty() || spec.game.size() > kMaxNameLength || !printable) {
    return fail("the network's game is not a name of 1 to 64 printable characters");
  }
  for (const SpecField& field : kSpecFields) {
    const std::uint32_t value = spec.*field.value;
    if (value < field.least || value > field.most) {
      return fail(fmt::format("the network's {} is {}, not in {}..{}", field.name, value,
                              field.least, field.most));
    }
  }
  return {};
}

Result<void> check_contract(const NetworkSpec& spec, const NetworkSpec& wanted) {
  if (spec.game != wanted.game) {
    return fail(fmt::format("the network plays {}, not {}", spec.game, wanted.game));
  }
  for (const SpecField& field : kSpecFields) {
    const std::uint32_t has = spec.*field.value, needs = wanted.*field.value;
    if (field.by_contract && has != needs) {
      return fail(
          fmt::format("the network has {} {}, {} needs {}", has, field.name, wanted.game, needs));
    }
  }
  return {};
}

}  // namespace senet
