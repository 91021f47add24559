// The sequential test: compared with closed forms and with an independently computed solution, and
// its error rates.
#include "selfplay/sprt.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "games/backgammon/backgammon.hpp"
#include "games/random.hpp"
#include "selfplay/match_result.hpp"

namespace senet {
namespace {

const std::vector<double> kScores = {0, 0.25, 0.5, 0.75, 1};

std::vector<double> backgammon_means() {
  std::vector<double> values(Backgammon::kOutcomeValues.begin(), Backgammon::kOutcomeValues.end());
  values.push_back(0);
  return pair_means(values);
}

TEST(Sprt, TwoResultsAreABinomialTest) {
  const double expected = 60 * std::log(0.6 / 0.5) + 40 * std::log(0.4 / 0.5);
  EXPECT_NEAR(
      log_likelihood_ratio(std::vector<double>{0, 1}, std::vector<double>{40, 60}, 0.5, 0.6),
      expected, 1e-9);
}

// Expected values: maximum-likelihood distributions found by Newton's method on their two Lagrange
// multipliers.
TEST(Sprt, KnownRatios) {
  const std::vector<double> pairs = {12, 95, 230, 120, 18};
  EXPECT_NEAR(log_likelihood_ratio(kScores, pairs, expected_score(0), expected_score(10)),
              1.9097515626091717, 1e-9);
  EXPECT_NEAR(log_likelihood_ratio(kScores, pairs, expected_score(-5), expected_score(5)),
              3.0122640609559728, 1e-9);
  const std::vector<double> few = {1e-3, 3, 10, 4, 1e-3};
  EXPECT_NEAR(log_likelihood_ratio(kScores, few, expected_score(0), expected_score(50)),
              -0.9956943897596137, 1e-9);
  const std::vector<double> points = {2, 1, 9, 4, 30, 41, 100, 47, 38, 6, 12, 1e-3, 3};
  EXPECT_NEAR(log_likelihood_ratio(backgammon_means(), points, 0, 0.05), 0.7778180286077296, 1e-9);
  EXPECT_NEAR(log_likelihood_ratio(backgammon_means(), points, -0.1, 0.1), 4.679925520126783, 1e-9);
}

TEST(Sprt, FedPairByPairItIsTheSame) {
  Sprt sprt(kScores, {.mean0 = expected_score(0), .mean1 = expected_score(50)});
  EXPECT_EQ(sprt.log_likelihood_ratio(), 0);
  for (int i = 0; i < 3; ++i) sprt.add(0.25);
  for (int i = 0; i < 10; ++i) sprt.add(0.5);
  for (int i = 0; i < 4; ++i) sprt.add(0.75);
  EXPECT_NEAR(sprt.log_likelihood_ratio(), -0.9956943897596137, 1e-9);
  EXPECT_EQ(sprt.decision(), Sprt::Decision::kNone);
}

TEST(Sprt, BoundsAreWalds) {
  const Sprt even(kScores, {.mean0 = 0.5, .mean1 = 0.51});
  EXPECT_NEAR(even.lower_bound(), -2.9444389791664403, 1e-12);
  EXPECT_NEAR(even.upper_bound(), 2.9444389791664403, 1e-12);
  const Sprt odd(kScores, {.mean0 = 0.5, .mean1 = 0.51, .alpha = 0.01, .beta = 0.1});
  EXPECT_NEAR(odd.lower_bound(), std::log(0.1 / 0.99), 1e-12);
  EXPECT_NEAR(odd.upper_bound(), std::log(0.9 / 0.01), 1e-12);
}

TEST(Sprt, PairMeans) {
  EXPECT_EQ(pair_means(std::vector<double>{1, 0.5, 0}), kScores);
  const std::vector<double> means = backgammon_means();
  ASSERT_EQ(means.size(), 13u);
  for (std::size_t i = 0; i < means.size(); ++i)
    EXPECT_EQ(means[i], -3 + static_cast<double>(i) / 2);
}

/// How many of 400 matches end with each decision when pairs have these probabilities.
std::array<int, 3> decisions(const std::array<float, 5>& chances) {
  std::array<int, 3> count{};
  for (std::uint64_t match = 0; match < 400; ++match) {
    Sprt sprt(kScores, {.mean0 = 0.5, .mean1 = 0.55});
    for (std::uint32_t pair = 0; pair < 5000 && sprt.decision() == Sprt::Decision::kNone; ++pair) {
      Random draw(3, match, pair, Purpose::kTest);
      sprt.add(kScores[draw.pick(chances)]);
    }
    ++count[static_cast<std::size_t>(sprt.decision())];
  }
  return count;
}

// 5 % of 400 is 20, with a standard deviation of 4.4.
TEST(Sprt, ErrsAsOftenAsSaid) {
  const auto none = static_cast<std::size_t>(Sprt::Decision::kNone);
  const auto h0 = static_cast<std::size_t>(Sprt::Decision::kH0);
  const auto h1 = static_cast<std::size_t>(Sprt::Decision::kH1);
  const auto equal = decisions({0.05f, 0.2f, 0.5f, 0.2f, 0.05f});  // mean 0.5
  EXPECT_EQ(equal[none], 0);
  EXPECT_LT(equal[h1], 38);
  EXPECT_GT(equal[h0], 362);
  const auto better = decisions({0.05f, 0.1f, 0.5f, 0.3f, 0.05f});  // mean 0.55
  EXPECT_EQ(better[none], 0);
  EXPECT_LT(better[h0], 38);
  EXPECT_GT(better[h1], 362);
  const auto far_better = decisions({0.0f, 0.0f, 0.5f, 0.3f, 0.2f});
  EXPECT_EQ(far_better[h1], 400);
}

}  // namespace
}  // namespace senet
