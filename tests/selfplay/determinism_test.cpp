// The same seed and network give the same games, bit for bit, for any number of threads and lanes.
#include <gtest/gtest.h>

#include "tests/all_games.hpp"
#include "tests/effort.hpp"
#include "tests/game_types.hpp"
#include "tests/selfplay/selfplay_runs.hpp"

namespace senet {
namespace {

template <class G>
class SameGames : public testing::Test {};
TYPED_TEST_SUITE(SameGames, GameTypes, GameName);

template <Game G>
void expect_the_same_games(SelfPlaySettings settings, std::uint64_t count) {
  settings.workers = 1;
  settings.worker.lanes = 1;
  settings.driver = Driver::kPlainLoop;
  const auto expected = play_run<G>(settings, count);
  ASSERT_EQ(expected.size(), count);
  for (const Driver driver : drivers()) {
    for (const std::size_t workers : {1, 2, 14}) {
      for (const std::size_t lanes : {1, 4, 16}) {
        settings.driver = driver;
        settings.workers = workers;
        settings.worker.lanes = lanes;
        EXPECT_TRUE(play_run<G>(settings, count) == expected)
            << workers << " workers, " << lanes << " lanes, driver " << static_cast<int>(driver);
      }
    }
  }
}

TYPED_TEST(SameGames, TheSameForAnyLanesWorkersAndDriver) {
  expect_the_same_games<TypeParam>(small_run(EvaluatorKind::kHash, 24), 24);
}

TYPED_TEST(SameGames, AlsoWithTheOwnKernelsAndAnyBatch) {
  SelfPlaySettings settings = small_run(EvaluatorKind::kFused, 12);
  expect_the_same_games<TypeParam>(settings, 8);
  settings.worker.evaluation.batch_rows = 32;
  const auto wide = play_run<TypeParam>(settings, 8);
  settings.worker.evaluation.batch_rows = 3;
  EXPECT_TRUE(play_run<TypeParam>(settings, 8) == wide);
}

// Cached evaluations do not change the games.
TYPED_TEST(SameGames, WithAndWithoutRememberedEvaluations) {
  SelfPlaySettings settings = small_run(EvaluatorKind::kFused, 24);
  for (const Evaluates evaluates : {Evaluates::kPosition, Evaluates::kAfterstates}) {
    if (evaluates == Evaluates::kAfterstates && !TypeParam::kHasAfterstates) continue;
    settings.worker.search.evaluates = evaluates;
    settings.worker.cache_mib = 0;
    const auto without = play_run<TypeParam>(settings, 12);
    settings.worker.cache_mib = 1;
    EXPECT_TRUE(play_run<TypeParam>(settings, 12) == without);
  }
}

TEST(Determinism, AfterstatesToo) {
  SelfPlaySettings settings = small_run(EvaluatorKind::kHash, 4);
  settings.worker.search.evaluates = Evaluates::kAfterstates;
  expect_the_same_games<Backgammon>(settings, 6);
}

// A lane must not carry over state from its previous game: short games with long random openings
// reach the same positions again.
TEST(Determinism, WhateverALanePlayedBefore) {
  SelfPlaySettings settings = small_run(EvaluatorKind::kHash, 48);
  settings.play.full_share = 1;
  settings.play.random_plies = 8;
  settings.play.resign_below = 0.02f;
  expect_the_same_games<ConnectFour>(settings, effort(100u));
  expect_the_same_games<TicTacToe>(settings, effort(100u));
}

TEST(Determinism, AnotherSeedGivesOtherGames) {
  SelfPlaySettings settings = small_run(EvaluatorKind::kHash, 24);
  const auto games = play_run<ConnectFour>(settings, 4);
  settings.play.seed = 2;
  EXPECT_FALSE(play_run<ConnectFour>(settings, 4) == games);
}

}  // namespace
}  // namespace senet
