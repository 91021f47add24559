// What a network expects of a position, without a search.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "games/sound_moves.hpp"
#include "nn/evaluates.hpp"
#include "nn/evaluator.hpp"
#include "search/outcomes.hpp"
#include "search/playout.hpp"
#include "search/tablebase.hpp"

namespace senet {

/// The expected outcome of a game according to the network, from the perspective of the player to
/// move or to roll; a finished game has its actual one. Usually one row. On a chance turn, a
/// network trained on positions gets one row for each outcome of the dice, because its training had
/// no position before the roll. Nor did it have positions with a forced move, so forced moves are
/// played first. Positions that the tablebase knows need no row. In kPlayouts, the mean of random
/// games.
template <Game G>
Outcomes<G> network_alone(const G& state, Evaluates evaluates, Evaluator& evaluator,
                          const Tablebase<G>& tablebase = {}) {
  if (Outcomes<G> known{}; state.turn() != Turn::kOver && tablebase.find(state, known)) {
    return known;
  }
  if (evaluates == Evaluates::kPlayouts && state.turn() != Turn::kOver) return mean_playout(state);
  std::array<float, std::max<std::size_t>(1, kMaxChance<G>)> probabilities{1};
  std::size_t parts = 1;
  bool rolls = false;
  if constexpr (StochasticGame<G>) {
    rolls = state.turn() == Turn::kChance && evaluates == Evaluates::kPosition;
    if (rolls) parts = state.chance(probabilities);
  }
  const std::size_t ways = outcome_values(state).size();
  Batch batch(1, G::kMaxActive);
  Outcomes<G> mean{};
  for (std::size_t i = 0; i < parts; ++i) {
    G position = state;
    if (rolls) position.play(static_cast<Action>(i));
    play_forced(position);
    Outcomes<G> seen{};
    const bool is_over = position.turn() == Turn::kOver;
    if (is_over) {
      seen = certain_end(position);
    } else if (!tablebase.find(position, seen)) {
      batch.add({std::span(seen).first(ways), {}, nullptr},
                [&](FeatureRow& row) { position.encode(row); });
      evaluator.forward(batch);
      batch.clear();
    }
    const Player viewer = is_over ? 0 : position.viewer();
    if (viewer != state.viewer()) seen = mirrored(state, seen);
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += probabilities[i] * seen[k];
  }
  return mean;
}

}  // namespace senet
