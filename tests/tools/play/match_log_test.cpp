// Match logs: complete after a kill, resumed with the same result, refused when they belong to
// another match; and replay of single games.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "games/registry.hpp"
#include "selfplay/match.hpp"
#include "selfplay/match_results.hpp"
#include "tests/tools/background_program.hpp"
#include "tests/tools/program.hpp"
#include "tools/play/match_log.hpp"

namespace senet {
namespace {

using Words = std::vector<std::string>;

Words match_words(const std::string& game, Words more) {
  // Backgammon without a search, and cut early, because untrained players need many plies.
  const bool has_dice = game == "backgammon";
  more.insert(more.begin(), {"match", "--game", game, "--first", "untrained:1", "--second",
                             "random", "--visits", has_dice ? "0" : "8", "--ply-cap",
                             has_dice ? "120" : "2000", "--seed", "3", "--json"});
  return more;
}

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  std::istringstream stream(text_of(file));
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The lines of the games, sorted, because games finish in any order.
std::vector<std::string> games_of(const std::filesystem::path& log) {
  std::vector<std::string> lines = lines_of(log);
  lines.erase(lines.begin());
  std::ranges::sort(lines);
  return lines;
}

class MatchLogOf : public testing::TestWithParam<std::string> {
 protected:
  const TemporaryFolder folder_;
  const std::string log_ = folder_ / "match.jsonl";
};

TEST_P(MatchLogOf, KilledAndResumedItIsTheSameMatch) {
  const std::string whole_log = folder_ / "whole.jsonl";
  const ProgramRun whole =
      run_senet(match_words(GetParam(), {"--pairs", "60", "--log", whole_log}));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  ASSERT_EQ(games_of(whole_log).size(), 120u);

  // Kill a match that is so long that it cannot finish before the kill.
  const Words endless = match_words(
      GetParam(), {"--pairs", "100000", "--games-at-once", "8", "--log", log_, "--resume"});
  std::size_t games = 0;
  for (int kills = 0; kills < 2; ++kills) {
    BackgroundProgram program(endless);
    while (program.running() && lines_of(log_).size() < games + 20) ::usleep(500);
    program.send(SIGKILL);
    EXPECT_EQ(program.wait(), 128 + SIGKILL);
    games = lines_of(log_).size();
  }
  // A partial line, as left by a kill in the middle of a write.
  std::ofstream(log_, std::ios::app) << R"({"number":119,"seed":3,"poi)";
  const Words rest = match_words(GetParam(), {"--pairs", "60", "--log", log_, "--resume"});
  const ProgramRun resumed = run_senet(rest);
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(resumed.out, whole.out);
  const std::vector<std::string> played = games_of(log_), wanted = games_of(whole_log);
  EXPECT_TRUE(std::ranges::includes(played, wanted));
  EXPECT_EQ(std::ranges::adjacent_find(played), played.end()) << "a game occurs twice";
  EXPECT_EQ(lines_of(log_).front(), lines_of(whole_log).front());
  // Resume once more, with no games left to play.
  EXPECT_EQ(run_senet(rest).out, whole.out);
}

TEST_P(MatchLogOf, AnyGameCanBePlayedAgainAlone) {
  Words words = match_words(GetParam(), {"--pairs", "10", "--log", log_});
  ASSERT_EQ(run_senet(words).exit_code, 0);
  for (const std::string& line : games_of(log_)) {
    const auto number = nlohmann::json::parse(line)["number"].get<std::uint64_t>();
    const ProgramRun run =
        run_senet(match_words(GetParam(), {"--game-number", std::to_string(number)}));
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out, line + "\n");
  }
}

TEST_P(MatchLogOf, InterruptedItTellsTheResultSoFar) {
  const Words words =
      match_words(GetParam(), {"--pairs", "100000", "--games-at-once", "8", "--log", log_});
  BackgroundProgram program(words);
  while (program.running() && lines_of(log_).size() < 10) ::usleep(500);
  program.send(SIGINT);
  EXPECT_EQ(program.wait(), 1) << program.err();
  const std::size_t games = games_of(log_).size();
  EXPECT_EQ(program.err(), "senet match: stopped after " + std::to_string(games) + " games\n");
}

INSTANTIATE_TEST_SUITE_P(Games, MatchLogOf, testing::Values("connect_four", "backgammon"),
                         [](const auto& game) { return game.param; });

