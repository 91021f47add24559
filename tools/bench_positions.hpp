// Positions to measure on: those of games played at random.
#pragma once

#include <array>
#include <vector>

#include "games/game.hpp"
#include "games/random.hpp"

namespace senet {

/// Plays a random legal action, or rolls; `state` is not over. Returns the state it leads to.
template <Game G>
G random_successor(const G& state, Random& random) {
  G next = state;
  if constexpr (StochasticGame<G>) {
    if (state.turn() == Turn::kChance) {
      std::array<float, kMaxChance<G>> probability;
      const std::size_t count = state.chance(probability);
      next.play(static_cast<Action>(random.pick({probability.data(), count})));
      return next;
    }
  }
  ActionList<G::kMaxLegal> actions;
  state.legal(actions);
  next.play(actions[random.below(static_cast<std::uint32_t>(actions.size()))]);
  return next;
}

/// `count` positions in which a player is to move, one after the other from games played at random.
template <Game G>
std::vector<G> random_decisions(std::size_t count, std::uint64_t seed) {
  std::vector<G> decisions;
  Random random(seed, 0, 0, Purpose::kTest);
  for (G state; decisions.size() < count;) {
    if (is_decision(state.turn())) decisions.push_back(state);
    state = state.turn() == Turn::kOver ? G{} : random_successor(state, random);
  }
  return decisions;
}

}  // namespace senet
