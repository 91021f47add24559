// Searches in a session: what ends them, which lines are answered during a search, and the order of
// answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>

#include "tests/tools/play/protocol/talk.hpp"
#include "tools/play/protocol/engine.hpp"
#include "tools/play/protocol/words.hpp"

namespace senet::protocol {
namespace {

// Runs a session on lines that are all queued before it starts, followed by end of input.
Lines converse(const Options& options, std::initializer_list<const char*> lines) {
  Talk talk(options);
  talk.ask("isready");
  talk.said.clear();
  for (const char* const line : lines) talk.inbox.push(line);
  talk.inbox.close();
  talk.session->run();
  Lines answer;
  for (const std::string& line : talk.said) answer.push_back(without_times(line));
  return answer;
}

TEST(SessionSearch, AWaitingStopEndsAnySearchAfterItsFirstVisit) {
  for (const std::string game : {"tic_tac_toe", "connect_four", "backgammon"}) {
    for (const std::string go : {"go infinite", "go nodes 1000000", "go movetime 1000000000"}) {
      Talk talk(small_options(game));
      talk.ask("isready");
      if (game == "backgammon") talk.tell({"dice 6 6"});
      talk.inbox.push("stop");
      const Lines answer = talk.ask(go);
      ASSERT_EQ(answer.size(), 2u) << game << " " << go;
      // The second visit may be complete before the session checks the inbox.
      EXPECT_LE(number_behind(answer[0], "nodes"), 2) << game << " " << go;
      EXPECT_TRUE(answer[1].starts_with("bestmove "));
    }
  }
}

TEST(SessionSearch, AStopReachesEverySearchSentBeforeIt) {
  const Lines answer = converse(small_options("connect_four"),
                                {"go nodes 1000000", "position 44", "go nodes 1000000",
                                 "go infinite", "stop", "d", "go nodes 30"});
  ASSERT_EQ(beginning(answer, "bestmove ").size(), 4u);
  EXPECT_EQ(beginning(answer, "error ").size(), 0u);
  EXPECT_EQ(beginning(answer, "position ").size(), 1u);
  const Lines infos = beginning(answer, "info depth");
  ASSERT_EQ(infos.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LE(number_behind(infos[i], "nodes"), 2);
  EXPECT_EQ(number_behind(infos[3], "nodes"), 30);
}

TEST(SessionSearch, QuitEndsItWithAnAnswerAndNothingAfterIt) {
  const Lines answer = converse(small_options("connect_four"), {"go infinite", "quit", "isready"});
  ASSERT_EQ(answer.size(), 2u);
  EXPECT_TRUE(answer[0].starts_with("info depth"));
  EXPECT_TRUE(answer[1].starts_with("bestmove "));
}

TEST(SessionSearch, TheEndOfInputEndsOnlyASearchWithoutLimits) {
  const Lines infinite = converse(small_options("connect_four"), {"go infinite"});
  ASSERT_EQ(infinite.size(), 2u);
  EXPECT_LE(number_behind(infinite[0], "nodes"), 2);
  const Lines limited = converse(small_options("connect_four"), {"go nodes 500"});
  ASSERT_EQ(limited.size(), 2u);
  EXPECT_EQ(number_behind(limited[0], "nodes"), 500);
  EXPECT_TRUE(limited[1].starts_with("bestmove "));
}

TEST(SessionSearch, LinesWaitForASearchThatHasLimits) {
  const Lines answer =
      converse(small_options("connect_four"), {"go nodes 300", "isready", "position 44", "d"});
  ASSERT_EQ(answer.size(), 11u);
  EXPECT_EQ(answer[0], "readyok");  // at once: it was at the front of the inbox
  EXPECT_EQ(number_behind(answer[1], "nodes"), 300);
  EXPECT_TRUE(answer[2].starts_with("bestmove "));
  EXPECT_EQ(answer.back(), "position 7/7/7/7/3O3/3X3");
}

// Lines are pushed from the session's output callback, so that they arrive during a search without
// a second thread.
TEST(SessionSearch, ASearchWithoutLimitsRefusesAllButStopQuitAndIsready) {
  Talk talk(small_options("connect_four"));
  talk.ask("isready");
  for (const char* const line :
       {"isready", "position 44", "", "go", "setoption name Visits value 3"}) {
    talk.inbox.push(line);
  }
  int refused = 0;
  talk.on_line = [&](const std::string& line) {
    if (code_of(line) == "search_in_progress" && ++refused == 3) talk.inbox.push("stop");
  };
  const Lines answer = talk.ask("go infinite");
  ASSERT_EQ(answer.size(), 6u);
  EXPECT_EQ(answer[0], "readyok");
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(code_of(answer[i]), "search_in_progress");
  EXPECT_TRUE(answer[4].starts_with("info depth"));
  EXPECT_TRUE(answer[5].starts_with("bestmove "));
  EXPECT_EQ(talk.last("d"), "position 7/7/7/7/7/7");
}

// stop, quit and isready take effect only without further words.
TEST(SessionSearch, StopAndQuitWithMoreBehindThemEndNothing) {
  const Lines answer = converse(small_options("connect_four"),
                                {"go nodes 500", "isready foo", "stop it", "quit now"});
  ASSERT_EQ(answer.size(), 5u);
  EXPECT_EQ(number_behind(answer[0], "nodes"), 500);
  for (std::size_t i = 2; i < 5; ++i) EXPECT_EQ(code_of(answer[i]), "bad_argument");
}

// The small game is proven long before the stop.
TEST(SessionSearch, WithoutLimitsTheAnswerWaitsForStopEvenWhenAllIsKnown) {
  Talk talk(small_options("tic_tac_toe"));
  talk.ask("isready");
  talk.tell({"position startpos moves b2 a1 a3"});
  Lines order;
  talk.on_line = [&](const std::string& line) {
    order.push_back(line.substr(0, line.find(' ')));
    if (line.starts_with("info depth")) talk.inbox.push("isready");
    if (line == "readyok") talk.inbox.push("stop");
  };
  const Lines answer = talk.ask("go infinite");
  EXPECT_EQ(order, (Lines{"info", "readyok", "bestmove"}));
  EXPECT_EQ(answer.back(), "bestmove c1");  // the only move that does not lose
}

TEST(SessionSearch, AStopFromAnotherThreadEndsIt) {
  for (const std::string game : {"tic_tac_toe", "connect_four", "backgammon"}) {
    Talk talk(small_options(game));
    talk.ask("isready");
    if (game == "backgammon")
      talk.tell({"position xgid XGID=-A----------------------a-:0:0:1:21:0:0:0:0:10"});
    std::jthread other([&] {
      talk.inbox.push("isready");
      talk.inbox.push("stop");
    });
    const Lines answer = talk.ask("go infinite");
    EXPECT_EQ(beginning(answer, "bestmove ").size(), 1u) << game;
    EXPECT_TRUE(answer.back().starts_with("bestmove ")) << game;
    EXPECT_LE(beginning(answer, "readyok").size(), 1u) << game;
  }
}

// If all visits end in finished games, the search never needs the network, but keep_going() must
// still be called.
TEST(SessionSearch, ASearchIsAskedToGoOnThoughItNeedsNoNetwork) {
  Engine engine(kGames, small_options());
  // Both have two checkers left: the dice decide the winner.
  const AnyState position = read_position(
      engine.game(), Words("xgid XGID=--A--A------------a--a----:0:0:1:21:0:0:0:0:10"), 0);
  std::uint32_t asked = 0;
  const SessionResult found =
      engine.search(position, {.visits = 10'000'000}, [&] { return ++asked < 50; });
  EXPECT_EQ(asked, 50u);
  EXPECT_EQ(found.ending, Ending::kStopped);
  EXPECT_LT(found.visits, 10'000'000u);
}

TEST(SessionSearch, MovetimeEndsIt) {
  for (const std::string game : {"connect_four", "backgammon"}) {
    Talk talk(small_options(game));
    talk.ask("isready");
    if (game == "backgammon") talk.tell({"dice 5 2"});
    for (const char* const go : {"go movetime 20", "go movetime 0", "go wtime 200 btime 200",
                                 "go movetime 20 nodes 1000000000"}) {
      const Lines answer = talk.ask(go);
      ASSERT_GE(answer.size(), 2u) << go;
      EXPECT_TRUE(answer.back().starts_with("bestmove ")) << go;
      EXPECT_EQ(beginning(answer, "bestmove ").size(), 1u) << go;
      EXPECT_LT(number_behind(answer[answer.size() - 2], "nodes"), 10'000'000) << go;
    }
    talk.ask("ucinewgame");  // without a kept tree of more nodes
    if (game == "backgammon") talk.tell({"dice 5 2"});
    EXPECT_EQ(number_behind(talk.ask("go movetime 1000000 nodes 5")[0], "nodes"), 5);
  }
}

TEST(SessionSearch, PerftAndBenchEndByStopToo) {
  for (const char* const line : {"perft 100", "bench 1000000"}) {
    const Lines answer = converse(small_options("connect_four"), {line, "stop", "isready"});
    ASSERT_EQ(answer.size(), 2u) << line;
    EXPECT_EQ(code_of(answer[0]), "stopped") << line;
    EXPECT_EQ(answer[1], "readyok");
  }
}

// Their limits do not bound their time, and without input no stop can come.
TEST(SessionSearch, PerftAndBenchEndSoonAfterTheInput) {
  Options options = small_options("connect_four");
  options.hash_mib = 512;
  for (const char* const line : {"perft 100", "bench 1000000"}) {
    const Lines answer = converse(options, {line});
    ASSERT_EQ(answer.size(), 1u) << line;
    EXPECT_EQ(code_of(answer[0]), "stopped") << line;
  }
  const Lines short_ones = converse(small_options("connect_four"), {"perft 4", "bench 2"});
  ASSERT_EQ(short_ones.size(), 2u);
  EXPECT_EQ(short_ones[0], "perft 4 leaves 2401");
  EXPECT_TRUE(short_ones[1].starts_with("bench positions 16 ")) << short_ones[1];
}

// Without a kept tree, a search depends only on the position, the options and the limits, not on
// earlier commands.
TEST(SessionSearch, AnswersDoNotDependOnWhatWasAskedBefore) {
  const auto answer = [](std::initializer_list<std::string_view> before) {
    Options options = small_options("connect_four");
    options.reuse_tree = false;
    Talk talk(options);
    for (const std::string_view line : before) talk.ask(line);
    talk.ask("isready");
    talk.tell({"position 4453"});
    return talk.ask("go nodes 3000");
  };
  const Lines first = answer({});
  EXPECT_EQ(answer({"go nodes 700", "position 445", "go nodes 9000"}), first);
  EXPECT_EQ(answer({"bench", "perft 3", "eval"}), first);
}

// A level makes its own visits and draws its moves; the seed decides which.
TEST(SessionLevels, PlayBelowFullStrength) {
  Talk talk(small_options("connect_four"));
  const Lines options = talk.ask("uci");
  const auto has = [&](const std::string& line) {
    return std::ranges::find(options, line) != options.end();
  };
  EXPECT_TRUE(has("option name Level type spin default 10 min 1 max 10"));
  EXPECT_TRUE(has("option name UCI_LimitStrength type check default false"));
  EXPECT_TRUE(has("option name UCI_Elo type spin default 1538 min 685 max 1538"));
  const auto visits = [&](const std::string& go) {
    return number_behind(beginning(talk.ask(go), "info depth").back(), "nodes");
  };
  EXPECT_EQ(visits("go nodes 500"), 500);
  talk.tell({"setoption name Level value 7"});
  EXPECT_EQ(visits("go nodes 500"), 40);
  EXPECT_EQ(visits("go nodes 500"), 40);  // nothing is kept
  EXPECT_EQ(visits("go nodes 5"), 5);
  EXPECT_EQ(visits("go movetime 100000"), 40);
  talk.tell({"setoption name Visits value 10"});
  EXPECT_EQ(visits("go"), 40);
  talk.tell({"setoption name UCI_Elo value 1200"});
  EXPECT_EQ(visits("go nodes 500"), 40);
  talk.tell({"setoption name UCI_LimitStrength value true"});
  EXPECT_EQ(visits("go nodes 500"), 22);  // level 6 is rated 1166
  talk.tell({"setoption name UCI_Elo value 685"});
  std::set<std::string> moves;
  for (int seed = 0; seed < 30; ++seed) {
    talk.tell({"setoption name Seed value " + std::to_string(seed)});
    moves.insert(talk.ask("go").back());
    EXPECT_EQ(talk.ask("go nodes 1").size(), 2u);
  }
  EXPECT_GE(moves.size(), 4u);
  talk.tell({"setoption name UCI_LimitStrength value false", "setoption name Level value 10"});
  EXPECT_EQ(visits("go nodes 500"), 500);
  EXPECT_TRUE(talk.ask("setoption name Level value 11").front().starts_with("error bad_argument"));
  talk.tell({"setoption name Level value 1", "setoption name WeightsFile value untrained"});
  EXPECT_TRUE(talk.ask("setoption name Level value 1").front().starts_with("error bad_argument"));
  EXPECT_EQ(visits("go nodes 500"), 500);
  talk.tell({"setoption name WeightsFile value <empty>"});  // the level stays
  EXPECT_EQ(visits("go nodes 500"), 1);
}

}  // namespace
}  // namespace senet::protocol