class MatchLogDamage : public testing::Test {
 protected:
  ProgramRun play(Words more = {}) {
    more.insert(more.end(), {"--log", log_, "--pairs", "6"});
    return run_senet(match_words("connect_four", std::move(more)));
  }
  void expect_refused(const std::string& text, const std::string& reason) {
    write_text(log_, text);
    expect_failure(play({"--resume"}), 2, "match", reason);
    EXPECT_EQ(text_of(log_), text) << "a refused log is left as it is";
  }

  const TemporaryFolder folder_;
  const std::string log_ = folder_ / "match.jsonl";
};

TEST_F(MatchLogDamage, OtherMatchesAndBadLinesAreRefused) {
  const ProgramRun whole = play();
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  expect_failure(play(), 2, "match", "already exists; use --resume");
  const std::string good = text_of(log_);
  const std::vector<std::string> lines = lines_of(log_);

  for (const Words& other : std::vector<Words>{{"--seed", "4"},
                                               {"--visits", "9"},
                                               {"--random-plies", "5"},
                                               {"--second", "untrained"},
                                               {"--first", "untrained:2"},
                                               {"--c-puct", "2"},
                                               {"--policy-temperature", "1"},
                                               {"--ply-cap", "30"}}) {
    Words words = {"match",    "--game", "connect_four", "--log",  log_,      "--resume",
                   "--pairs",  "6",      "--second",     "random", "--first", "untrained:1",
                   "--visits", "8",      "--seed",       "3"};
    const auto place = std::ranges::find(words, other[0]);
    if (place == words.end()) {
      words.insert(words.end(), other.begin(), other.end());
    } else {
      *(place + 1) = other[1];
    }
    expect_failure(run_senet(words), 2, "match", "was played with ");
  }
  EXPECT_EQ(text_of(log_), good);

  expect_refused("PK\x03\x04", "is not a match log");
  expect_refused("no log\n", "is not a match log");
  expect_refused("{}\n", "is not a match log");
  expect_refused("{\"precious\": 1}", "is not a match log");  // nor the start of one
  expect_refused(good + "{}\n", "line 14: has no \"number\"");
  expect_refused(good + "nonsense\n", "line 14: is not a JSON object");
  expect_refused(good + lines[1] + "\n", "occurs twice");
  // Games that violate the rules or do not match the seed.
  const auto changed = [&](const auto& change) {
    auto game = nlohmann::json::parse(lines[1]);
    change(game);
    return lines[0] + "\n" + game.dump() + "\n";
  };
  expect_refused(changed([](auto& game) { game["plies"].erase(game["plies"].size() - 1); }),
                 "the game has no end");
  expect_refused(changed([](auto& game) { game["plies"][0] = "9"; }), "line 2: game ");
  // Mirrored left to right, the game is legal, but not of this seed.
  expect_refused(changed([](auto& game) {
                   for (auto& ply : game["plies"]) {
                     ply = std::to_string(8 - std::stoi(ply.template get<std::string>()));
                   }
                 }),
                 "which the seed requires");
  expect_refused(changed([](auto& game) { game["points"] = 0.25; }),
                 "\"outcome\" and \"points\" do not match");
  expect_refused(changed([](auto& game) { game["points"] = nullptr; }), "is not that of its moves");
  expect_refused(changed([](auto& game) { game.erase("plies"); }), "has no \"plies\"");

  // More pairs of the same match are accepted; so is a log that ends within its first line.
  write_text(log_, good);
  const ProgramRun more =
      run_senet(match_words("connect_four", {"--pairs", "9", "--log", log_, "--resume"}));
  ASSERT_EQ(more.exit_code, 0) << more.err;
  EXPECT_EQ(more.metric("connect_four", "games"), 18);
  write_text(log_, lines[0].substr(0, 10));
  EXPECT_EQ(play({"--resume"}).out, whole.out);
}

// A drawn game in a variant of tic-tac-toe in which a draw is worth as much as a win.
TEST(MatchLogLine, KnowsTwoEndsOfTheSameWorth) {
  AnyGame game = **find_game<AnyGame>("tic_tac_toe");
  constexpr std::array<float, 3> kValues = {1, 1, -1};
  game.outcome_values = kValues;
  const MatchSettings settings{.random_plies = 0};
  const PlayedGame draw{.number = 0, .actions = {0, 4, 8, 1, 7, 6, 2, 5, 3}, .outcome = 1};
  const std::string line = game_line(game, draw, settings.seed);
  const Result<PlayedGame> read = read_game_line(game, line, settings);
  ASSERT_TRUE(read) << read.error().reason();
  EXPECT_EQ(*read, draw);

  const auto read_changed = [&](const AnyGame& of, const auto& change) {
    auto json = nlohmann::ordered_json::parse(line);
    change(json);
    return read_game_line(of, json.dump(), settings);
  };
  for (const auto& other : {nlohmann::ordered_json(2), nlohmann::ordered_json("draw")}) {
    const auto refused = read_changed(game, [&](auto& json) { json["outcome"] = other; });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason(), "game 0: \"outcome\" and \"points\" do not match");
  }
  // An old line without an outcome, with the game's own values.
  const auto old = read_changed(**find_game<AnyGame>("tic_tac_toe"), [](auto& json) {
    json.erase("outcome");
    json["points"] = 0;
  });
  ASSERT_TRUE(old) << old.error().reason();
  EXPECT_EQ(*old, draw);
}

