// Counts the leaves of the game tree (perft): a cheap and very sensitive test of a move generator.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "senet/game.hpp"

namespace senet {

/// Numbers of leaves below a position. Without dice both are the same.
struct Leaves {
  std::uint64_t each_once = 0;  // every outcome of a chance turn has weight 1
  std::uint64_t by_chance = 0;  // weighted by probability; a turn's least likely outcome: 1

  bool operator==(const Leaves&) const = default;
};

/// The number of ways to play exactly `depth` moves from `state`. Only players' moves count towards
/// the depth. A roll before a move multiplies the number of ways; a roll after the last move does
/// not. A game that ends earlier contributes nothing. The last moves are counted without being
/// played. `keep_going`, if set, is called before every count of two or more moves; as soon as it
/// returns false, perft() returns nothing.
template <Game G>
std::optional<Leaves> perft(const G& state, int depth,
                            const std::function<bool()>& keep_going = {}) {
  if (depth == 0) return Leaves{1, 1};
  if (state.turn() == Turn::kOver) return Leaves{};
  if (depth > 1 && keep_going && !keep_going()) return std::nullopt;
  Leaves leaves;
  const auto add = [&](Action action, int rest, std::uint64_t weight) {
    G child = state;
    child.play(action);
    const std::optional<Leaves> below = perft(child, rest, keep_going);
    if (!below) return false;
    leaves.each_once += below->each_once;
    leaves.by_chance += below->by_chance * weight;
    return true;
  };
  if constexpr (StochasticGame<G>) {
    if (state.turn() == Turn::kChance) {
      std::array<float, G::kMaxChance> probabilities;
      const std::size_t outcomes = state.chance(probabilities);
      const float unit = *std::min_element(probabilities.begin(), probabilities.begin() + outcomes);
      for (std::size_t i = 0; i < outcomes; ++i) {
        const auto weight = static_cast<std::uint64_t>(std::lround(probabilities[i] / unit));
        if (!add(static_cast<Action>(i), depth, weight)) return std::nullopt;
      }
      return leaves;
    }
  }
  ActionList<G::kMaxLegal> actions;
  state.legal(actions);
  if (depth == 1) return Leaves{actions.size(), actions.size()};
  for (const Action action : actions) {
    if (!add(action, depth - 1, 1)) return std::nullopt;
  }
  return leaves;
}

}  // namespace senet
