#include "nn/network.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

#include "games/random.hpp"
#include "nn/network_content.hpp"

namespace senet {
namespace {

static_assert(std::endian::native == std::endian::little,
              "weights are little-endian, in files and in ids");

// How much smaller the last Linear of a block or head starts: blocks begin near the identity,
// priors near uniform and values near undecided.
constexpr float kSmall = 0.1f;

/// Nearly normal, mean 0 and variance 1: the sum of eight uniform 16-bit integers (Irwin-Hall).
/// Only integers are added, so that no mathematical library can make two machines disagree.
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

bool is_norm(const TensorPlace& place) { return place.name.find("norm") != std::string::npos; }

}  // namespace

std::uint64_t content_id(const NetworkSpec& spec, std::span<const float> parameters) {
  std::string text = spec.game;
  for (const SpecField& field : kSpecFields) {
    text += fmt::format(" {} {}", field.name, spec.*field.value);
  }
  return XXH3_64bits_withSeed(parameters.data(), parameters.size_bytes(),
                              XXH3_64bits(text.data(), text.size()));
}

Network::Network(NetworkSpec spec, std::vector<float> parameters)
    : content_(std::make_unique<Content>()) {
  assert(parameters.size() == parameter_count(spec));
  content_->spec = std::move(spec);
  content_->storage = std::move(parameters);
  content_->parameters = content_->storage;
  content_->id = content_id(content_->spec, content_->parameters);
}

Network::Network(std::unique_ptr<Content> content) : content_(std::move(content)) {}
Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;
Network::~Network() = default;

const NetworkSpec& Network::spec() const { return content_->spec; }
std::span<const float> Network::parameters() const { return content_->parameters; }
std::uint64_t Network::id() const { return content_->id; }

Network initial_network(const NetworkSpec& spec, std::uint64_t seed) {
  std::vector<float> parameters(parameter_count(spec), 0.0f);  // biases and shifts start at zero
  const std::vector<TensorPlace> layout = parameter_layout(spec);
  for (std::size_t number = 0; number < layout.size(); ++number) {
    const TensorPlace& place = layout[number];
    const std::span<float> values(&parameters[place.offset], place.size());
    if (place.decays) {
      const bool last =
          place.name.ends_with("linear2.weight") || place.name.ends_with("out.weight");
      const float deviation =
          (last ? kSmall : 1.0f) * std::sqrt(2.0f / static_cast<float>(place.columns));
      Random random(seed, number, 0, Purpose::kWeights);
      for (float& value : values) value = deviation * nearly_normal(random);
    } else if (is_norm(place) && place.name.ends_with(".weight")) {
      for (float& value : values) value = 1.0f;
    }
  }
  return Network(spec, std::move(parameters));
}

std::string id_text(std::uint64_t id) { return fmt::format("{:016x}", id); }

}  // namespace senet
