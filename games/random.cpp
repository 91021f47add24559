#include "games/random.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace senet {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53u, kMultiplier1 = 0xCD9E8D57u;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9u, kWeyl1 = 0xBB67AE85u;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = kMultiplier0 * counter[0];
    const std::uint64_t b = kMultiplier1 * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

// Counter words: game (64 bits), ply (32 bits), then purpose (high 8 bits) and block number (low 24
// bits).
Random::Random(std::uint64_t seed, std::uint64_t game, std::uint32_t ply, Purpose purpose)
    : counter_{static_cast<std::uint32_t>(game), static_cast<std::uint32_t>(game >> 32), ply,
               static_cast<std::uint32_t>(purpose) << 24},
      key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)} {}

std::uint32_t Random::next() {
  if (used_ == 4) {
    block_ = philox(counter_, key_);
    ++counter_[3];
    used_ = 0;
  }
  return block_[used_++];
}

float Random::uniform() { return static_cast<float>(next() >> 8) * 0x1p-24f; }

std::uint32_t Random::below(std::uint32_t bound) {
  std::uint64_t product = std::uint64_t{next()} * bound;
  if (static_cast<std::uint32_t>(product) < bound) {
    const std::uint32_t threshold = -bound % bound;
    while (static_cast<std::uint32_t>(product) < threshold) product = std::uint64_t{next()} * bound;
  }
  return static_cast<std::uint32_t>(product >> 32);
}

float Random::normal() {
  const float radius = std::sqrt(-2.0f * std::log(1.0f - uniform()));
  return radius * std::cos(2.0f * std::numbers::pi_v<float> * uniform());
}

float Random::gamma(float alpha) {
  if (alpha < 1.0f) return gamma(alpha + 1.0f) * std::pow(1.0f - uniform(), 1.0f / alpha);
  const float d = alpha - 1.0f / 3.0f;
  const float c = 1.0f / std::sqrt(9.0f * d);
  for (;;) {
    const float x = normal();
    const float root = 1.0f + c * x;
    if (root <= 0.0f) continue;
    const float v = root * root * root;
    if (std::log(1.0f - uniform()) < 0.5f * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

void Random::dirichlet(float alpha, std::span<float> out) {
  float sum = 0.0f;
  for (float& share : out) sum += share = gamma(alpha);
  // With a very small alpha all draws can underflow to zero. Then one random element gets
  // everything.
  if (!(sum > 0.0f)) {
    std::ranges::fill(out, 0.0f);
    out[below(static_cast<std::uint32_t>(out.size()))] = 1.0f;
    return;
  }
  for (float& share : out) share /= sum;
}

}  // namespace senet