TEST(MatchResults, CountsLeadingPairs) {
  MatchResults results({1, 0, -1}, PairUnit::kScore, std::nullopt);
  const auto add = [&](std::uint64_t number, std::uint8_t outcome) {
    results.add({.number = number, .actions = {}, .outcome = outcome});
  };
  add(1, 0);
  add(2, 0);
  add(3, 2);
  EXPECT_EQ(results.counted().size(), 0u);
  add(0, 1);
  EXPECT_EQ(std::vector(results.counted().begin(), results.counted().end()),
            (std::vector<MatchOutcome>{1, 0, 0, 2}));
  EXPECT_EQ(results.numbers(), (std::vector<std::uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(results.size(), 4u);
  EXPECT_TRUE(results.has(3));
  EXPECT_FALSE(results.has(4));
}

// The same pairs count, in whatever order the games end.
TEST(MatchResults, TheTestDecidesAtThePairWhereItDecides) {
  const SprtSettings sprt{.mean0 = 0.4, .mean1 = 0.6};
  const auto counted = [&](bool backwards) {
    MatchResults results({1, 0, -1}, PairUnit::kScore, sprt);
    for (std::uint64_t i = 0; i < 100; ++i) {
      const std::uint64_t number = backwards ? 99 - i : i;
      results.add({.number = number, .actions = {}, .outcome = number % 8 == 0 ? 2 : 0});
    }
    EXPECT_EQ(results.decision(), Sprt::Decision::kH1);
    return results.counted().size();
  };
  EXPECT_GT(counted(false), 0u);
  EXPECT_LT(counted(false), 100u);
  EXPECT_EQ(counted(false), counted(true));
}

TEST(MatchSprt, StopsEarlyAndTheSameWithAndWithoutInterruption) {
  const TemporaryFolder folder;
  const std::string log = folder / "match.jsonl";
  const Words settings = {"--pairs", "1000", "--sprt", "0,50"};
  Words words = match_words("connect_four", settings);
  const ProgramRun whole = run_senet(words);
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_LT(whole.metric("connect_four", "games"), 2000);
  EXPECT_EQ(whole.metric("connect_four", "sprt_accepted"), 1);
  EXPECT_GE(whole.metric("connect_four", "sprt_llr"),
            whole.metric("connect_four", "sprt_upper_bound"));
  // First without the test, then resumed with it and another number of parallel games: the test
  // sees the same pairs.
  ASSERT_EQ(run_senet(match_words("connect_four", {"--pairs", "5", "--log", log})).exit_code, 0);
  words.insert(words.end(), {"--log", log, "--resume", "--games-at-once", "3"});
  EXPECT_EQ(run_senet(words).out, whole.out);

  const ProgramRun even =
      run_senet({"match", "--game", "backgammon", "--first", "random", "--second", "random",
                 "--pairs", "4000", "--sprt=-0.3,0.3", "--json"});
  ASSERT_EQ(even.exit_code, 0) << even.err;
  EXPECT_GT(even.metric("backgammon", "games"), 100);
}

TEST(MatchSprt, BadBoundsAreOneLine) {
  const auto refuse = [](const std::string& game, const std::string& sprt,
                         const std::string& reason) {
    expect_failure(run_senet({"match", "--game", game, "--first", "random", "--second", "random",
                              "--sprt=" + sprt}),
                   2, "match", reason);
  };
  refuse("connect_four", "5", "two numbers A,B");
  refuse("connect_four", "5,x", "two numbers A,B");
  refuse("connect_four", "nan,5", "two numbers A,B");
  refuse("connect_four", "1,2,3", "two numbers A,B");
  refuse("connect_four", "5,5", "smaller");
  refuse("backgammon", "0,3", "within the range");
  refuse("backgammon", "-4,0", "within the range");
}

}  // namespace
}  // namespace senet
