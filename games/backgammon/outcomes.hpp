// The ways a game of backgammon ends, as exclusive outcomes (what the network predicts) and as the
// cumulative probabilities the backgammon world speaks of.
#pragma once

#include <span>

namespace senet::backgammon {

/// GNU Backgammon's five numbers, for one player: a gammon counts as a win, a backgammon as both.
/// Cubeless.
struct Probabilities {
  float win = 0;
  float win_gammon = 0;  // gammon or backgammon
  float win_backgammon = 0;
  float lose_gammon = 0;  // gammon or backgammon
  float lose_backgammon = 0;

  /// Cubeless money equity in points, -3..3.
  constexpr float equity() const {
    return 2 * win - 1 + win_gammon + win_backgammon - lose_gammon - lose_backgammon;
  }
};

/// From the six exclusive outcomes of Backgammon::kOutcomeValues (win single, gammon, backgammon,
/// lose single, gammon, backgammon), which sum to 1. The result is always consistent: win >=
/// win_gammon >= win_backgammon.
constexpr Probabilities cumulative(std::span<const float, 6> outcomes) {
  return {.win = outcomes[0] + outcomes[1] + outcomes[2],
          .win_gammon = outcomes[1] + outcomes[2],
          .win_backgammon = outcomes[2],
          .lose_gammon = outcomes[4] + outcomes[5],
          .lose_backgammon = outcomes[5]};
}

}  // namespace senet::backgammon
