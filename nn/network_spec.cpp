#include "nn/network_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace senet {
namespace {

// Generous for a board game, small enough that no product of them overflows 64 bits.
constexpr std::uint32_t kMaxWidth = 1u << 14;
constexpr std::uint32_t kMaxLayers = 1u << 10;
constexpr std::uint32_t kMaxOutcomes = 255;
constexpr std::uint32_t kMaxInputs =
    0xffff;  // feature and logit numbers are 16 bits, kNoLogit is taken
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

bool in_range(std::uint32_t value, std::uint32_t low, std::uint32_t high) {
  return low <= value && value <= high;
}

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
  struct Bound {
    const char* what;
    std::uint32_t value, low, high;
  };
  for (const Bound& bound :
       {Bound{"features", spec.features, 1, kMaxInputs},
        Bound{"policy_logits", spec.policy_logits, 1, kMaxInputs},
        Bound{"outcomes", spec.outcomes, 1, kMaxOutcomes}, Bound{"width", spec.width, 1, kMaxWidth},
        Bound{"blocks", spec.blocks, 0, kMaxLayers},
        Bound{"policy_layers", spec.policy_layers, 0, kMaxLayers},
        Bound{"value_layers", spec.value_layers, 0, kMaxLayers}}) {
    if (!in_range(bound.value, bound.low, bound.high)) {
      return fail(fmt::format("the network's {} is {}, not in {}..{}", bound.what, bound.value,
                              bound.low, bound.high));
    }
  }
  return {};
}

Result<void> check_contract(const NetworkSpec& spec, const NetworkSpec& wanted) {
  if (spec.game != wanted.game) {
    return fail(fmt::format("the network plays {}, not {}", spec.game, wanted.game));
  }
  struct Pair {
    const char* what;
    std::uint32_t has, needs;
  };
  for (const Pair& pair : {Pair{"features", spec.features, wanted.features},
                           Pair{"policy logits", spec.policy_logits, wanted.policy_logits},
                           Pair{"outcomes", spec.outcomes, wanted.outcomes}}) {
    if (pair.has != pair.needs) {
      return fail(fmt::format("the network has {} {}, {} needs {}", pair.has, pair.what,
                              wanted.game, pair.needs));
    }
  }
  return {};
}

}  // namespace senet
