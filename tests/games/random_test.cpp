#include "games/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "games/backgammon/backgammon.hpp"
#include "games/connect_four/connect_four.hpp"
#include "games/random_moves.hpp"

namespace senet {
namespace {

using Block = std::array<std::uint32_t, 4>;

// Known answers of Philox4x32-10 from the paper's reference code (Random123, kat_vectors).
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, StreamIsAFunctionOfItsName) {
  Random a(7, 3, 2, Purpose::kTest), b(7, 3, 2, Purpose::kTest);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
}

TEST(Random, CopyForksTheStream) {
  Random a(7, 3, 2, Purpose::kTest);
  a.next();
  Random b = a;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
}

TEST(Random, StreamsOfDifferentNamesDiffer) {
  constexpr std::uint64_t kHigh = std::uint64_t{1} << 32;
  std::vector<Random> streams = {
      {1, 1, 1, Purpose::kTest},         {2, 1, 1, Purpose::kTest},
      {1 + kHigh, 1, 1, Purpose::kTest}, {1, 2, 1, Purpose::kTest},
      {1, 1 + kHigh, 1, Purpose::kTest}, {1, 1, 2, Purpose::kTest},
      {1, 1, 1, Purpose::kOpening},      {1, 1, 1, Purpose::kChance},
      {1, 1, 1, Purpose::kMove},
  };
  // No 64-bit value occurs twice, neither in one stream nor in two.
  constexpr std::size_t kWindows = 1000;
  std::set<std::uint64_t> seen;
  for (Random& stream : streams) {
    for (std::size_t i = 0; i < kWindows; ++i) {
      const std::uint64_t high = stream.next();
      seen.insert(high << 32 | stream.next());
    }
  }
  EXPECT_EQ(seen.size(), kWindows * streams.size());
}

TEST(Random, BelowIsUniform) {
  // With 3 * 2^30, multiplication without rejection would return every third number twice as often.
  for (const std::uint32_t bound : {1u, 2u, 3u, 6u, 7u, 10u, 3u << 30}) {
    Random random(11, bound, 0, Purpose::kTest);
    constexpr int kDraws = 60'000;
    const std::uint32_t cells = std::min(bound, 12u);
    std::vector<double> count(cells);
    for (int i = 0; i < kDraws; ++i) {
      const std::uint32_t draw = random.below(bound);
      ASSERT_LT(draw, bound);
      ++count[draw % cells];
    }
    const double expected = static_cast<double>(kDraws) / cells;
    for (const double n : count) EXPECT_NEAR(n, expected, 5.0 * std::sqrt(expected) + 1e-9);
  }
}

TEST(Random, UniformHasTheMomentsOfItsDistribution) {
  Random random(12, 0, 0, Purpose::kTest);
  constexpr int kDraws = 200'000;
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.uniform();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 0.004);
  EXPECT_NEAR(squares / kDraws, 1.0 / 3.0, 0.004);
}

TEST(Random, NormalHasTheMomentsOfItsDistribution) {
  Random random(13, 0, 0, Purpose::kTest);
  constexpr int kDraws = 200'000;
  double sum = 0.0, squares = 0.0, fourths = 0.0;
  int beyond_two = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.normal();
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
    fourths += x * x * x * x;
    beyond_two += std::abs(x) > 2.0;
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 0.012);
  EXPECT_NEAR(squares / kDraws, 1.0, 0.016);
  EXPECT_NEAR(fourths / kDraws, 3.0, 0.12);
  EXPECT_NEAR(static_cast<double>(beyond_two) / kDraws, 0.0455, 0.0025);
}

TEST(Random, GammaHasTheMomentsOfItsDistribution) {
  for (const float alpha : {0.03f, 0.3f, 1.0f, 2.5f, 10.0f}) {
    Random random(14, static_cast<std::uint64_t>(alpha * 100), 0, Purpose::kTest);
    constexpr int kDraws = 200'000;
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < kDraws; ++i) {
      const double x = random.gamma(alpha);
      ASSERT_TRUE(std::isfinite(x));
      ASSERT_GE(x, 0.0);
      sum += x;
      squares += x * x;
    }
    // Mean and variance are both alpha; the fourth central moment is 3 alpha^2 + 6 alpha.
    const double mean = sum / kDraws, variance = squares / kDraws - mean * mean;
    const double a = alpha;
    EXPECT_NEAR(mean, a, 5.0 * std::sqrt(a / kDraws)) << alpha;
    EXPECT_NEAR(variance, a, 5.0 * std::sqrt((2.0 * a * a + 6.0 * a) / kDraws)) << alpha;
  }
}

TEST(Random, DirichletSharesSumToOne) {
  // With 0.0001 all draws sometimes underflow, which must not produce NaN.
  for (const float alpha : {0.0001f, 0.03f, 0.3f, 1.0f, 10.0f}) {
    Random random(15, 0, 0, Purpose::kTest);
    constexpr int kDraws = 20'000;
    std::array<float, 7> shares;
    std::array<double, 7> mean{};
    double squares = 0.0;
    for (int i = 0; i < kDraws; ++i) {
      random.dirichlet(alpha, shares);
      double sum = 0.0;
      for (std::size_t k = 0; k < shares.size(); ++k) {
        ASSERT_GE(shares[k], 0.0f);
        sum += shares[k];
        mean[k] += shares[k];
        squares += shares[k] * shares[k];
      }
      ASSERT_NEAR(sum, 1.0, 1e-5);
    }
    for (const double m : mean) EXPECT_NEAR(m / kDraws, 1.0 / 7.0, 0.014) << alpha;
    // The expected square of one share is (1 + alpha) / (n (1 + n alpha)).
    const double expected = (1.0 + alpha) / (7.0 * (1.0 + 7.0 * alpha));
    EXPECT_NEAR(squares / (7.0 * kDraws), expected, 0.01) << alpha;
  }
}

TEST(Random, PickFollowsTheWeights) {
  Random random(16, 0, 0, Purpose::kTest);
  const std::array<float, 5> weights = {0.0f, 1.0f, 2.0f, 5.0f, 0.0f};
  std::array<double, 5> count{};
  constexpr int kDraws = 80'000;
  for (int i = 0; i < kDraws; ++i) ++count[random.pick(weights)];
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double expected = weights[k] / 8.0 * kDraws;
    EXPECT_NEAR(count[k], expected, 5.0 * std::sqrt(expected)) << k;
  }
}

TEST(Draws, RollsByTheirProbabilityMovesEachAsLikely) {
  Random random(17, 0, 0, Purpose::kTest);
  constexpr int kDraws = 36'000;
  const Backgammon before_the_roll = *Backgammon::from_text("4HPwATDgc/ABMA:0:-");
  std::array<float, kMaxChance<Backgammon>> chance;
  const std::size_t rolls = before_the_roll.chance(chance);
  std::vector<double> rolled(rolls), moved(ConnectFour::kMaxLegal);
  for (int i = 0; i < kDraws; ++i) {
    ++rolled.at(draw_action(before_the_roll, random));
    ++moved.at(draw_action(ConnectFour{}, random));
  }
  for (std::size_t k = 0; k < rolls; ++k) {
    const double expected = double{chance[k]} * kDraws;
    EXPECT_NEAR(rolled[k], expected, 5 * std::sqrt(expected)) << k;
  }
  for (std::size_t k = 0; k < moved.size(); ++k) {
    const double expected = kDraws / 7.0;
    EXPECT_NEAR(moved[k], expected, 5 * std::sqrt(expected)) << k;
  }
}

}  // namespace
}  // namespace senet
