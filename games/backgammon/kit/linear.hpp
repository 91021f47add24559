// A baseline player for backgammon: a linear function of the raw board, like Tesauro's public
// benchmark player, with our own weights.
//
// The player evaluates the position after each play as a sum of weighted features. For each of the
// two players: a single checker, two, three or more, and the number beyond three, on each of the 24
// points from that player's perspective; checkers on the bar; checkers borne off. There are two
// tables of weights, one for positions with contact and one for races.
//
// The weights in linear_weights.hpp were trained by TD(0) in games of the player against itself:
// build/release/tools/learn_linear 200000 prints them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "games/backgammon/backgammon.hpp"

namespace senet::backgammon {

/// Numbers of features of one player and of one table. LinearWeights has two tables: contact, race.
inline constexpr std::size_t kFeaturesOfPlayer = 24 * 4 + 2;
inline constexpr std::size_t kFeaturesOfTable = 2 * kFeaturesOfPlayer;
template <class Weight>
using LinearWeights = std::array<Weight, 2 * kFeaturesOfTable>;

/// Calls visit(index, times) for each non-zero feature of the board after a play: the player who
/// has just played is board.waiting, the opponent board.on_roll.
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

/// The weighted sum of the features; higher is better for the player who has just played.
template <class Weight>
double linear_sum(const Board& board, const LinearWeights<Weight>& weights) {
  double sum = 0;
  visit_linear_features(board, [&](std::size_t i, int times) { sum += weights[i] * times; });
  return sum;
}

/// A play that ends the game, or else the play with the highest sum; the lowest action among
/// equals.
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
