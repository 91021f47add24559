// The distance of every state of the 2x2x2 cube from the solved one. For tests: training and
// players must never see it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "games/cube2/cube2.hpp"

namespace senet {

enum class CubeMetric : std::uint8_t {
  kHalfTurns,     // a half turn is one move
  kQuarterTurns,  // a half turn is two moves
};

/// Searches breadth-first; takes about a second.
class Cube2Distances {
 public:
  static constexpr std::size_t kStates = 3'674'160;

  explicit Cube2Distances(CubeMetric metric) : distances_(kStates, kUnknown) {
    std::vector<Cube2> reached = {Cube2::solved()}, next;
    distances_[index(reached.front())] = 0;
    for (std::uint8_t distance = 1; !reached.empty(); ++distance) {
      next.clear();
      for (const Cube2& state : reached) {
        for (Action action = 0; action < Cube2::kMaxLegal; ++action) {
          if (metric == CubeMetric::kQuarterTurns && action % 3 == 1) continue;
          Cube2 after = state;
          after.play(action);
          after = after.as_start();
          std::uint8_t& known = distances_[index(after)];
          if (known != kUnknown) continue;
          known = distance;
          next.push_back(after);
        }
      }
      reached.swap(next);
    }
  }

  std::size_t of(const Cube2& state) const { return distances_[index(state)]; }

  /// [distance] numbers of states.
  std::vector<std::size_t> states_by_distance() const {
    std::vector<std::size_t> states;
    for (const std::uint8_t distance : distances_) {
      if (distance >= states.size()) states.resize(distance + 1);
      ++states[distance];
    }
    return states;
  }

  /// The number of a state, below kStates: the rank of its permutation, then its orientations, of
  /// which the last follows from the others.
  static std::size_t index(const Cube2& state) {
    std::size_t rank = 0, twist = 0;
    unsigned unseen = 0x7f;
    for (std::size_t i = 0; i < Cube2::kCorners; ++i) {
      const unsigned below = unseen & ((1u << state.corner(i)) - 1);
      rank = rank * (Cube2::kCorners - i) + kBits[below];
      unseen &= ~(1u << state.corner(i));
      if (i + 1 < Cube2::kCorners) twist = 3 * twist + state.orientation(i);
    }
    return 729 * rank + twist;
  }

 private:
  static constexpr std::uint8_t kUnknown = 0xff;
  /// How many bits are set.
  static constexpr std::array<std::uint8_t, 128> kBits = [] {
    std::array<std::uint8_t, 128> bits{};
    for (std::size_t i = 1; i < bits.size(); ++i) {
      bits[i] = static_cast<std::uint8_t>(bits[i / 2] + i % 2);
    }
    return bits;
  }();

  std::vector<std::uint8_t> distances_;  // [kStates]
};

}  // namespace senet
