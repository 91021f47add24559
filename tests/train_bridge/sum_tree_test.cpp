// The sum tree against plain sums.
#include "train_bridge/sum_tree.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "games/random.hpp"

namespace senet {
namespace {

TEST(SumTree, FindsEveryPlaceAtItsSharesOfTheSum) {
  for (const std::size_t places : {1u, 2u, 3u, 7u, 8u, 13u, 64u}) {
    SumTree tree(places);
    std::vector<double> weights(places);
    EXPECT_EQ(tree.total(), 0);
    Random random(1, places, 0, Purpose::kTest);
    for (int change = 0; change < 200; ++change) {
      const std::size_t place = random.below(static_cast<std::uint32_t>(places));
      weights[place] = random.below(5);  // whole numbers, whose sums are exact
      tree.set(place, weights[place]);
      EXPECT_EQ(tree.total(), std::accumulate(weights.begin(), weights.end(), 0.0));
      double before = 0;
      for (std::size_t i = 0; i < places; ++i) {
        EXPECT_EQ(tree.weight(i), weights[i]);
        EXPECT_EQ(tree.before(i), before);
        for (double point = before; point < before + weights[i]; point += 0.5) {
          EXPECT_EQ(tree.find(point), i);
        }
        before += weights[i];
      }
    }
  }
}

// Rounding may reach the end of the sum.
TEST(SumTree, TheEndOfTheSumIsTheLastPlaceWithAWeight) {
  SumTree tree(6);
  tree.set(1, 1);
  tree.set(3, 0.5);
  EXPECT_EQ(tree.find(1.5), 3u);
  EXPECT_EQ(tree.find(100), 3u);
}

TEST(SumTree, ErrorsDoNotAddUp) {
  SumTree tree(4);
  for (int i = 0; i < 1000; ++i) tree.set(2, 1e15 / (i + 1));
  tree.set(2, 0);
  tree.set(0, 0.1);
  EXPECT_EQ(tree.total(), 0.1);
}

}  // namespace
}  // namespace senet
