#include "games/backgammon/kit/linear.hpp"

#include <algorithm>

#include "games/backgammon/kit.hpp"
#include "games/backgammon/kit/linear_weights.hpp"

namespace senet::backgammon {
namespace {

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
  if (checkers[kBar] > 0) add(features, first + 96, checkers[kBar]);
  if (checkers[kOff] > 0) add(features, first + 97, checkers[kOff]);
}

std::size_t farthest(const Checkers& checkers) {
  std::size_t place = kBar;
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

Action linear_move(const AnyState& state, Random) {
  return best_linear_play(state.as<Backgammon>(), kLinearWeights);
}

}  // namespace senet::backgammon
