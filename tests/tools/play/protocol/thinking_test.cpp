// Searches that begin with a kept tree, ponder, are limited to a depth or to moves, or stop by the
// clock.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/tools/play/protocol/talk.hpp"
#include "tools/play/protocol/clock.hpp"
#include "tools/play/protocol/engine.hpp"

namespace senet::protocol {
namespace {

using std::chrono::milliseconds;

AnyState first_decision(const Engine& engine) {
  AnyState state(engine.game());
  while (!is_decision(state.turn())) state.play(0);
  return state;
}

SessionResult find(Engine& engine, const AnyState& state, SessionLimits limits) {
  limits.lines = 1;
  return engine.search(state, std::move(limits), [] { return true; });
}

// -- Kept trees.

TEST(KeptTree, ASearchBeginsWithWhatTheLastOneFoundOut) {
  for (const char* const game : {"connect_four", "backgammon"}) {
    Engine engine(kGames, small_options(game));
    AnyState state = first_decision(engine);
    const SessionResult first = find(engine, state, {.visits = 800});
    EXPECT_EQ(first.kept, 0u);
    const SessionResult again = find(engine, state, {.visits = 800});
    EXPECT_EQ(again.kept, 800u);
    EXPECT_EQ(again.evaluations, 0u);
    EXPECT_EQ(again.action, first.action);
    const SessionResult more = find(engine, state, {.visits = 1000});
    EXPECT_EQ(more.kept, 800u);
    EXPECT_EQ(more.visits, 1000u);

    state.play(more.action);
    // Backgammon's next decision comes after a roll.
    while (!is_decision(state.turn())) state.play(0);
    const SessionResult next =
        find(engine, state, {.visits = 1u << 30, .depth = 100, .time = milliseconds(20)});
    EXPECT_GT(next.kept, 0u) << game;
    EXPECT_GT(next.visits, next.kept) << game;
  }
}

TEST(KeptTree, NothingIsKeptWhereTheAnswerMustNotDependOnIt) {
  Options options = small_options("connect_four");
  const auto kept_by = [](Engine& engine, SessionLimits limits) {
    return find(engine, first_decision(engine), std::move(limits)).kept;
  };
  Engine engine(kGames, options);
  kept_by(engine, {.visits = 50});
  EXPECT_EQ(kept_by(engine, {.visits = 50}), 50u);
  EXPECT_EQ(kept_by(engine, {.visits = 50, .reuse_tree = false}), 0u);
  engine.forget();
  EXPECT_EQ(kept_by(engine, {.visits = 50}), 0u);
  EXPECT_EQ(kept_by(engine, {.visits = 50}), 50u);
  EXPECT_EQ(kept_by(engine, {.visits = 50, .actions = {3}}), 0u);
  EXPECT_EQ(kept_by(engine, {.visits = 50}), 0u);

  options.reuse_tree = false;
  Engine forgetful(kGames, options);
  kept_by(forgetful, {.visits = 50});
  EXPECT_EQ(kept_by(forgetful, {.visits = 50}), 0u);
}

// bench, eval, a new game and the network alone give the same answer whatever was searched before.
TEST(KeptTree, SomeAnswersNeverDependOnIt) {
  for (const char* const line : {"bench 50", "eval", "go nodes 1", "ucinewgame"}) {
    Talk fresh(small_options("connect_four")), used(small_options("connect_four"));
    fresh.ask("isready");
    used.ask("isready");
    used.ask("go nodes 500");
    Lines expected = fresh.ask(line), answer = used.ask(line);
    if (std::string(line) == "ucinewgame") {
      expected = fresh.ask("go nodes 100");
      answer = used.ask("go nodes 100");
    }
    EXPECT_EQ(answer, expected) << line;
  }
}

// -- Threads and leaves.

TEST(Threads, ShareASearchWithoutChangingIt) {
  for (const char* const game : {"connect_four", "backgammon"}) {
    Options options = small_options(game);
    options.hash_mib = 64;
    options.search.evaluation.kind = EvaluatorKind::kFused;
    options.weights = "untrained";
    const auto found = [&] {
      Engine engine(kGames, options);
      return find(engine, first_decision(engine), {.visits = 500});
    };
    const SessionResult alone = found();
    for (const std::uint32_t threads : {2u, 4u}) {
      options.threads = threads;
      const SessionResult shared = found();
      ASSERT_EQ(shared.choices.size(), alone.choices.size());
      for (std::size_t i = 0; i < alone.choices.size(); ++i) {
        EXPECT_EQ(shared.choices[i].action, alone.choices[i].action) << game;
        EXPECT_EQ(shared.choices[i].visits, alone.choices[i].visits) << game;
        EXPECT_EQ(shared.choices[i].value, alone.choices[i].value) << game;
      }
    }
  }
}

// -- Depth and searchmoves.

TEST(GoDepth, EndsWhenTheLongestLineIsThatLong) {
  for (const char* const game : {"connect_four", "backgammon"}) {
    Engine engine(kGames, small_options(game));
    std::uint32_t visits = 0;
    for (const std::uint32_t depth : {1u, 2u, 4u, 6u}) {
      const SessionResult found = find(engine, first_decision(engine),
                                       {.visits = 1u << 30, .depth = depth, .reuse_tree = false});
      EXPECT_GE(found.depth, depth) << game;
      EXPECT_LE(found.depth, depth + 1) << game;  // a roll and the move after it
      EXPECT_EQ(found.ending, Ending::kVisits);
      EXPECT_GE(found.visits, visits) << game;
      visits = found.visits;
    }
  }
  Talk talk(small_options("connect_four"));
  talk.ask("isready");
  const Lines answer = talk.ask("go depth 3");
  EXPECT_EQ(number_behind(answer[answer.size() - 2], "depth"), 3);
}

TEST(GoSearchmoves, ChoosesAmongTheseMovesOnly) {
  for (const char* const game : {"tic_tac_toe", "connect_four", "backgammon"}) {
    for (const std::uint32_t ply : {0u, 1u}) {
      Options options = small_options(game);
      options.search.settings.plies.ply = std::string(game) == "backgammon" ? ply : 0;
      if (options.search.settings.plies.ply > 0) options.search.mode = Evaluates::kAfterstates;
      Engine engine(kGames, options);
      const AnyState state = first_decision(engine);
      const std::vector<Choice> all = find(engine, state, {.visits = 300}).choices;
      // The worst two.
      const std::vector<Action> only = {all[all.size() - 1].action, all[all.size() - 2].action};
      const SessionResult found = find(engine, state, {.visits = 300, .actions = only});
      EXPECT_TRUE(std::ranges::find(only, found.action) != only.end()) << game;
      for (const Choice& choice : found.choices) {
        const bool is_one = std::ranges::find(only, choice.action) != only.end();
        EXPECT_EQ(choice.visits > 0, is_one) << game << " " << choice.action;
      }
    }
  }
}

TEST(GoSearchmoves, NamesItsMovesAsPositionDoes) {
  Talk talk(small_options("backgammon"));
  talk.ask("isready");
  talk.tell({"position xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"});
  EXPECT_EQ(talk.last("go nodes 50 searchmoves 24/23 24/21"), "bestmove 24/23 24/21");
  const std::string either = talk.last("go searchmoves 24/23 24/21 13/10 6/5 nodes 50");
  EXPECT_TRUE(either == "bestmove 24/23 24/21" || either == "bestmove 13/10 6/5") << either;
  Talk other(small_options("connect_four"));
  other.ask("isready");
  EXPECT_EQ(other.last("go searchmoves 7 nodes 20"), "bestmove 7");
  EXPECT_EQ(code_of(other.last("go searchmoves 8")), "illegal_move");
  EXPECT_EQ(code_of(other.last("go searchmoves 3 3")), "illegal_move");
  EXPECT_EQ(code_of(other.last("go searchmoves")), "bad_argument");
  std::string many = "go searchmoves";  // refused without a look at all of them
  for (int i = 0; i < 100'000; ++i) many += " x";
  EXPECT_EQ(code_of(other.last(many)), "illegal_move");
}

// -- Pondering. Lines are pushed from the session's output, so that they arrive during a search.

// The answer to `go`, if an isready and then `lines` arrive during the search, each after the
// answer to the one before it.
Lines pondered(Talk& talk, std::string_view go, const std::vector<std::string>& lines) {
  std::size_t pushed = 0;
  talk.on_line = [&](const std::string& line) {
    if (pushed < lines.size() && !line.starts_with("info ")) talk.inbox.push(lines[pushed++]);
  };
  talk.inbox.push("isready");
  const Lines answer = talk.ask(go);
  talk.on_line = nullptr;
  return answer;
}

TEST(Ponder, AHitSearchesWithTheLimitsOfItsGo) {
  Talk talk(small_options("connect_four"));
  talk.ask("isready");
  talk.tell({"position startpos moves 4 4"});
  const Lines answer = pondered(talk, "go ponder nodes 3000", {"ponderhit"});
  ASSERT_EQ(beginning(answer, "bestmove ").size(), 1u);
  EXPECT_EQ(answer[0], "readyok");
  EXPECT_EQ(number_behind(answer[answer.size() - 2], "nodes"), 3000);
  EXPECT_EQ(beginning(answer, "error ").size(), 0u);
}

TEST(Ponder, TheClockStartsWithTheHit) {
  Options options = small_options("connect_four");
  options.hash_mib = 128;  // enough for the whole time
  Talk talk(options);
  talk.ask("isready");
  std::vector<ServiceClock::time_point> times;
  talk.on_line = [&](const std::string& line) {
    if (line == "readyok") {
      std::this_thread::sleep_for(milliseconds(40));
      talk.inbox.push("ponderhit");
      times.push_back(ServiceClock::now());
    }
    if (line.starts_with("bestmove")) times.push_back(ServiceClock::now());
  };
  talk.inbox.push("isready");
  talk.ask("go ponder movetime 30");
  ASSERT_EQ(times.size(), 2u);
  EXPECT_GE(times[1] - times[0], milliseconds(30));
}

TEST(Ponder, StopQuitAndTheEndOfInputAnswerWithWhatIsFound) {
  for (const char* const end : {"stop", "quit", ""}) {
    Talk talk(small_options("connect_four"));
    talk.ask("isready");
    const auto lines =
        std::string(end).empty() ? std::vector<std::string>{} : std::vector{std::string(end)};
    if (lines.empty()) talk.inbox.close();
    const Lines answer = lines.empty() ? talk.ask("go ponder movetime 5")
                                       : pondered(talk, "go ponder movetime 5", lines);
    EXPECT_EQ(beginning(answer, "bestmove ").size(), 1u) << end;
    EXPECT_TRUE(answer.back().starts_with("bestmove ")) << end;
  }
}

TEST(Ponder, StopAndQuitEndTheSearchAfterTheHit) {
  for (const char* const end : {"stop", "quit"}) {
    Options options = small_options("connect_four");
    options.hash_mib = 128;
    Talk talk(options);
    talk.ask("isready");
    int ready = 0;
    talk.on_line = [&](const std::string& line) {
      if (line != "readyok") return;
      if (++ready == 1) {
        talk.inbox.push("ponderhit");
        talk.inbox.push("isready");
      } else {
        talk.inbox.push(end);
      }
    };
    talk.inbox.push("isready");
    const Lines answer = talk.ask("go ponder movetime 100000");
    EXPECT_EQ(ready, 2) << end;
    EXPECT_EQ(beginning(answer, "bestmove ").size(), 1u) << end;
  }
}

TEST(Ponder, StopQuitAndTheEndOfInputEndItWhenAllIsKnown) {
  for (const std::string end : {"stop", "quit", ""}) {
    Talk talk(small_options("tic_tac_toe"));
    talk.ask("isready");
    talk.tell({"position startpos moves b2 a1 a3"});
    std::size_t infos = 0;
    talk.on_line = [&](const std::string& line) {
      if (!line.starts_with("info ") || ++infos > 1) return;
      end.empty() ? talk.inbox.close() : talk.inbox.push(end);
    };
    EXPECT_EQ(talk.ask("go ponder movetime 100000").back(), "bestmove c1") << end;
  }
}

TEST(Ponder, OtherLinesAreRefusedMeanwhile) {
  Talk talk(small_options("connect_four"));
  talk.ask("isready");
  talk.tell({"ponderhit"});  // it may cross with a bestmove
  const Lines answer =
      pondered(talk, "go ponder nodes 700", {"position 44", "go", "ponderhit", "isready"});
  EXPECT_EQ(beginning(answer, "error search_in_progress").size(), 2u);
  ASSERT_EQ(beginning(answer, "bestmove ").size(), 1u);
  EXPECT_EQ(number_behind(answer[answer.size() - 2], "nodes"), 700);
}

TEST(Ponder, AHitIsRefusedWhereNothingPonders) {
  Talk talk(small_options("connect_four"));
  talk.ask("isready");
  const Lines answer = pondered(talk, "go infinite", {"ponderhit", "stop"});
  EXPECT_EQ(beginning(answer, "error search_in_progress").size(), 1u);
  EXPECT_EQ(beginning(answer, "bestmove ").size(), 1u);
}

TEST(Ponder, WaitsForTheHitEvenWhenAllIsKnown) {
  Talk talk(small_options("tic_tac_toe"));
  talk.ask("isready");
  talk.tell({"position startpos moves b2 a1 a3"});
  Lines order;
  talk.on_line = [&](const std::string& line) {
    order.push_back(line.substr(0, line.find(' ')));
    if (order == Lines{"info"}) talk.inbox.push("isready");
    if (line == "readyok") talk.inbox.push("ponderhit");
  };
  EXPECT_EQ(talk.ask("go ponder movetime 100000").back(), "bestmove c1");
  EXPECT_EQ(order, (Lines{"info", "readyok", "info", "bestmove"}));
}

TEST(Ponder, TheOptionNamesTheExpectedReply) {
  Talk talk(small_options("connect_four"));
  talk.ask("isready");
  talk.tell({"setoption name Ponder value true"});
  const Lines answer = talk.ask("go nodes 400");
  const std::string& info = answer[answer.size() - 2];
  const std::string line = info.substr(info.find(" pv ") + 4);
  EXPECT_EQ(answer.back(), "bestmove " + line.substr(0, 1) + " ponder " + line.substr(2, 1));
  // After the dice nothing is expected.
  Talk dice(small_options("backgammon"));
  dice.ask("isready");
  dice.tell({"setoption name Ponder value true", "dice 3 1"});
  EXPECT_EQ(dice.last("go nodes 50").find("ponder"), std::string::npos);
}

// -- The clock.

class ClockTest : public testing::Test {
 protected:
  // Whether the search may end when its best move is `best`, with the visits of the two best moves.
  bool sees(Clock& clock, int at, Action best, std::uint32_t first, std::uint32_t second,
            std::uint32_t kept = 0) {
    SessionResult result;
    result.visits = first + second;
    result.kept = kept;
    result.choices = {{.action = best, .visits = first, .target = 0, .prior = 0, .value = 0},
                      {.action = 99, .visits = second, .target = 0, .prior = 0, .value = 0}};
    clock.see(result, began + milliseconds(at));
    return clock.is_enough();
  }
  const ServiceClock::time_point began = ServiceClock::now();
  const ThinkingTime one_second{milliseconds(1000), milliseconds(3000)};
};

TEST_F(ClockTest, AMoveThatNoOtherCanCatchIsPlayedEarly) {
  Clock clock(one_second, began);
  EXPECT_FALSE(sees(clock, 100, 1, 190, 10));  // 2 visits each ms: 1,800 to come; not settled yet
  EXPECT_FALSE(sees(clock, 500, 1, 900, 100));
  EXPECT_TRUE(sees(clock, 600, 1, 1050, 150));
  Clock close(one_second, began);
  EXPECT_FALSE(sees(close, 100, 1, 105, 95));
  EXPECT_FALSE(sees(close, 990, 1, 1000, 980));
  EXPECT_TRUE(sees(close, 1000, 1, 1010, 990));
}

TEST_F(ClockTest, WithoutTimeToSpareTheSearchMayStillEndEarly) {
  Clock clock(ThinkingTime{milliseconds(1000), milliseconds(1000)}, began);
  EXPECT_TRUE(sees(clock, 600, 1, 1150, 50));
}

TEST_F(ClockTest, PliesAreNoLead) {
  Clock clock(one_second, began, true);
  EXPECT_FALSE(sees(clock, 900, 1, 3, 2));
  EXPECT_TRUE(sees(clock, 1000, 1, 3, 2));
}

TEST_F(ClockTest, KeptVisitsSayNothingAboutTheSpeed) {
  Clock clock(one_second, began);
  EXPECT_FALSE(sees(clock, 100, 1, 5190, 10, 5000));
  EXPECT_TRUE(sees(clock, 300, 1, 5500, 100, 5000));  // 2 visits each ms: 1,400 to come
}

TEST_F(ClockTest, ANewBestMoveGetsMoreTime) {
  Clock clock(one_second, began);
  EXPECT_FALSE(sees(clock, 500, 1, 600, 400));
  EXPECT_FALSE(sees(clock, 900, 2, 905, 895));
  EXPECT_FALSE(sees(clock, 1000, 2, 1010, 990));
  EXPECT_FALSE(sees(clock, 1100, 1, 1110, 1090));
  EXPECT_FALSE(sees(clock, 1340, 1, 1400, 1280));
  EXPECT_TRUE(sees(clock, 1350, 1, 1410, 1290));
}

TEST_F(ClockTest, AnExactTimeIsUsedUp) {
  Clock exact(ThinkingTime{milliseconds(1000), milliseconds(1000), true}, began),
      none(std::nullopt, began);
  EXPECT_FALSE(sees(exact, 999, 1, 1000, 0));
  EXPECT_FALSE(sees(none, 99999, 1, 1000, 0));
  EXPECT_EQ(exact.interval(), milliseconds(1000));
  EXPECT_LT(Clock(one_second, began).interval(), milliseconds(100));
}

}  // namespace
}  // namespace senet::protocol
