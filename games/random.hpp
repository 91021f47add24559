// Counter-based random numbers: the same (seed, game, ply, purpose) gives the same numbers on every
// thread and lane. So every game can be replayed, and no draw depends on the order of other draws.
// Integers and uniform() are the same on every machine; normal(), gamma() and dirichlet() depend on
// the C library's log, cos and pow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace senet {

/// The purpose of a random stream. Streams of different purposes are independent.
enum class Purpose : std::uint32_t {
  kOpening,  // start position and random first moves
  kChance,   // dice
  kNoise,    // Dirichlet noise at the root
  kBudget,   // playout cap randomisation
  kMove,     // choice of a move by temperature
  kWeights,  // initial weights of a network
  kReplay,   // positions sampled for a training step
  kMatch,    // openings and dice of a match
  kTest,     // tests and benchmarks
  kPlayout,  // random games that value a position
};

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011).
/// A pure function: the 128-bit block of this counter and key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

/// A stream of random numbers. A copy is an identical, independent stream. Not thread-safe.
class Random {
 public:
  /// `seed` is that of the run, `game` the index in the run, `ply` the index in the game.
  Random(std::uint64_t seed, std::uint64_t game, std::uint32_t ply, Purpose purpose);

  /// 32 uniform bits.
  std::uint32_t next();
  /// Uniform in [0, 1), 24 bits.
  float uniform();
  /// Uniform in [0, bound), unbiased (Lemire 2019). bound >= 1.
  std::uint32_t below(std::uint32_t bound);
  /// Standard normal (Box-Muller).
  float normal();
  /// Gamma(alpha, 1), alpha > 0 (Marsaglia and Tsang 2000, with the boost for alpha < 1).
  float gamma(float alpha);
  /// Fills `out`, which is not empty, from Dirichlet(alpha, ..., alpha): non-negative, sum 1.
  void dirichlet(float alpha, std::span<float> out);
  /// Draws an index below `count` (at least 1) with the weights `weight(index)` (non-negative, not
  /// all zero). Calls `weight` up to twice per index.
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
