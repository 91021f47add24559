// A yardstick for backgammon: a linear sum over the raw board, as Tesauro's public benchmark player
// is one, with weights of our own.
//
// A player looks at the position after each of its plays and adds up one weight a feature. For each
// of both players: a single checker, two, three or more, and how many beyond three, on each of the
// 24 points as that player numbers them; checkers on the bar; checkers borne off. There are two
// tables of weights, one while the players can still hit each other and one for races.
//
// The weights in linear_weights.hpp were learnt by this player playing itself, by
// TD(0): build/release/tools/learn_linear 200000 prints them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "games/backgammon/backgammon.hpp"

namespace senet::backgammon {

/// How many features there are of one player, in one table, and in both: contact, race.
inline constexpr std::size_t kFeaturesOfPlayer = 24 * 4 + 2;
inline constexpr std::size_t kFeaturesOfTable = 2 * kFeaturesOfPlayer;
template <class Weight>
using LinearWeights = std::array<Weight, 2 * kFeaturesOfTable>;

/// Calls visit(index, times) for the features of a board that are not 0. It is that after a player
/// has played: the opponent is board.on_roll.
template <class Visit>
void visit_linear_features(const Board& board, const Visit& visit) {
  std::size_t first = can_meet(board.on_roll, board.waiting) ? 0 : kFeaturesOfTable;
  for (const Checkers* const checkers : {&board.waiting, &board.on_roll}) {
    for (std::size_t point = 1; point <= 24; ++point) {
      const int count = (*checkers)[point];
      if (count == 0) continue;
      const std::size_t place = first + 4 * (point - 1);
      visit(place + static_cast<std::size_t>(std::min(count, 3) - 1), 1);
      if (count > 3) visit(place + 3, count - 3);
    }
    if ((*checkers)[kBar] > 0) visit(first + 96, int{(*checkers)[kBar]});
    if ((*checkers)[kOff] > 0) visit(first + 97, int{(*checkers)[kOff]});
    first += kFeaturesOfPlayer;
  }
}

/// The sum of these weights, one a feature; the higher the better for the player who has just
/// played.
template <class Weight>
double linear_sum(const Board& board, const LinearWeights<Weight>& weights) {
  double sum = 0;
  visit_linear_features(board, [&](std::size_t i, int times) { sum += weights[i] * times; });
  return sum;
}

/// The play after which the sum is highest, a winning one before all others; of equals the lowest
/// action.
template <class Weight>
Action best_linear_play(const Backgammon& state, const LinearWeights<Weight>& weights) {
  ActionList<Backgammon::kMaxLegal> legal;
  state.legal(legal);
  Action best = legal.front();
  double most = -1e300;
  for (const Action action : legal) {
    Backgammon after = state;
    after.play(action);
    if (after.turn() == Turn::kOver) return action;
    const double sum = linear_sum(after.board(), weights);
    if (sum > most) {
      most = sum;
      best = action;
    }
  }
  return best;
}

}  // namespace senet::backgammon
