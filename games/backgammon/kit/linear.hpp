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

#include <array>
#include <cstddef>
#include <cstdint>

#include "games/backgammon/backgammon.hpp"

namespace senet::backgammon {

/// The features of one board, those that are not 0.
struct LinearFeatures {
  static constexpr std::size_t kOfPlayer = 24 * 4 + 2;
  static constexpr std::size_t kOfTable = 2 * kOfPlayer;
  static constexpr std::size_t kAll = 2 * kOfTable;  // contact, race

  struct Feature {
    std::uint16_t index;
    std::uint8_t times;
  };
  // 15 checkers on at most 15 points, each with at most two features, and bar and off.
  std::array<Feature, 2 * (2 * 15 + 2)> list{};
  std::size_t count = 0;
};

/// The features of a board after `mover` has played; the opponent is board.on_roll.
LinearFeatures linear_features(const Board& board);

/// The sum of these weights, one a feature; the higher the better for who has just played.
template <class Weight>
double linear_sum(const LinearFeatures& features,
                  const std::array<Weight, LinearFeatures::kAll>& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < features.count; ++i) {
    sum += weights[features.list[i].index] * features.list[i].times;
  }
  return sum;
}

/// The play after which the sum is highest, a winning one before all others; of equals the lowest
/// action.
template <class Weight>
Action best_linear_play(const Backgammon& state,
                        const std::array<Weight, LinearFeatures::kAll>& weights) {
  ActionList<Backgammon::kMaxLegal> legal;
  state.legal(legal);
  Action best = legal.front();
  double most = -1e300;
  for (const Action action : legal) {
    Backgammon after = state;
    after.play(action);
    if (after.turn() == Turn::kOver) return action;
    const double sum = linear_sum(linear_features(after.board()), weights);
    if (sum > most) {
      most = sum;
      best = action;
    }
  }
  return best;
}

}  // namespace senet::backgammon
