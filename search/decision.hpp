// What a search found out about one position.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "games/random.hpp"
#include "senet/game.hpp"

namespace senet {

/// One legal action of the root. Values are told for the player to move there. An action that is
/// not sound (games/sound_moves.hpp) has no visits and no prior, and the result as its value if
/// forced replies bring it about.
struct Choice {
  Action action;
  std::uint32_t visits;
  float prior;  // the network's at settings.policy_temperature, without noise
  float value;  // mean value; the afterstate's own or the root's when unvisited
};

/// Distribution over the ways the game can end, as some stated player sees them; [kOutcomes<G>]
/// f32, sums to 1.
template <Game G>
using Outcomes = std::array<float, kOutcomes<G>>;

/// The value of a distribution, for the player it is told to.
template <Game G>
float mean_value(const Outcomes<G>& outcomes) {
  float value = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) value += outcomes[i] * G::kOutcomeValues[i];
  return value;
}

/// The same distribution as the other player sees it.
template <Game G>
Outcomes<G> mirrored(const Outcomes<G>& outcomes) {
  Outcomes<G> seen;
  for (std::size_t i = 0; i < outcomes.size(); ++i) seen[i] = outcomes[G::kOutcomeMirror[i]];
  return seen;
}

/// A distribution with a given mean when nothing else is known: the mixture of the two neighbouring
/// ends.
template <Game G>
Outcomes<G> spread_value(float value) {
  std::size_t below = 0, above = 0;
  float below_value = -1e9f, above_value = 1e9f;
  for (std::size_t i = 0; i < kOutcomes<G>; ++i) {
    const float end = G::kOutcomeValues[i];
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
Outcomes<G> with_mean(Outcomes<G> outcomes, float value) {
  const float mean = mean_value<G>(outcomes);
  const auto [worst, best] =
      std::minmax_element(G::kOutcomeValues.begin(), G::kOutcomeValues.end());
  const auto end = value > mean ? best : worst;
  const float distance = *end - mean;
  if (distance == 0) return outcomes;
  const float share = std::clamp((value - mean) / distance, 0.0f, 1.0f);
  for (float& outcome : outcomes) outcome *= 1 - share;
  outcomes[static_cast<std::size_t>(end - G::kOutcomeValues.begin())] += share;
  return outcomes;
}

/// The result of a search. Valid until the search starts again.
template <Game G>
struct Decision {
  std::span<const Choice> choices;  // all legal actions: the best, then by proofs, visits and prior
  Outcomes<G> outcomes;       // expected end for the player to move, mean of the evaluated leaves
  float value;                // root value for the player to move
  std::uint32_t visits;       // of the root, kept ones included
  std::uint32_t evaluations;  // network rows this search asked for
  std::uint32_t depth;        // longest descent, in moves that were not forced
  bool proven;                // the root's value is exact
  bool full;                  // ended early: the tree was full

  Action best() const { return choices.front().action; }
  std::uint32_t most_visits() const {
    return std::ranges::max_element(choices, {}, &Choice::visits)->visits;
  }
};

/// A choice drawn with probability proportional to visits^(1/temperature); the best one when the
/// temperature is 0 or the result is proven, which is not gambled away. Allocates nothing.
template <Game G>
Action draw_choice(const Decision<G>& decision, float temperature, Random draw) {
  const auto most = static_cast<float>(decision.most_visits());
  if (!(temperature > 0) || most == 0 || decision.proven) return decision.best();
  const float exponent = 1.0f / temperature;
  const std::size_t chosen = draw.pick(decision.choices.size(), [&](std::size_t i) {
    return std::pow(static_cast<float>(decision.choices[i].visits) / most, exponent);
  });
  return decision.choices[chosen].action;
}

}  // namespace senet
