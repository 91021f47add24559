// senet match: fair to both sides, and reproducible from the seed.
#include <gtest/gtest.h>

#include <array>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "selfplay/match_results.hpp"
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
    // Five standard errors of 10,000 coin tosses.
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

// The report names what played: its first line with --json, two lines without.
TEST(MatchCommand, TheReportDescribesThePlayers) {
  const ProgramRun run =
      match("connect_four", "untrained:3", "random", {"--pairs", "2", "--visits", "3"});
  const auto json = nlohmann::json::parse(run.out.substr(0, run.out.find('\n')));
  EXPECT_EQ(json.at("game"), "connect_four");
  EXPECT_EQ(json.at("second"), "random");
  const std::string first = json.at("first");
  EXPECT_TRUE(first.starts_with("network ")) << first;
  EXPECT_NE(first.find(", 3 visits, "), std::string::npos) << first;
  const ProgramRun text = run_senet({"match", "--game", "connect_four", "--first", "untrained:3",
                                     "--second", "random", "--pairs", "2", "--visits", "3"});
  const std::string words = std::regex_replace(text.out, std::regex("\\s+"), " ");
  EXPECT_NE(words.find(" first untrained:3: " + first + " second random "), std::string::npos)
      << text.out;
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
    return match("connect_four", "untrained:1", "one-ply",
                 {"--pairs", "20", "--visits", "8", "--seed", seed})
        .out;
  };
  const std::string first = play("5");
  EXPECT_EQ(first, play("5"));
  EXPECT_NE(first, play("6"));
}

