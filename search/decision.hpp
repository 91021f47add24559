// What a search found out about one position.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "games/random.hpp"
#include "search/outcomes.hpp"

namespace senet {

/// One legal action of the root. Values are values for the player to move there. An action that is
/// not sound (games/sound_moves.hpp) has no visits and no prior, and the result as its value if
/// forced replies bring it about.
struct Choice {
  Action action;
  std::uint32_t visits;
  std::uint32_t target;  // its weight in the policy target, as the search's rule says it
  float prior;           // the network's at settings.policy_temperature, without noise
  float value;           // mean value; the afterstate's own or the root's when unvisited
};

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

/// A choice drawn with probability proportional to target^(1/temperature); the best one when the
/// temperature is 0 or the result is proven, which is not gambled away. Allocates nothing.
template <Game G>
Action draw_choice(const Decision<G>& decision, float temperature, Random draw) {
  const auto most =
      static_cast<float>(std::ranges::max_element(decision.choices, {}, &Choice::target)->target);
  if (!(temperature > 0) || most == 0 || decision.proven) return decision.best();
  const float exponent = 1.0f / temperature;
  const std::size_t chosen = draw.pick(decision.choices.size(), [&](std::size_t i) {
    return std::pow(static_cast<float>(decision.choices[i].target) / most, exponent);
  });
  return decision.choices[chosen].action;
}

}  // namespace senet
