// What a search found out about one position.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "search/outcomes.hpp"

namespace senet {

/// One legal action of the root. Values are told for the player to move there. An action that is
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

}  // namespace senet
