// Rolls the dice and draws random moves.
#pragma once

#include <array>
#include <cassert>

#include "games/random.hpp"
#include "senet/game.hpp"

namespace senet {

/// Draws an outcome of the chance turn `state` by its probability.
template <Game G>
Action draw_roll([[maybe_unused]] const G& state, [[maybe_unused]] Random& random) {
  assert(state.turn() == Turn::kChance);
  if constexpr (StochasticGame<G>) {
    std::array<float, kMaxChance<G>> probability;
    const std::size_t outcomes = state.chance(probability);
    return static_cast<Action>(random.pick({probability.data(), outcomes}));
  }
  return 0;
}

/// Draws a uniformly random element of `actions`, which is not empty.
template <std::size_t kCapacity>
Action draw_one(const ActionList<kCapacity>& actions, Random& random) {
  return actions[random.below(static_cast<std::uint32_t>(actions.size()))];
}

/// Draws a roll by its probability on a chance turn, otherwise a uniformly random legal action.
/// `state` is unfinished.
template <Game G>
Action draw_action(const G& state, Random& random) {
  if (state.turn() == Turn::kChance) return draw_roll(state, random);
  ActionList<G::kMaxLegal> legal;
  state.legal(legal);
  return draw_one(legal, random);
}

}  // namespace senet
