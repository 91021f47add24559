// Randomness as a function, not a state: the same (seed, game, ply, purpose) gives the same numbers
// on every thread and lane, so that any game can be replayed and no draw depends on another's
// order. Whole numbers and uniform() are the same on every machine; normal() and what is built on
// it follow the C library's log and pow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace senet {

/// What a stream of random numbers is for; streams of different purposes are independent.
enum class Purpose : std::uint32_t {
  kOpening,  // which start position, which random first moves
  kChance,   // dice
  kNoise,    // Dirichlet noise at the root
  kBudget,   // playout cap randomisation
  kMove,     // temperature
  kWeights,  // initial weights of a network
  kReplay,   // which positions a training step sees
  kMatch,    // openings and dice of a match
  kTest,     // tests and benchmarks
};

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011).
/// Pure: the 128-bit block that belongs to this counter and key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

/// A stream of random numbers. A value: copy it to fork an identical stream. Not shared by threads.
class Random {
 public:
  /// `seed` of the run, `game` within the run, `ply` within the game.
  Random(std::uint64_t seed, std::uint64_t game, std::uint32_t ply, Purpose purpose);

  /// 32 uniform bits.
  std::uint32_t next();
  /// Uniform in [0, 1), 24 bits.
  float uniform();
  /// Uniform in [0, bound), without bias (Lemire 2019). bound >= 1.
  std::uint32_t below(std::uint32_t bound);
  /// Standard normal (Box-Muller).
  float normal();
  /// Gamma(alpha, 1), alpha > 0 (Marsaglia and Tsang 2000, with the boost for alpha < 1).
  float gamma(float alpha);
  /// Dirichlet(alpha, ..., alpha) into `out`: non-negative, sums to 1. out is not empty.
  void dirichlet(float alpha, std::span<float> out);
  /// An index below `count` (at least 1) drawn with the weights `weight(index)` (non-negative, not
  /// all zero), each of which is asked for twice.
  template <class Weight>
  std::size_t pick(std::size_t count, Weight&& weight) {
    float total = 0.0f;
    for (std::size_t i = 0; i < count; ++i) total += weight(i);
    float rest = uniform() * total;
    std::size_t last = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const float own = weight(i);
      if (own <= 0.0f) continue;
      last = i;
      if (rest < own) break;
      rest -= own;
    }
    return last;
  }
  std::size_t pick(std::span<const float> weights) {
    return pick(weights.size(), [&](std::size_t i) { return weights[i]; });
  }

 private:
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> block_{};
  std::uint32_t used_ = 4;
};

}  // namespace senet
