// senet match with external programs, both correct and misbehaving ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <thread>

#include "tests/tools/background_program.hpp"
#include "tests/tools/program.hpp"
#include "tools/play/process_player.hpp"
#include "tools/referee/games/backgammon/gnubg.hpp"

namespace senet {
namespace {

const std::string kFake = SENET_FAKE_ENGINE;

ProgramRun short_match(const std::string& game, const std::string& first, const std::string& second,
                       std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"match", "--game", game, "--first", first, "--second", second,
                             "--json", "--pairs", "4"});
  return run_senet(more);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "63:"
bool is_roll(std::string_view word) {
  return word.size() == 3 && is_digit(word[0]) && is_digit(word[1]) && word[2] == ':';
}

/// "13/8", "bar/21*", "6/off(2)"
bool is_step(std::string_view word) {
  return word.find('/') != std::string_view::npos &&
         word.find_first_not_of("0123456789/*()barof") == std::string_view::npos;
}

/// The rolls of a .mat file in order, and the points won at the end of each game.
std::vector<std::string> words_of_games(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (is_roll(word)) found.push_back(word);
    if (word == "Wins") {
      words >> word;
      found.push_back("Wins " + word);
    }
  }
  return found;
}

std::string uci(const std::string& game, const std::string& behaviour = "good") {
  return "uci:" + kFake + " " + game + " uci " + behaviour;
}
std::string ubgi(const std::string& behaviour = "good") {
  return "ubgi:" + kFake + " backgammon ubgi " + behaviour;
}

