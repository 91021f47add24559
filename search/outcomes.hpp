// Distributions over the ways in which a game can end.
#pragma once

#include <algorithm>
#include <array>

#include "senet/game.hpp"

namespace senet {

/// Distribution over the ways in which the game can end, as some stated player sees them;
/// [kOutcomes<G>] f32, sums to 1. Behind the game's own ways, outcome_values(game).size() of them,
/// stand zeros.
template <Game G>
using Outcomes = std::array<float, kOutcomes<G>>;

// In all of these `game` is any state of the game.

/// The value of a distribution, for the player who sees it so.
template <Game G>
float mean_value(const G& game, const Outcomes<G>& outcomes) {
  const auto values = outcome_values(game);
  float value = 0;
  for (std::size_t i = 0; i < values.size(); ++i) value += outcomes[i] * values[i];
  return value;
}

/// The same distribution as the other player sees it.
template <Game G>
Outcomes<G> mirrored(const G& game, const Outcomes<G>& outcomes) {
  const auto mirror = outcome_mirror(game);
  Outcomes<G> seen{};
  for (std::size_t i = 0; i < mirror.size(); ++i) seen[i] = outcomes[mirror[i]];
  return seen;
}

/// The distribution of a finished game, as player 0 sees it.
template <Game G>
Outcomes<G> certain_end(const G& finished) {
  Outcomes<G> outcomes{};
  outcomes[finished.outcome()] = 1;
  return outcomes;
}

/// A distribution with a given mean when nothing else is known: the mixture of the two neighbouring
/// ends.
template <Game G>
Outcomes<G> spread_value(const G& game, float value) {
  const auto values = outcome_values(game);
  std::size_t below = 0, above = 0;
  float below_value = -1e9f, above_value = 1e9f;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float end = values[i];
    if (end <= value && end > below_value) below = i, below_value = end;
    if (end >= value && end < above_value) above = i, above_value = end;
  }
  Outcomes<G> outcomes{};
  if (below_value < -1e8f) below = above, below_value = above_value;
  if (above_value > 1e8f) above = below, above_value = below_value;
  const float width = above_value - below_value;
  const float share = width > 0 ? (value - below_value) / width : 1.0f;
  outcomes[above] += share;
  outcomes[below] += 1 - share;
  return outcomes;
}

/// The distribution nearest to `outcomes` in one simple sense that has this mean: as much of all of
/// it as needed becomes the best, or the worst, way to end. Kept visits and proofs move a node's
/// value without a leaf to count; this lets the distribution follow.
template <Game G>
Outcomes<G> with_mean(const G& game, Outcomes<G> outcomes, float value) {
  const auto values = outcome_values(game);
  const float mean = mean_value(game, outcomes);
  const auto [worst, best] = std::minmax_element(values.begin(), values.end());
  const auto end = value > mean ? best : worst;
  const float distance = *end - mean;
  if (distance == 0) return outcomes;
  const float share = std::clamp((value - mean) / distance, 0.0f, 1.0f);
  for (float& outcome : outcomes) outcome *= 1 - share;
  outcomes[static_cast<std::size_t>(end - values.begin())] += share;
  return outcomes;
}

}  // namespace senet
