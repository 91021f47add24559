#include "nn/network.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

#include "games/random.hpp"
#include "nn/layer_plan.hpp"

namespace senet {
namespace {

static_assert(std::endian::native == std::endian::little,
              "weights are little-endian in files and in ids");

// Scale of the last Linear of a block or head: blocks start near the identity, priors near uniform
// and values near undecided.
constexpr float kSmall = 0.1f;

/// Nearly normal, mean 0 and variance 1: the sum of eight uniform 16-bit integers (Irwin-Hall).
/// Adds only integers, so that the result does not depend on a math library.
float nearly_normal(Random& random) {
  std::int64_t sum = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t bits = random.next();
    sum += (bits & 0xffffu) + (bits >> 16);
  }
  constexpr std::int64_t kTwiceMean = 8 * 0xffff;
  constexpr double kDeviation = 53509.91992145008;  // sqrt(8 (2^32 - 1) / 12)
  return static_cast<float>(static_cast<double>(2 * sum - kTwiceMean) / (2.0 * kDeviation));
}

}  // namespace

Network::Network(NetworkSpec spec, std::vector<float> parameters)
    : spec_(std::move(spec)), storage_(std::move(parameters)), parameters_(storage_) {
  assert(parameters_.size() == parameter_count(spec_));
  find_id();
}

Network Network::clone() const {
  Network copy(spec_, {parameters_.begin(), parameters_.end()});
  copy.levels_ = levels_;
  return copy;
}

void Network::find_id() {
  std::string text = spec_.game;
  for (const SpecField& field : kSpecFields) {
    if (field.is_mentioned(spec_)) text += fmt::format(" {} {}", field.name, field.get(spec_));
  }
  id_ = XXH3_64bits_withSeed(parameters_.data(), parameters_.size_bytes(),
                             XXH3_64bits(text.data(), text.size()));
}

Network initial_network(const NetworkSpec& spec, std::uint64_t seed) {
  const LayerPlan plan(spec);
  std::vector<float> parameters(plan.parameters, 0.0f);  // biases and shifts start at zero
  for (const Layer& layer : plan.layers) {
    if (layer.kind == LayerKind::kRelu) continue;  // has no parameters
    const std::span<float> weight(&parameters[layer.weight], plan.tensors[layer.tensor].size());
    if (layer.kind == LayerKind::kNormRelu) {
      std::ranges::fill(weight, 1.0f);
      continue;
    }
    const bool is_last = layer.added != kNoValue || plan.is_output(layer.out);
    const float deviation =
        (is_last ? kSmall : 1.0f) * std::sqrt(2.0f / static_cast<float>(layer.inputs));
    Random random(seed, layer.tensor, 0, Purpose::kWeights);
    for (float& value : weight) value = deviation * nearly_normal(random);
  }
  return Network(spec, std::move(parameters));
}

Result<Network> enlarged_network(const Network& network, const NetworkSpec& spec,
                                 std::uint64_t seed) {
  // value_width: the width of what value.out reads.
  const auto explicit_width = [](NetworkSpec shape) {
    const std::vector<TensorPlace> places = parameter_layout(shape);
    shape.value_width = std::ranges::find(places, "value.out.weight", &TensorPlace::name)->columns;
    return shape;
  };
  const NetworkSpec from = explicit_width(network.spec()), to = explicit_width(spec);
  for (const SpecField& field : kSpecFields) {
    const std::uint32_t has = field.get(from), wanted = field.get(to);
    if (has == wanted) continue;
    const bool can_grow =
        field.name == "width" || field.name == "value_width" || field.name == "value_layers";
    if (can_grow && has < wanted && !from.norm) continue;
    return fail(fmt::format("{} {} cannot become {}{}", field.name, has, wanted,
                            can_grow && from.norm ? " in a network with norms" : ""));
  }
  const std::vector<TensorPlace> old_places = parameter_layout(network.spec());
  const Network initial = initial_network(spec, seed);
  std::vector<float> parameters(initial.parameters().begin(), initial.parameters().end());
  for (const TensorPlace& place : parameter_layout(spec)) {
    const auto old_place = std::ranges::find(old_places, place.name, &TensorPlace::name);
    const bool is_new = old_place == old_places.end();
    if (is_new && !place.decays) continue;  // a bias, zero
    // A new layer of the value head passes on what value.out read: rows of the unit matrix.
    const std::uint32_t rows = is_new ? from.value_width : old_place->rows;
    for (std::uint32_t row = 0; row < rows; ++row) {
      const std::span<float> values(&parameters[place.offset + std::size_t{row} * place.columns],
                                    place.columns);
      std::ranges::fill(values, 0.0f);  // old units do not read new ones
      if (is_new) {
        values[row] = 1;
      } else {
        const std::size_t first = old_place->offset + std::size_t{row} * old_place->columns;
        std::ranges::copy(network.parameters().subspan(first, old_place->columns), values.begin());
      }
    }
  }
  return Network(spec, std::move(parameters));
}

std::string id_text(std::uint64_t id) { return fmt::format("{:016x}", id); }

}  // namespace senet
