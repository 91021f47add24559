// The kit of backgammon: the features of its linear player.
#include <gtest/gtest.h>

#include "games/backgammon/kit/linear.hpp"

namespace senet::backgammon {
namespace {

int features_of(const Board& board) {
  int count = 0;
  visit_linear_features(board, [&](std::size_t, int) { ++count; });
  return count;
}

TEST(BackgammonLinearPlayer, FeaturesSeeBothSidesAndTheRace) {
  const Board start = Backgammon().board();
  // For each player: points with 2, 3, 5 and 5 checkers; a point with 5 has two features.
  EXPECT_EQ(features_of(start), 12);
  LinearWeights<int> weights{};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = i < kFeaturesOfPlayer ? 1 : i < kFeaturesOfTable ? -1 : 1000;
  }
  EXPECT_EQ(linear_sum(start, weights), 0) << "symmetric, with contact";
  Checkers home{};
  home[1] = 15;
  EXPECT_EQ(features_of({home, home}), 4);
  EXPECT_EQ(linear_sum({home, home}, weights), 2 * (1000 + 12 * 1000));
}

}  // namespace
}  // namespace senet::backgammon
