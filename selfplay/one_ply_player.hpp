// A yardstick for games on a grid of stones: a player that looks one move ahead and knows nothing
// else.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "games/connect_four/connect_four.hpp"
#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "selfplay/match_player.hpp"

namespace senet {

/// How good a place is when nothing else tells moves apart: nearer to the middle is better.
template <class G>
struct PlaceWorth;
template <>
struct PlaceWorth<ConnectFour> {
  static int of(Action column) { return -std::abs(static_cast<int>(column) - 3); }
};
template <>
struct PlaceWorth<TicTacToe> {
  static int of(Action cell) { return cell == 4 ? 2 : cell % 2 == 0 ? 1 : 0; }
};

/// Games the one-ply player knows.
template <class G>
concept OnePlyGame = Game<G> && !StochasticGame<G> && requires(Action a) {
  PlaceWorth<G>::of(a);
};

/// Wins when it can at once; else leaves the opponent no winning reply when it can; else, or among
/// several such moves, plays nearest to the middle, and draws among those.
template <OnePlyGame G>
class OnePlyPlayer final : public MatchPlayer<G> {
 public:
  Result<void> choose(std::span<const G> states, std::span<const Random> draws,
                      std::span<Action> actions) override {
    for (std::size_t i = 0; i < states.size(); ++i) actions[i] = best(states[i], draws[i]);
    return {};
  }

 private:
  using Moves = ActionList<G::kMaxLegal>;

  static bool wins(const G& state, Action action) {
    const Player mover = state.viewer();
    G after = state;
    after.play(action);
    return after.turn() == Turn::kOver && final_value(after, mover) > 0;
  }

  /// Higher is better: winning, not losing at once, the place.
  static int worth(const G& state, Action action) {
    constexpr int kWins = 1000, kLoses = -1000;
    if (wins(state, action)) return kWins;
    G after = state;
    after.play(action);
    int worth = PlaceWorth<G>::of(action);
    if (after.turn() == Turn::kOver) return worth;
    Moves replies;
    after.legal(replies);
    if (std::ranges::any_of(replies, [&](Action reply) { return wins(after, reply); })) {
      worth += kLoses;
    }
    return worth;
  }

  static Action best(const G& state, Random draw) {
    Moves legal, chosen;
    state.legal(legal);
    int most = 0;
    for (const Action action : legal) {
      const int worth = OnePlyPlayer::worth(state, action);
      if (chosen.empty() || worth > most) {
        chosen.clear();
        most = worth;
      }
      if (worth == most) chosen.push_back(action);
    }
    return draw_one(chosen, draw);
  }
};

}  // namespace senet
