// Processing four edges at a time must give the same results as one at a time.
#include "search/select.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "games/random.hpp"
#include "search/puct.hpp"

namespace senet {
namespace {

// A node's hot blocks with `opened` edges and few distinct values, so that many scores are equal.
std::vector<EdgeBlock> random_blocks(std::uint32_t opened, Random& draw) {
  std::vector<EdgeBlock> blocks(hot_blocks(opened));
  const HotEdges edges(blocks.data());
  for (std::uint32_t i = 0; i < opened; ++i) {
    edges.q(i) = static_cast<float>(draw.below(5)) / 2 - 1;
    edges.p(i) = static_cast<float>(draw.below(4)) / 4;
    edges.n(i) = static_cast<std::int32_t>(draw.below(3));
  }
  return blocks;
}

TEST(Selection, TakesTheFirstOfTheHighestScores) {
  Random draw(1, 0, 0, Purpose::kTest);
  std::size_t opens = 0, from_later_blocks = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::uint32_t opened = 1 + draw.below(11);
    std::vector<EdgeBlock> blocks = random_blocks(opened, draw);
    const HotEdges edges(blocks.data());
    const Candidate candidate{draw.uniform(), draw.uniform() - 0.5f, 0.2f};
    const bool has_candidate = draw.below(2) == 0;
    const float c = draw.below(2) == 0 ? 0.0f : 1.0f;
    std::uint32_t expected = 0;
    float best = -1e9f, seen = 0;
    for (std::uint32_t i = 0; i < opened; ++i) {
      const float score = edges.q(i) + c * edges.p(i) / static_cast<float>(1 + edges.n(i));
      seen += edges.p(i);
      if (score > best + 1e-6f) best = score, expected = i;
    }
    const float assumed = candidate.q - candidate.reduction * std::sqrt(seen);
    if (has_candidate && assumed + c * candidate.p > best) expected = opened;
    const std::uint32_t got = select_action(edges, opened, c, has_candidate ? &candidate : nullptr);
    ASSERT_EQ(got, expected) << round;
    opens += got == opened;
    from_later_blocks += got < opened && got >= kLanes;
  }
  EXPECT_GT(opens, 1'000u);
  EXPECT_GT(from_later_blocks, 1'000u);
}

TEST(Selection, ChanceTakesWhatLagsMost) {
  Random draw(2, 0, 0, Purpose::kTest);
  for (int round = 0; round < 20'000; ++round) {
    const std::uint32_t opened = 1 + draw.below(21);
    std::vector<EdgeBlock> blocks = random_blocks(opened, draw);
    const HotEdges edges(blocks.data());
    for (std::uint32_t i = 0; i < opened; ++i) edges.p(i) = draw.below(2) == 0 ? 0.25f : 0.5f;
    std::uint32_t best = 0;
    const auto lag = [&](std::uint32_t i) {
      return edges.p(i) / static_cast<float>(1 + edges.n(i));
    };
    for (std::uint32_t i = 1; i < opened; ++i) {
      if (lag(i) > lag(best)) best = i;
    }
    ASSERT_EQ(select_outcome(edges, opened, -1), best);
    ASSERT_EQ(select_outcome(edges, opened, lag(best)), opened);
    ASSERT_EQ(select_outcome(edges, opened, 0.1f) == opened, 0.1f >= lag(best));
  }
}

TEST(Selection, SumsLeaveOneEdgeOut) {
  Random draw(3, 0, 0, Purpose::kTest);
  for (int round = 0; round < 20'000; ++round) {
    const std::uint32_t opened = 1 + draw.below(11), left_out = draw.below(opened);
    std::vector<EdgeBlock> blocks = random_blocks(opened, draw);
    const HotEdges edges(blocks.data());
    float value = 0, weight = 0, mean = 0, share = 0;
    for (std::uint32_t i = 0; i < opened; ++i) {
      if (i == left_out) continue;
      const auto n = static_cast<float>(edges.n(i));
      if (edges.p(i) != 0 || edges.q(i) != -1) value += edges.q(i) * n, weight += n;
      if (n > 0) mean += edges.q(i) * edges.p(i), share += edges.p(i);
    }
    const EdgeSums actions = sum_of_actions(edges, opened, left_out, -1);
    EXPECT_FLOAT_EQ(actions.value, value);
    EXPECT_FLOAT_EQ(actions.weight, weight);
    const EdgeSums outcomes = sum_of_outcomes(edges, opened, left_out);
    EXPECT_FLOAT_EQ(outcomes.value, mean);
    EXPECT_FLOAT_EQ(outcomes.weight, share);
  }
}

}  // namespace
}  // namespace senet
