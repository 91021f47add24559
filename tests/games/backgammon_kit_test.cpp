// Backgammon's kit: the features of its linear player.
#include <gtest/gtest.h>

#include "games/backgammon/kit/linear.hpp"

namespace senet::backgammon {
namespace {

TEST(BackgammonLinearPlayer, FeaturesSeeBothSidesAndTheRace) {
  const Backgammon start;
  const LinearFeatures features = linear_features(start.board());
  // Points with 2, 3 and twice 5 checkers, the last with one more feature, for each player.
  EXPECT_EQ(features.count, 12u);
  std::array<int, LinearFeatures::kAll> weights{};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = i < LinearFeatures::kOfPlayer ? 1 : i < LinearFeatures::kOfTable ? -1 : 1000;
  }
  EXPECT_EQ(linear_sum(features, weights), 0) << "both stand alike, and in contact";
  Checkers home{};
  home[1] = 15;
  const LinearFeatures race = linear_features({home, home});
  EXPECT_EQ(race.count, 4u);
  EXPECT_EQ(linear_sum(race, weights), 2 * (1000 + 12 * 1000));
}

}  // namespace
}  // namespace senet::backgammon
