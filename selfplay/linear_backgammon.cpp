#include "selfplay/linear_backgammon.hpp"

#include <algorithm>

#include "selfplay/linear_backgammon_weights.hpp"

namespace senet {
namespace {

using backgammon::Board;
using backgammon::Checkers;

void add(LinearFeatures& features, std::size_t index, int times) {
  features.list[features.count++] = {static_cast<std::uint16_t>(index),
                                     static_cast<std::uint8_t>(times)};
}

void add_player(LinearFeatures& features, std::size_t first, const Checkers& checkers) {
  for (std::size_t point = 1; point <= 24; ++point) {
    const int count = checkers[point];
    if (count == 0) continue;
    const std::size_t place = first + 4 * (point - 1);
    add(features, place + static_cast<std::size_t>(std::min(count, 3) - 1), 1);
    if (count > 3) add(features, place + 3, count - 3);
  }
  if (checkers[backgammon::kBar] > 0) add(features, first + 96, checkers[backgammon::kBar]);
  if (checkers[backgammon::kOff] > 0) add(features, first + 97, checkers[backgammon::kOff]);
}

std::size_t farthest(const Checkers& checkers) {
  std::size_t place = backgammon::kBar;
  while (place > 0 && checkers[place] == 0) --place;
  return place;
}

}  // namespace

LinearFeatures linear_features(const Board& board) {
  // Own point p is the opponent's 25 - p: they have passed each other when these do not overlap.
  const bool is_race = farthest(board.on_roll) + farthest(board.waiting) < 25;
  const std::size_t table = is_race ? LinearFeatures::kOfTable : 0;
  LinearFeatures features;
  add_player(features, table, board.waiting);
  add_player(features, table + LinearFeatures::kOfPlayer, board.on_roll);
  return features;
}

Result<void> LinearPlayer::choose(std::span<const Backgammon> states, std::span<const Random>,
                                  std::span<Action> actions) {
  for (std::size_t i = 0; i < states.size(); ++i) {
    actions[i] = best_linear_play(states[i], kLinearBackgammonWeights);
  }
  return {};
}

}  // namespace senet