TEST(MatchEngine, EveryGameIsPlayedByUci) {
  for (const std::string game : {"tic_tac_toe", "connect_four", "backgammon"}) {
    const ProgramRun run = short_match(game, uci(game), "random", {"--ply-cap", "300"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.metric(game, "games"), 8);
    EXPECT_EQ(run.metric(game, "first_illegal_moves"), 0);
    EXPECT_EQ(run.metric(game, "first_crashes"), 0);
  }
}

// The same player with both protocols and any number of processes plays the same games.
TEST(MatchEngine, ProtocolsAndProcessesDoNotMatter) {
  const std::vector<std::string> cap = {"--ply-cap", "300"};
  const ProgramRun by_uci = short_match("backgammon", uci("backgammon"), "random", cap);
  ASSERT_EQ(by_uci.exit_code, 0) << by_uci.err;
  // Without the first line, which names the players.
  const auto figures = [](const ProgramRun& run) { return run.out.substr(run.out.find('\n')); };
  EXPECT_EQ(figures(short_match("backgammon", ubgi(), "random", cap)), figures(by_uci));
  EXPECT_EQ(figures(short_match("backgammon", ubgi(), "random",
                                {"--ply-cap", "300", "--processes", "3", "--games-at-once", "5"})),
            figures(by_uci));
}

TEST(MatchEngine, BothPlayersMayBePrograms) {
  const ProgramRun run = short_match("connect_four", uci("connect_four"), uci("connect_four"),
                                     {"--random-plies", "2"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.metric("connect_four", "score"), 0.5);
}

TEST(MatchEngine, AnIllegalMoveEndsTheMatchWithBothPositions) {
  for (const std::string behaviour : {"illegal", "garbage"}) {
    const ProgramRun run = short_match("backgammon", "random", ubgi(behaviour + " 20"));
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_EQ(run.metric("backgammon", "second_illegal_moves"), 1);
    EXPECT_EQ(run.metric("backgammon", "second_crashes"), 0);
    EXPECT_EQ(run.metric("backgammon", "first_illegal_moves"), 0);
    EXPECT_LT(run.metric("backgammon", "games"), 8);
    EXPECT_TRUE(run.err.starts_with("senet match: the second player in game ")) << run.err;
    EXPECT_NE(run.err.find(": illegal move \""), std::string::npos) << run.err;
    EXPECT_NE(run.err.find(" of seed 1, ply "), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("position gnubgid "), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("| dice "), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
  }
  const ProgramRun run = short_match("connect_four", uci("connect_four", "illegal"), "random");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.metric("connect_four", "first_illegal_moves"), 1);
  EXPECT_NE(run.err.find("illegal move \"24/1\" in "), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("position fen "), std::string::npos) << run.err;
}

// After a restart it answers, so the games are the same as with a correct engine.
TEST(MatchEngine, ACrashIsCountedAndAskedAgain) {
  const ProgramRun sound = short_match("connect_four", uci("connect_four"), "random");
  const ProgramRun ill = short_match("connect_four", uci("connect_four", "crash 10"), "random");
  ASSERT_EQ(ill.exit_code, 0) << ill.err;
  EXPECT_GE(ill.metric("connect_four", "first_crashes"), 2);
  EXPECT_EQ(ill.metric("connect_four", "first_illegal_moves"), 0);
  for (const std::string metric : {"games", "score", "wins", "points_per_game"}) {
    EXPECT_EQ(ill.metric("connect_four", metric), sound.metric("connect_four", metric));
  }
}

TEST(MatchEngine, AProgramThatFailsTwiceEndsTheMatch) {
  const auto expect_end = [](const std::string& behaviour, const std::string& reason,
                             std::vector<std::string> more = {}) {
    const ProgramRun run =
        short_match("connect_four", "random", uci("connect_four", behaviour), more);
    EXPECT_EQ(run.exit_code, 1) << behaviour;
    EXPECT_EQ(run.metric("connect_four", "second_crashes"), 2) << behaviour;
    EXPECT_EQ(run.metric("connect_four", "second_illegal_moves"), 0) << behaviour;
    EXPECT_TRUE(run.err.starts_with("senet match: the second player in game ")) << run.err;
    EXPECT_NE(run.err.find(reason), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
  };
  expect_end("crash", "has ended with exit code 3; last lines of stderr: I am not well");
  expect_end("error", "error internal I give up");
  expect_end("hang", "did not answer \"bestmove\" in time", {"--answer-seconds", "0.3"});
  expect_end("chatter", "did not answer \"bestmove\" in time", {"--answer-seconds", "0.3"});
}

TEST(MatchEngine, OptionsAreSent) {
  EXPECT_EQ(
      short_match("connect_four", uci("connect_four"), "random", {"--first-option", "Level=7"})
          .exit_code,
      0);
  expect_failure(
      short_match("connect_four", uci("connect_four"), "random", {"--first-option", "Level=8"}), 2,
      "match", "error bad_argument setoption name Level value 8");
  expect_failure(short_match("connect_four", "random", "random", {"--second-option", "Level=8"}), 2,
                 "match", "takes no options");
  expect_failure(
      short_match("connect_four", uci("connect_four"), "random", {"--first-option", "Level"}), 2,
      "match", "NAME=VALUE");
}

TEST(MatchEngine, WhatDoesNotStartIsBadInput) {
  expect_failure(short_match("connect_four", "uci:/nowhere/engine", "random"), 2, "match",
                 "exit code 127");
  expect_failure(short_match("connect_four", "random", "uci:exit 4"), 2, "match",
                 "--second: exit 4: has ended with exit code 4");
  expect_failure(short_match("connect_four", uci("connect_four", "deaf"), "random",
                             {"--start-seconds", "0.2"}),
                 2, "match", "did not answer \"uciok\" in time");
  expect_failure(short_match("connect_four", "ubgi:" + kFake, "random"), 2, "match",
                 "UBGI is for backgammon");
}

// The first process hangs until its time limit. The others answer at once and do not time out.
TEST(MatchEngine, ASlowProcessDoesNotMakeOthersLate) {
  const TemporaryFolder folder;
  const std::string taken = folder / "taken";
  const std::string first_only = "if mkdir " + taken + " 2>/dev/null; then how=hang; " +
                                 "else how=good; fi; exec " + kFake + " connect_four uci $how";
  const ProgramRun run = short_match("connect_four", "uci:" + first_only, "random",
                                     {"--processes", "3", "--answer-seconds", "2"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.metric("connect_four", "first_crashes"), 1);
  EXPECT_EQ(run.metric("connect_four", "games"), 8);
}

// An answer that arrived in time is accepted even if it is read after the time limit.
TEST(MatchEngine, AnAnswerInTimeMayBeReadLate) {
  TextEngineSettings settings;
  settings.command = kFake + " connect_four uci good";
  settings.go = "go nodes 1";
  settings.answer_time = std::chrono::milliseconds(100);
  Result<TextEngine> engine = TextEngine::start(settings);
  ASSERT_TRUE(engine) << engine.error().reason();
  ASSERT_TRUE(engine->ask({"position startpos", settings.go}));
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const Result<std::string> answer = engine->answer();
  EXPECT_TRUE(answer) << answer.error().reason();
}

// A stop signal does not wait for the answer, which may take hours.
TEST(MatchEngine, IsStoppedWhileAProgramThinks) {
  const TemporaryFolder folder;
  const std::string heard = folder / "heard";
  const std::string hangs = "uci:tee " + heard + " | " + kFake + " connect_four uci hang";
  BackgroundProgram program({"match", "--game", "connect_four", "--first", "random", "--second",
                             hangs, "--answer-seconds", "80000"});
  while (program.running() && text_of(heard).find("go nodes") == std::string::npos) ::usleep(1000);
  program.send(SIGINT);
  EXPECT_EQ(program.wait(), 1);
  EXPECT_EQ(program.err(), "senet match: stopped after 0 games\n");
}

// The exact line that a program gets for the number of visits. "reported" refuses all other lines.
TEST(MatchEngine, VisitsAreTold) {
  const auto expect_told = [](const std::string& protocol, const std::string& line,
                              const std::vector<std::string>& options) {
    const std::string player =
        protocol + ":" + kFake + " backgammon " + protocol + " reported '" + line + "'";
    std::vector<std::string> more = {"--ply-cap", "40"};
    more.insert(more.end(), options.begin(), options.end());
    const ProgramRun run = short_match("backgammon", player, "random", more);
    EXPECT_EQ(run.exit_code, 0) << run.err;
  };
  expect_told("uci", "go nodes 100", {});
  expect_told("uci", "go nodes 7", {"--visits", "7"});
  expect_told("uci", "go nodes 1", {"--first-visits", "0"});
  expect_told("ubgi", "go role chequer", {});
  expect_told("ubgi", "go role chequer nodes 7", {"--visits", "7"});
  expect_told("ubgi", "go role chequer nodes 1", {"--visits", "7", "--first-visits", "0"});
  expect_told("uci", "go movetime 250", {"--move-seconds", "0.25"});
  expect_told("ubgi", "go role chequer movetime 1500", {"--move-seconds", "1.5"});
  EXPECT_EQ(
      short_match("connect_four", "builtin", "random", {"--move-seconds", "1"}).err,
      "senet match: --first: builtin: makes visits; --move-seconds is for UCI and UBGI programs\n");
}

// Senet as an external program is the same player as Senet itself. So it is a match of a network
// against itself, with the same dice and the same answers on both sides.
TEST(MatchEngine, SenetPlaysTheSameAsAProcess) {
  for (const std::string game : {"connect_four", "backgammon"}) {
    const std::string by_uci = std::string("uci:") + SENET_PROGRAM +
                               " uci --leaves 1 --reuse-tree 0 --evaluator fused --game " + game;
    const std::vector<std::string> settings = {"--visits",       "16", "--ply-cap", "60",
                                               "--random-plies", "3"};
    const ProgramRun run = short_match(game, by_uci, "builtin", settings);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.metric(game, "score"), 0.5);
    EXPECT_EQ(run.metric(game, "points_per_game"), 0);
    EXPECT_EQ(run.metric(game, "pairs_scoring_1"), 4);
  }
}

class MatchGnubg : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_gnubg()) {
      GTEST_SKIP() << "GNU BACKGAMMON IS NOT INSTALLED: senet match was not tested with it";
    }
  }
};