// Both players play each side of the same opening and dice, so a player scores even against itself.
TEST(MatchCommand, APlayerAgainstItselfGainsNothing) {
  for (const std::string game : {"connect_four", "backgammon"}) {
    const ProgramRun run =
        match(game, "untrained:3", "untrained:3",
              {"--pairs", "5", "--visits", "4", "--random-plies", "3", "--ply-cap", "400"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.metric(game, "score"), 0.5);
    EXPECT_EQ(run.metric(game, "pairs_scoring_1"), 5);
    EXPECT_EQ(run.metric(game, "points_per_game"), 0);
    EXPECT_EQ(run.out.find("-0"), std::string::npos) << run.out;
  }
}

// Endgames make the difference: with a tablebase an untrained player beats itself.
TEST(MatchCommand, OnePlayerMayAskTheTablebase) {
  const TemporaryFolder folder;
  const std::filesystem::path log = folder / "log";
  const ProgramRun run = match("backgammon", "untrained:3", "untrained:3",
                               {"--pairs", "100", "--visits", "0", "--first-tablebase", "1",
                                "--tablebase-folder", folder.path(), "--log", log});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_GT(run.metric("backgammon", "points_per_game"), 0);
  std::ifstream lines(log);
  std::string first;
  std::getline(lines, first);
  const auto json = nlohmann::json::parse(first);
  EXPECT_TRUE(json.at("first").get<std::string>().ends_with(", tablebase true")) << first;
  EXPECT_FALSE(json.at("second").get<std::string>().ends_with(", tablebase true")) << first;
}

// With one pair, or with equal pairs, the spread is unknown: points have no interval, and the score
// has Wilson's interval for this number of trials.
TEST(MatchCommand, TooLittleForAnIntervalIsSaid) {
  for (const auto& [pairs, low] : {std::pair{"1", 0.0546}, {"5", 0.1704}}) {
    const ProgramRun run =
        match("connect_four", "untrained:3", "untrained:3", {"--pairs", pairs, "--visits", "4"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_NEAR(run.metric("connect_four", "score", "min"), low, 1e-4);
    const std::size_t at = run.out.find("points_per_game");
    const std::string line = run.out.substr(at, run.out.find('\n', at) - at);
    EXPECT_EQ(line.find("\"min\""), std::string::npos) << line;
    EXPECT_NE(line.find("no interval: the pairs are too few"), std::string::npos) << line;
  }
  const ProgramRun text = run_senet({"match", "--game", "connect_four", "--first", "untrained:3",
                                     "--second", "untrained:3", "--pairs", "1", "--visits", "4"});
  EXPECT_NE(text.out.find("\n    (no interval: the pairs are too few"), std::string::npos)
      << text.out;
}

// If all games are won, the null value has a note that explains it.
TEST(MatchCommand, InfiniteEloIsSaid) {
  const ProgramRun run = match("connect_four", "untrained:1", "random",
                               {"--pairs", "2", "--visits", "2000", "--seed", "2"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  ASSERT_EQ(run.metric("connect_four", "wins"), 4);
  EXPECT_NE(run.out.find("\"value\":null,\"unit\":\"Elo\""), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("infinite: every game was won"), std::string::npos) << run.out;
}

// Quantiles of Student's t distribution from published tables.
TEST(Student, QuantilesAreThoseOfTheTables) {
  for (const auto& [degrees, quantile] : {std::pair{1u, 12.706205},
                                          {2u, 4.302653},
                                          {3u, 3.182446},
                                          {10u, 2.228139},
                                          {29u, 2.045230},
                                          {100u, 1.983972},
                                          {1000u, 1.962339},
                                          {1'000'000u, 1.959966}}) {
    EXPECT_NEAR(student_two_sided_95(degrees), quantile, 1e-6) << degrees;
  }
  EXPECT_NEAR(student_two_sided_95(500), student_two_sided_95(501), 1e-5);
}

TEST(MatchResults, TheVerdictIsOneLine) {
  const auto verdict_of = [](const std::vector<std::pair<int, std::array<std::uint8_t, 2>>>& pairs,
                             bool has_elo) {
    MatchResults results({1, 0, -1}, PairUnit::kScore, std::nullopt);
    std::uint64_t number = 0;
    for (const auto& [count, outcomes] : pairs) {
      for (int i = 0; i < 2 * count; ++i) {
        results.add({.number = number++, .actions = {}, .outcome = outcomes[i % 2]});
      }
    }
    return verdict(results, has_elo);
  };
  // Outcomes are for the first player.
  EXPECT_EQ(verdict_of({{92, {0, 0}}, {8, {0, 2}}}, true),
            "192 won, 0 drawn, 8 lost: +552 Elo (457 to 753)");
  EXPECT_EQ(verdict_of({{8, {0, 2}}, {92, {2, 2}}}, true),
            "8 won, 0 drawn, 192 lost: -552 Elo (-753 to -457)");
  EXPECT_EQ(verdict_of({{1, {0, 1}}, {3, {0, 0}}}, true),
            "7 won, 1 drawn, 0 lost: +470 Elo (at least 180)");
  EXPECT_EQ(verdict_of({{1, {0, 0}}, {1, {0, 2}}}, true), "3 won, 0 drawn, 1 lost: +191 Elo");
  EXPECT_EQ(verdict_of({{92, {0, 0}}, {8, {0, 2}}}, false),
            "192 won, 0 drawn, 8 lost: +0.920 points a game (0.866 to 0.974)");
  EXPECT_TRUE(verdict_of({{5, {0, 0}}}, true).starts_with("10 won, 0 drawn, 0 lost: at least +"));
  EXPECT_EQ(verdict_of({}, true), "no pair of games was finished");
}

// What the verdict says is not repeated below it, and nothing that did not happen is counted.
TEST(MatchCommand, BeginsWithItsVerdict) {
  const ProgramRun run = run_senet({"match", "--game", "tic_tac_toe", "--first", "one-ply",
                                    "--second", "random", "--pairs", "40"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(std::regex_search(
      run.out,
      std::regex(
          "^[0-9]+ won, [0-9]+ drawn, [0-9]+ lost: \\+[0-9]+ Elo \\([0-9-]+ to "
          "[0-9]+\\)\nfirst   one-ply\nsecond  random\n40 of 40 pairs of games, seed 1, 4 random "
          "plies; ")))
      << run.out;
  for (const char* absent : {"losses", "illegal", "crashes", "worth"}) {
    EXPECT_EQ(run.out.find(absent), std::string::npos) << absent << " in\n" << run.out;
  }
}

// Two pairs, one won twice, the other once by each player: means 1 and 0, standard error 1/2.
TEST(MatchResults, IntervalsAreStudents) {
  MatchResults results({1, 0, -1}, PairUnit::kScore, std::nullopt);
  std::uint64_t number = 0;
  for (const std::uint8_t outcome : std::array<std::uint8_t, 4>{0, 0, 0, 2}) {
    results.add({.number = number++, .actions = {}, .outcome = outcome});
  }
  int seen = 0;
  for (const Metric& metric : match_metrics("game", results, true, {})) {
    if (metric.name == "points_per_game") {
      ++seen;
      EXPECT_DOUBLE_EQ(metric.value, 0.5);
      EXPECT_NEAR(metric.interval.value().low, 0.5 - 12.706205 / 2, 1e-6);
      EXPECT_NEAR(metric.interval->high, 0.5 + 12.706205 / 2, 1e-6);
    }
    if (metric.name == "score") {
      ++seen;
      EXPECT_EQ(metric.interval.value().low, 0);
      EXPECT_EQ(metric.interval->high, 1);
    }
  }
  EXPECT_EQ(seen, 2);
}

TEST(MatchCommand, PrintsAGamePlyByPly) {
  const ProgramRun run = run_senet({"match", "--game", "backgammon", "--first", "random",
                                    "--second", "random", "--game-number", "3"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("\n ply  player    move                     position\n"),
            std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find("\n   0  dice      "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("\n   1  player "), std::string::npos) << run.out;
}

TEST(MatchCommand, WhatCannotBePrintedIsAFailure) {
  for (const char* command :
       {"match --game connect_four --first random --second random",
        "match --game connect_four --first random --second random --json",
        "match --game backgammon --first random --second random --game-number 3",
        "perft connect_four 3", "match --help"}) {
    const ProgramRun run =
        run_program("/bin/sh", {"-c", std::string(SENET_PROGRAM) + " " + command + " >/dev/full"});
    EXPECT_EQ(run.exit_code, 1) << command;
    EXPECT_NE(run.err.find(": cannot write to "), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
  }
}

TEST(MatchCommand, MoreVisitsWin) {
  const ProgramRun run = match("connect_four", "untrained:1", "untrained:1",
                               {"--pairs", "20", "--first-visits", "200", "--second-visits", "0"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_GT(run.metric("connect_four", "score"), 0.8);
}

TEST(MatchCommand, TheBuiltinNetworksPlay) {
  for (const std::string game : {"connect_four", "backgammon"}) {
    const ProgramRun run = match(game, "builtin", "random", {"--pairs", "10", "--visits", "0"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_GT(run.metric(game, "score"), 0.8);
  }
  expect_failure(match("tic_tac_toe", "builtin", "random"), 2, "match",
                 "--first: builtin: there is no built-in network for tic_tac_toe");
}

TEST(MatchCommand, HigherLevelsWin) {
  const ProgramRun run = match("connect_four", "level:6", "level:2:builtin", {"--pairs", "60"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_GT(run.metric("connect_four", "score"), 0.7);
  EXPECT_NE(run.out.find("drawn with temperature"), std::string::npos) << run.out;
  expect_failure(match("connect_four", "level:11", "random"), 2, "match",
                 "level:11: the network has levels 1 .. 10");
  expect_failure(match("connect_four", "level:0", "random"), 2, "match",
                 "the level is not an integer 1 .. 100");
  expect_failure(match("tic_tac_toe", "level:1:untrained", "random"), 2, "match",
                 "the network has no levels");
  expect_failure(match("connect_four", "level:1", "random", {"--first-visits", "9"}), 2, "match",
                 "a level has its own number of visits");
}

// A ladder climbs, and the network that it writes plays at its levels.
TEST(LadderCommand, FindsLevels) {
  const TemporaryFolder folder;
  const std::string file = folder / "levels.safetensors";
  const auto ladder = [](const std::string& visits, std::vector<std::string> more) {
    more.insert(more.begin(), {"ladder", "--game", "connect_four", "--levels", "3", "--pairs", "60",
                               "--visits", visits});
    return run_senet(more);
  };
  const ProgramRun run = ladder("16", {"--write", file});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("level  visits  temperature  most loss  rating"), std::string::npos);
  EXPECT_EQ(std::ranges::count(run.out, '\n'), 4) << run.out;
  const ProgramRun played =
      match("connect_four", "level:3:" + file, "level:1:" + file, {"--pairs", "60"});
  EXPECT_GT(played.metric("connect_four", "score"), 0.6);
  const ProgramRun nowhere = ladder("16", {"--write", folder / "no" / "levels.safetensors"});
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_NE(nowhere.err.find("--write: "), std::string::npos) << nowhere.err;
  const ProgramRun refused = ladder("2", {"--step", "0.99"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("ask for fewer levels, more visits or a smaller step"),
            std::string::npos)
      << refused.err;
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
  expect_failure(match("connect_four", "/nowhere", "random"), 2, "match",
                 "--first: there is no file or player \"/nowhere\"");
  expect_failure(match("connect_four", "random", "untrained:x"), 2, "match", "--second: ");
  expect_failure(match("connect_four", "random", "random", {"--pairs", "0"}), 2, "match",
                 "--pairs");
  expect_failure(match("connect_four", "random", "random", {"--visits", "many"}), 2, "match",
                 "--visits");
  expect_failure(match("connect_four", "untrained", "random", {"--mode", "afterstates"}), 2,
                 "match", "no afterstates");
  expect_failure(
      match("connect_four", "random", "random", {"--game-number", "18446744073709551615"}), 2,
      "match", "--game-number");
  // A misspelt player name is not reported just as a missing file.
  expect_failure(match("connect_four", "random", "gnubgg"), 2, "match",
                 "\"gnubgg\" (senet match --help lists the players)");
  expect_failure(match("connect_four", "random", "gnubg:0"), 2, "match",
                 "--second: gnubg:0 is a player of backgammon, not of connect_four");
  expect_failure(match("backgammon", "random", "liner"), 2, "match",
                 "--second: there is no file or player \"liner\"; did you mean \"linear\"?");
  // Visits for a player that makes none.
  expect_failure(match("connect_four", "random", "untrained", {"--first-visits", "8"}), 2, "match",
                 "--first: random: makes no visits");
  expect_failure(match("backgammon", "untrained", "linear", {"--second-visits", "8"}), 2, "match",
                 "--second: linear: makes no visits");
}

}  // namespace
}  // namespace senet
