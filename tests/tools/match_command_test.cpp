// senet match: fair to both sides, the same for the same seed.
#include <gtest/gtest.h>

#include "tests/tools/program.hpp"

namespace senet {
namespace {

ProgramRun match(const std::string& game, const std::string& first, const std::string& second,
                 std::vector<std::string> more = {}) {
  more.insert(more.begin(),
              {"match", "--game", game, "--first", first, "--second", second, "--json"});
  return run_senet(more);
}

TEST(MatchCommand, RandomAgainstRandomIsEven) {
  for (const std::string game : {"tic_tac_toe", "connect_four"}) {
    const ProgramRun run = match(game, "random", "random", {"--pairs", "5000"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    // Less than five standard errors of 10,000 coin tosses.
    EXPECT_NEAR(run.metric(game, "score"), 0.5, 0.025);
    EXPECT_NEAR(run.metric(game, "elo_difference"), 0, 18);
    EXPECT_LT(run.metric(game, "score", "max") - run.metric(game, "score", "min"), 0.025);
    EXPECT_EQ(run.metric(game, "games"), 10000);
    EXPECT_EQ(run.metric(game, "wins") + run.metric(game, "draws") + run.metric(game, "losses"),
              10000);
    EXPECT_EQ(run.metric(game, "wins"), run.metric(game, "games_worth_+1"));
    EXPECT_EQ(run.metric(game, "cut_games"), 0);
  }
}

TEST(MatchCommand, BackgammonRandomIsEvenAndHasGammons) {
  const ProgramRun run = match("backgammon", "random", "random", {"--pairs", "500"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NEAR(run.metric("backgammon", "score"), 0.5, 0.08);
  EXPECT_NEAR(run.metric("backgammon", "points_per_game"), 0, 0.35);
  EXPECT_GT(run.metric("backgammon", "games_worth_+2"), 0);
  EXPECT_GT(run.metric("backgammon", "games_worth_-3"), 0);
  EXPECT_EQ(run.out.find("elo_difference"), std::string::npos);
}

TEST(MatchCommand, TheSeedDecides) {
  const auto play = [](const std::string& seed) {
    return match("connect_four", "untrained:1", "random",
                 {"--pairs", "20", "--visits", "8", "--seed", seed})
        .out;
  };
  const std::string first = play("5");
  EXPECT_EQ(first, play("5"));
  EXPECT_NE(first, play("6"));
}

// Both sit on each side of the same opening and dice, so a player against itself gains nothing.
TEST(MatchCommand, APlayerAgainstItselfGainsNothing) {
  for (const std::string game : {"connect_four", "backgammon"}) {
    const ProgramRun run =
        match(game, "untrained:3", "untrained:3",
              {"--pairs", "5", "--visits", "4", "--random-plies", "3", "--ply-cap", "400"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.metric(game, "score"), 0.5);
    EXPECT_EQ(run.metric(game, "score", "min"), 0.5);
    EXPECT_EQ(run.metric(game, "points_per_game"), 0);
  }
}

TEST(MatchCommand, MoreVisitsWin) {
  const ProgramRun run = match("connect_four", "untrained:1", "untrained:1",
                               {"--pairs", "20", "--first-visits", "200", "--second-visits", "0"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_GT(run.metric("connect_four", "score"), 0.8);
}

TEST(MatchCommand, LongGamesAreCutAndCounted) {
  const ProgramRun run =
      match("backgammon", "random", "random", {"--pairs", "4", "--ply-cap", "6"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.metric("backgammon", "cut_games"), 8);
  EXPECT_EQ(run.metric("backgammon", "draws"), 8);
  EXPECT_EQ(run.metric("backgammon", "score"), 0.5);
}

TEST(MatchCommand, BadInputIsOneLine) {
  expect_failure(match("go", "random", "random"), 2, "match", "unknown game");
  expect_failure(match("connect_four", "/nowhere", "random"), 2, "match", "--first: /nowhere");
  expect_failure(match("connect_four", "random", "untrained:x"), 2, "match", "--second: ");
  expect_failure(match("connect_four", "random", "random", {"--pairs", "0"}), 2, "match",
                 "--pairs");
  expect_failure(match("connect_four", "random", "random", {"--visits", "many"}), 2, "match",
                 "--visits");
  expect_failure(match("connect_four", "untrained", "random", {"--mode", "afterstates"}), 2,
                 "match", "no afterstates");
}

}  // namespace
}  // namespace senet
