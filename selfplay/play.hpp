// A whole self-play game as one function, for a lane that can suspend.
#pragma once

#include "engine/lanes/lane.hpp"
#include "selfplay/game_in_play.hpp"

namespace senet {

/// Plays game `number` from its start to its end and returns its record, which stays in `game`.
/// `evaluator` and `settings` are written into it. Suspends inside think(), many times: the other
/// lanes of the worker play meanwhile.
template <Game G>
GameRecord& play(Lane<G>& lane, GameInPlay<G>& game, std::uint64_t number,
                 std::string_view evaluator, std::string_view settings) {
  lane.begin_game();
  game.begin(number, evaluator, settings);
  while (game.next_decision()) {
    const Decision<G> decision = lane.think(game.state(), game.budget(), game.noise());
    game.take(decision, lane.model(),
              [&](Action action) { return lane.search().outcomes_after(action); });
  }
  return game.record();
}

}  // namespace senet