TEST_F(MatchGnubg, IsAPlayer) {
  const ProgramRun run = short_match("backgammon", "gnubg:0", "gnubg:0:full",
                                     {"--processes", "2", "--games-at-once", "8"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.metric("backgammon", "points_per_game"), 0);
  EXPECT_EQ(run.metric("backgammon", "pairs_scoring_1"), 4);
  EXPECT_EQ(run.metric("backgammon", "first_crashes"), 0);
  expect_failure(short_match("backgammon", "gnubg:9", "random"), 2, "match", "--first: ");
}

// GNU Backgammon reads our .mat file and writes the same rolls and the same score.
TEST_F(MatchGnubg, ReadsTheMatFile) {
  const TemporaryFolder folder;
  const std::string mat = folder / "ours.mat", back = folder / "back.mat",
                    commands = folder / "commands";
  const ProgramRun run = short_match("backgammon", "linear", "random", {"--mat", mat});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  write_text(commands, "set jacoby off\nimport mat " + mat + "\nexport match mat " + back + "\n");
  const ProgramRun gnubg = run_program(
      find_gnubg()->c_str(), {"-t", "-q", "-r", "-s", folder.path().string(), "-c", commands});
  const std::vector<std::string> ours = words_of_games(text_of(mat));
  EXPECT_GT(ours.size(), 200u);
  EXPECT_EQ(words_of_games(text_of(back)), ours) << gnubg.out << gnubg.err;
}

TEST(MatchMat, IsForBackgammonOnly) {
  expect_failure(short_match("connect_four", "random", "random", {"--mat", "x.mat"}), 2, "match",
                 "--mat: the format is only for backgammon");
}

// For any player names, the header is one line with quotes only at its two ends.
TEST(MatchMat, HeaderHasNoQuotesInside) {
  const TemporaryFolder folder;
  const std::string mat = folder / "ours.mat";
  const std::string player = "ubgi:\"" + kFake + "\" backgammon ubgi;\n:";
  ASSERT_EQ(short_match("backgammon", player, "random", {"--mat", mat, "--ply-cap", "9"}).exit_code,
            0);
  const std::string text = text_of(mat), header = text.substr(0, text.find('\n'));
  EXPECT_TRUE(header.starts_with("; [EventDescription \"first: ubgi:'")) << header;
  EXPECT_TRUE(header.ends_with("seed 1\"]")) << header;
  EXPECT_EQ(std::ranges::count(header, '"'), 2) << header;
}

// The file is checked before the match. If writing it fails after the match, the error of the match
// itself is reported too.
TEST(MatchMat, ThatCannotBeWrittenIsToldAtOnceAndHidesNothing) {
  expect_failure(short_match("backgammon", "random", "random", {"--mat", "/nowhere/x.mat"}), 2,
                 "match", "--mat: /nowhere/x.mat: cannot open: No such file");
  const TemporaryFolder folder;
  const std::string inner = folder / "inner", flag = folder / "flag";
  std::filesystem::create_directory(inner);
  // The program crashes; after a restart it removes the folder and makes an illegal move.
  const std::string player = "ubgi:if [ -e " + flag + " ]; then rm -r " + inner +
                             "; how=illegal; " + "else touch " + flag + "; how=crash; fi; exec " +
                             kFake + " backgammon ubgi $how";
  const ProgramRun run = short_match("backgammon", player, "random", {"--mat", inner + "/x.mat"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("illegal move \"24/1\" in "), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("; and --mat: "), std::string::npos) << run.err;
}

// The lines of a game: numbered, a roll and a play in each column, and the winner at the end.
TEST(MatchMat, HasTheGrammarOfTheFormat) {
  const TemporaryFolder folder;
  const std::string mat = folder / "ours.mat";
  ASSERT_EQ(short_match("backgammon", "linear", "random", {"--mat", mat}).exit_code, 0);
  std::istringstream lines(text_of(mat));
  std::string line;
  std::getline(lines, line);
  EXPECT_TRUE(line.starts_with("; [EventDescription \"first: linear, second: random, seed 1\"]"));
  std::getline(lines, line);
  EXPECT_EQ(line, " 0 point match");
  for (int game = 1; game <= 8; ++game) {
    std::getline(lines, line);
    EXPECT_EQ(line, "");
    std::getline(lines, line);
    EXPECT_EQ(line, " Game " + std::to_string(game));
    std::getline(lines, line);
    EXPECT_TRUE(line.starts_with(" first : ")) << line;
    EXPECT_NE(line.find("  second : "), std::string::npos) << line;
    int turn = 0;
    while (std::getline(lines, line) && line.find("Wins") == std::string::npos) {
      std::istringstream words(line);
      std::string word;
      words >> word;
      EXPECT_EQ(word, std::to_string(++turn) + ")") << line;
      int rolls = 0;
      while (words >> word) {
        rolls += is_roll(word);
        EXPECT_TRUE(is_roll(word) || (rolls > 0 && is_step(word))) << line;
      }
      EXPECT_GE(rolls, 1) << line;
      EXPECT_LE(rolls, 2) << line;
    }
    EXPECT_GT(turn, 5);
    EXPECT_NE(line.find("Wins "), std::string::npos) << line;
    EXPECT_NE(line.find(" point"), std::string::npos) << line;
  }
  EXPECT_FALSE(std::getline(lines, line)) << line;
}

}  // namespace
}  // namespace senet
