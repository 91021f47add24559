// The value of a position without a network: the result of one random game.
#pragma once

#include <algorithm>
#include <cstdint>

#include "games/random.hpp"
#include "games/random_moves.hpp"
#include "search/outcomes.hpp"

namespace senet {

/// Plays random moves from `state`, which is unfinished, to the end of the game. Returns how it
/// ended, for the player who views `state`; all ways to end alike if it did not end in kMostPlies.
/// Depends only on the position and `number`, so that every search values a position alike.
template <Game G>
Outcomes<G> play_out(const G& state, std::uint32_t number = 0) {
  constexpr std::uint32_t kMostPlies = 4096;
  Random random(state.key(), number, 0, Purpose::kPlayout);
  G game = state;
  std::uint32_t ply = 0;
  for (; ply < kMostPlies && game.turn() != Turn::kOver; ++ply) {
    game.play(draw_action(game, random));
  }
  if (game.turn() == Turn::kOver) {
    const Outcomes<G> end = moves_before(game, certain_end(game), ply);
    return state.viewer() == 0 ? end : mirrored(game, end);
  }
  Outcomes<G> any{};
  const std::size_t ways = outcome_values(game).size();
  std::fill_n(any.begin(), ways, 1.0f / static_cast<float>(ways));
  return any;
}

/// The mean of random games from `state`, which is unfinished, for the player who views it.
template <Game G>
Outcomes<G> mean_playout(const G& state) {
  constexpr std::uint32_t kGames = 256;
  Outcomes<G> mean{};
  for (std::uint32_t number = 0; number < kGames; ++number) {
    const Outcomes<G> end = play_out(state, number);
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += end[i] / kGames;
  }
  return mean;
}

}  // namespace senet
