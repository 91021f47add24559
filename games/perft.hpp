// Counting the leaves of the game tree: the sharpest cheap test of a move generator.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "games/game.hpp"

namespace senet {

/// How the outcomes of a chance turn count.
enum class PerftWeights {
  kEachOnce,     // 1 each
  kProbability,  // in units of the turn's least likely outcome: doubles 1, other rolls 2
};

/// Number of ways to play exactly `depth` moves from `state`. Only players' moves count towards the
/// depth: dice that fall before one of them multiply the ways, dice that fall after the last do
/// not. A game that ends earlier contributes nothing. The last moves are counted without being
/// played.
template <Game G>
std::uint64_t perft(const G& state, int depth, PerftWeights weights = PerftWeights::kEachOnce) {
  if (depth == 0) return 1;
  if (state.turn() == Turn::kOver) return 0;
  std::uint64_t leaves = 0;
  if constexpr (StochasticGame<G>) {
    if (state.turn() == Turn::kChance) {
      std::array<float, G::kMaxChance> probabilities;
      const std::size_t outcomes = state.chance(probabilities);
      const float unit = *std::min_element(probabilities.begin(), probabilities.begin() + outcomes);
      for (std::size_t i = 0; i < outcomes; ++i) {
        G child = state;
        child.play(static_cast<Action>(i));
        const std::uint64_t weight =
            weights == PerftWeights::kEachOnce
                ? 1
                : static_cast<std::uint64_t>(std::lround(probabilities[i] / unit));
        leaves += weight * perft(child, depth, weights);
      }
      return leaves;
    }
  }
  ActionList<G::kMaxLegal> actions;
  state.legal(actions);
  if (depth == 1) return actions.size();
  for (const Action action : actions) {
    G child = state;
    child.play(action);
    leaves += perft(child, depth - 1, weights);
  }
  return leaves;
}

}  // namespace senet
