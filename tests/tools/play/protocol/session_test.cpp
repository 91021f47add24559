// Every command of a session, its answers and its errors.
#include <gtest/gtest.h>

#include "games/connect_four/connect_four.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/tools/play/protocol/talk.hpp"

namespace senet::protocol {
namespace {

const std::string kStartId = "4HPwATDgc/ABMA";

TEST(Session, IntroducesItselfInEachDialect) {
  for (const std::string dialect : {"uci", "ubgi", "ugi"}) {
    Talk talk;
    const Lines answer = talk.ask(dialect);
    EXPECT_TRUE(answer.front().starts_with("id name Senet "));
    EXPECT_EQ(beginning(answer, "id author ").size(), 1u);
    EXPECT_EQ(answer.back(), dialect + "ok");
    EXPECT_EQ(beginning(answer, dialect + "ok").size(), 1u);
    for (const char* const name :
         {"Game", "WeightsFile", "Visits", "Hash", "MultiPV", "Evaluator", "Mode", "CPuct",
          "Tablebase", "TablebaseFolder", "Threads", "Seed"}) {
      EXPECT_EQ(beginning(answer, "option name " + std::string(name) + " type ").size(), 1u)
          << name;
    }
    EXPECT_EQ(beginning(answer, "option name Visits").front(),
              "option name Visits type spin default 8 min 0 max 1000000");
  }
}

TEST(Session, SaysOnceThatItsNetworkIsUntrained) {
  Options options = small_options("tic_tac_toe");
  options.weights = "untrained";
  Talk talk(options);
  Lines answer = talk.ask("isready");
  ASSERT_EQ(answer.size(), 2u);
  EXPECT_TRUE(answer[0].starts_with("info string the network is untrained"));
  EXPECT_EQ(answer[1], "readyok");
  EXPECT_EQ(talk.ask("isready"), Lines{"readyok"});
  talk.tell({"setoption name Game value connect_four"});
  EXPECT_EQ(talk.ask("eval").size(), 1u);
  talk.tell({"setoption name WeightsFile value untrained:7"});
  EXPECT_EQ(talk.ask("eval").size(), 2u);
  EXPECT_EQ(talk.ask("eval").size(), 1u);
}

TEST(Session, PlaysWithTheBuiltInNetworkUnlessToldOtherwise) {
  for (const std::string game : {"connect_four", "backgammon"}) {
    Options options = small_options(game);
    options.search.evaluation.kind = EvaluatorKind::kFused;
    Talk talk(options);
    EXPECT_EQ(talk.ask("isready"), Lines{"readyok"});
    const std::string builtin = talk.last("eval");
    talk.tell({"setoption name WeightsFile value builtin"});
    EXPECT_EQ(talk.last("eval"), builtin);
    talk.tell({"setoption name WeightsFile value untrained"});
    EXPECT_NE(talk.last("eval"), builtin);
    talk.tell({"setoption name WeightsFile value <empty>"});
    EXPECT_EQ(talk.last("eval"), builtin);
  }
}

TEST(Session, AsksTheTablebaseIfToldTo) {
  const TemporaryFolder folder;
  Talk talk;
  const auto search = [&] { return talk.ask("go nodes 20").front(); };
  const auto ready = [&] {
    talk.tell({"position gnubgid KgAAIAUAAAAAAA", "dice 2 1"});
    return search();
  };
  EXPECT_EQ(number_behind(ready(), "nodes"), 20);
  const std::string value_of_network = talk.last("eval");
  talk.tell({"setoption name TablebaseFolder value " + folder.path().string(),
             "setoption name Tablebase value true"});
  EXPECT_EQ(number_behind(search(), "nodes"), 1) << "needs no more visits";
  EXPECT_NE(talk.last("eval"), value_of_network);
  EXPECT_FALSE(std::filesystem::is_empty(folder.path()));
  // Before the roll: the probability of winning with two rolls against two is in the table.
  talk.tell({"position gnubgid AQAABAAAAAAAAA"});
  EXPECT_NE(talk.last("eval").find("1.0000"), std::string::npos) << talk.last("eval");
  talk.tell({"setoption name Tablebase value false"});
  EXPECT_EQ(number_behind(ready(), "nodes"), 20);
  EXPECT_EQ(talk.last("eval"), value_of_network);
  // A folder that cannot be written: a note, once, and the same play.
  talk.tell({"setoption name Tablebase value true"});
  const std::string found = search();
  talk.tell({"setoption name TablebaseFolder value /proc/nowhere"});
  const Lines answer = talk.ask("isready");
  ASSERT_EQ(answer.size(), 2u);
  EXPECT_TRUE(answer[0].starts_with("info string the tablebase of backgammon is kept in memory: "))
      << answer[0];
  EXPECT_EQ(talk.ask("isready").size(), 1u);
  EXPECT_EQ(search(), found);
  // Games without a tablebase ignore the option.
  talk.tell({"setoption name Game value connect_four"});
  EXPECT_EQ(number_behind(search(), "nodes"), 20);
}

TEST(Session, RefusesWhatItDoesNotKnowAndLivesOn) {
  Talk talk;
  for (const std::string wrong :
       {"hello", "UCI", "go2", "\xff\xfe", "joho debug on", "bestmove 8/5 6/5"}) {
    EXPECT_EQ(code_of(talk.last(wrong)), "unknown_command") << wrong;
  }
  EXPECT_EQ(talk.last(std::string_view("u\0ci", 4)),
            "error unknown_command there is no command \"u\"; help lists them");
  EXPECT_EQ(talk.ask(std::string(kLongestLine + 1, 'x')).size(), 1u);
  EXPECT_EQ(code_of(talk.last(std::string(kLongestLine + 1, ' '))), "bad_argument");
  talk.tell({"", "   ", "\t\r", "debug on"});
  EXPECT_EQ(code_of(talk.last("debug loud")), "bad_argument");
  EXPECT_EQ(talk.last("isready"), "readyok");
}

// Every command refuses surplus words and then has no effect.
TEST(Session, StrayWordsAreRefused) {
  Talk talk;
  talk.tell({"dice 3 1"});
  const Lines board = talk.ask("d");
  for (const char* const wrong : {"uci now",
                                  "ubgi 2",
                                  "ugi x",
                                  "isready foo",
                                  "ucinewgame 5",
                                  "uginewgame x",
                                  "newgame x",
                                  "stop it",
                                  "quit now",
                                  "d all",
                                  "eval 1",
                                  "debug on off",
                                  "query result now",
                                  "perft 1 2",
                                  "bench 1 2",
                                  "position startpos 31",
                                  "position startpos extra moves 31",
                                  "go nodes 3 4",
                                  "go infinite now",
                                  "setoption name Visits value 3 4",
                                  "newsession type money fast",
                                  "setscore 1 2 3",
                                  "setcube value 2 owner p0 p1",
                                  "setturn p1 p0",
                                  "dice 3 1 2"}) {
    const Lines answer = talk.ask(wrong);
    ASSERT_EQ(answer.size(), 1u) << wrong;
    EXPECT_EQ(code_of(answer.front()), "bad_argument") << wrong;
  }
  EXPECT_EQ(talk.ask("d"), board);
}

// An error is one printable line, whatever the refused line contains.
TEST(Session, RefusalsAreOnePrintableLine) {
  Talk talk;
  std::string bytes = "position ";
  for (int i = 33; i < 256; ++i) bytes += static_cast<char>(i);
  for (const std::string& wrong :
       {bytes, "position " + std::string(5000, 'A'), "setoption name " + bytes, "go " + bytes,
        "position startpos moves " + bytes}) {
    const Lines answer = talk.ask(wrong);
    ASSERT_EQ(answer.size(), 1u);
    EXPECT_TRUE(answer[0].starts_with("error "));
    EXPECT_LT(answer[0].size(), 400u);
    for (const char c : answer[0]) EXPECT_TRUE(c >= ' ' && c <= '~') << answer[0];
  }
}

TEST(Session, SetsOptionsInSilenceUnlessTheyAreWrong) {
  Talk talk;
  talk.tell({"setoption name Visits value 3",
             "set name visits value 4",
             "set Visits 5",
             "setoption name Hash value 1",
             "setoption name MultiPV value 2",
             "setoption name Evaluator value reference",
             "setoption name WeightsFile value untrained",
             "setoption name Mode value position",
             "setoption name Mode value auto",
             "setoption name CPuct value 0.5",
             "setoption name FpuReduction value 0",
             "setoption name PolicyTemperature value 2",
             "setoption name AfterstateTemperature value 1",
             "setoption name Threads value 2",
             "setoption name Threads value 1",
             "setoption name Seed value 42",
             "setoption name Deterministic value true",
             "setoption name EvalMode value cubeless",
             "setoption name Variant value backgammon",
             "setoption name WeightsFile value <empty>",
             "setoption name Game value tic_tac_toe"});
  const Lines options = talk.ask("uci");
  EXPECT_EQ(beginning(options, "option name Visits type spin default 5 ").size(), 1u);
  EXPECT_EQ(beginning(options, "option name CPuct type string default 0.5").size(), 1u);
  EXPECT_EQ(beginning(options, "option name Game type combo default tic_tac_toe ").size(), 1u);
  for (const char* const wrong : {"setoption",
                                  "setoption name",
                                  "setoption name Speed value 9",
                                  "setoption name Visits",
                                  "setoption name Visits value",
                                  "setoption name Visits value -1",
                                  "setoption name Visits value 1000001",
                                  "setoption name Visits value ten",
                                  "setoption name Hash value 0",
                                  "setoption name MultiPV value 0",
                                  "setoption name Evaluator value fast",
                                  "setoption name Mode value deep",
                                  "setoption name Mode value afterstates",
                                  "setoption name CPuct value nan",
                                  "setoption name CPuct value -1",
                                  "setoption name PolicyTemperature value 0",
                                  "setoption name AfterstateTemperature value 0",
                                  "setoption name Threads value 0",
                                  "setoption name Seed value -1",
                                  "setoption name Deterministic value false",
                                  "setoption name EvalMode value cubeful",
                                  "setoption name Variant value nackgammon",
                                  "setoption name Game value chess",
                                  "setoption name WeightsFile value /nowhere/at all.safetensors",
                                  "set",
                                  "set Visits"}) {
    EXPECT_EQ(code_of(talk.last(wrong)), "bad_argument") << wrong;
  }
  EXPECT_EQ(talk.ask("uci"), options);
}

TEST(Session, WeightsComeFromAFileAndStayWhenTheNextCannotBeRead) {
  const TemporaryFolder folder;
  // The name contains a blank: the value is the rest of the line.
  const std::string file = folder.path() / "my weights.safetensors";
  ASSERT_TRUE(save_network(initial_network(reference_spec<ConnectFour>(), 7), file));
  Options options = small_options("connect_four");
  options.search.evaluation.kind = EvaluatorKind::kFused;
  Talk talk(options);
  const std::string builtin = talk.last("eval");
  talk.tell({"setoption name WeightsFile value " + file});
  EXPECT_EQ(talk.ask("isready"), Lines{"readyok"});
  const std::string evaluation = talk.last("eval");
  EXPECT_NE(evaluation, builtin);
  EXPECT_EQ(code_of(talk.last("setoption name WeightsFile value " + file + ".not")),
            "bad_argument");
  EXPECT_EQ(talk.ask("eval"), Lines{evaluation});
  // Weights of another game are refused.
  EXPECT_EQ(code_of(Talk(small_options()).last("setoption name WeightsFile value " + file)),
            "bad_argument");
  talk.tell({"setoption name Game value tic_tac_toe"});  // has no network: plays by playouts
  EXPECT_EQ(talk.ask("isready"), Lines{"readyok"});
}

TEST(Session, PositionsAreSetInSilenceAndKeptWhenTheNextIsWrong) {
  Talk talk(small_options("connect_four"));
  talk.tell({"position startpos moves 4 4 5 3"});
  const std::string reported = talk.last("d");
  EXPECT_EQ(reported, "position 7/7/7/7/3O3/2OXX2");
  for (const char* const wrong :
       {"position", "position nonsense", "position fen", "position startpos 4",
        "position startpos moves 8", "position startpos moves 4 4 4 4 4 4 4",
        "position startpos moves 1 2 1 2 1 2 1 2", "position fen 7/7/7/7/7/XX5",
        "position startpos moves 4 pass", "position gnubgid 4HPwATDgc/ABMA"}) {
    EXPECT_TRUE(talk.last(wrong).starts_with("error ")) << wrong;
    EXPECT_EQ(talk.last("d"), reported) << wrong;
  }
  EXPECT_EQ(code_of(talk.last("position fen 7/7/7/7/7/XX5")), "illegal_position");
  EXPECT_EQ(code_of(talk.last("position startpos moves 4 9")), "illegal_move");
  EXPECT_NE(talk.last("position startpos moves 4 9").find("move 2 \"9\""), std::string::npos);
  talk.tell({"position 4453 moves 4"});
  EXPECT_EQ(talk.last("d"), "position 7/7/7/3X3/3O3/2OXX2");
  talk.tell({"ucinewgame"});
  EXPECT_EQ(talk.last("d"), "position 7/7/7/7/7/7");
}

TEST(Session, BackgammonMovesAreRollsAndPlays) {
  Talk talk;
  talk.tell({"position startpos moves 31 8/5 6/5 64 24/14"});
  EXPECT_EQ(talk.last("d"), "position 4HPwBSCwZ/ABMA:0:-");
  talk.tell({"position startpos moves 31"});
  EXPECT_EQ(talk.last("d"), "position " + kStartId + ":0:31");
  for (const char* const wrong :
       {"position startpos moves 33", "position startpos moves 8/5 6/5",
        "position startpos moves 31 8/5", "position startpos moves 31 pass",
        "position startpos moves 31 31", "position startpos moves 31 8/5 6/5 8/5"}) {
    EXPECT_EQ(code_of(talk.last(wrong)), "illegal_move") << wrong;
  }
  EXPECT_EQ(talk.last("d"), "position " + kStartId + ":0:31");
}

TEST(Session, ABareGoTakesTheOptionVisits) {
  for (const std::string game : {"tic_tac_toe", "connect_four"}) {
    Talk talk(small_options(game));
    talk.ask("isready");
    Lines answer = talk.ask("go");
    ASSERT_EQ(answer.size(), 2u) << game;
    EXPECT_EQ(number_behind(answer[0], "nodes"), 8);
    EXPECT_TRUE(answer[1].starts_with("bestmove "));
    talk.tell({"setoption name Visits value 0"});
    EXPECT_EQ(number_behind(talk.ask("go")[0], "nodes"), 1);
    EXPECT_EQ(number_behind(talk.ask("go nodes 20")[0], "nodes"), 20);
    EXPECT_EQ(number_behind(talk.ask("go nodes 0")[0], "nodes"), 1);
  }
}

TEST(Session, AForcedMoveIsNotThoughtAbout) {
  Talk talk(small_options("connect_four"));
  talk.tell({"position 11223"});  // seven legal moves, six of which lose at once
  talk.ask("isready");
  const Lines answer = talk.ask("go");
  ASSERT_EQ(answer.size(), 2u);
  EXPECT_EQ(number_behind(answer[0], "nodes"), 1);
  EXPECT_EQ(answer[1], "bestmove 4");
  EXPECT_GT(number_behind(talk.ask("go nodes 20")[0], "nodes"), 1);
}

TEST(Session, GoTellsWhatItFound) {
  Talk talk(small_options("connect_four"));
  talk.tell({"position 112233"});
  talk.ask("isready");
  const Lines answer = talk.ask("go nodes 5000");
  ASSERT_EQ(answer.size(), 2u);
  EXPECT_TRUE(answer[0].starts_with("info depth "));
  EXPECT_NE(answer[0].find(" score cp 100 wdl 1000 0 0 pv 4"), std::string::npos) << answer[0];
  EXPECT_EQ(answer[1], "bestmove 4");
  talk.tell({"position 1122334"});
  EXPECT_EQ(code_of(talk.last("go")), "game_over");
  EXPECT_EQ(code_of(talk.last("go infinite")), "game_over");
}

TEST(Session, TheFirstMoveOfALineIsTheBestMoveAndTheLineIsLegal) {
  Talk talk(small_options("tic_tac_toe"));
  const std::string position = "position startpos moves b2 a1 c1";
  talk.tell({position});
  const Lines answer = talk.ask("go nodes 20000");
  const std::string& info = answer[answer.size() - 2];
  // The only move that does not lose at once; perfect play is a draw.
  EXPECT_EQ(answer.back(), "bestmove a3");
  EXPECT_NE(info.find(" score cp 0 "), std::string::npos) << info;
  const std::string line = info.substr(info.find(" pv ") + 4);
  EXPECT_TRUE(line.starts_with("a3 ")) << line;
  talk.tell({position + " " + line});
}

TEST(Session, MultiPvTellsSeveralMovesBestFirst) {
  Talk talk(small_options("connect_four"));
  talk.ask("isready");
  talk.tell({"setoption name MultiPV value 3"});
  const Lines answer = talk.ask("go nodes 200");
  ASSERT_EQ(answer.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(number_behind(answer[i], "multipv"), long(i) + 1);
  EXPECT_EQ(answer[3], "bestmove " + answer[0].substr(answer[0].find(" pv ") + 4, 1));
  talk.tell({"setoption name MultiPV value 500"});
  EXPECT_EQ(talk.ask("go").size(), 8u);
}

TEST(Session, GoRefusesInOneLine) {
  Talk talk(small_options("connect_four"));
  talk.ask("isready");
  for (const char* const wrong :
       {"go nodes", "go nodes x", "go movetime", "go fast", "go infinite nodes 4"}) {
    ASSERT_EQ(talk.ask(wrong).size(), 1u) << wrong;
    EXPECT_EQ(code_of(talk.last(wrong)), "bad_argument") << wrong;
  }
  for (const char* const not_here :
       {"go mate 5", "go role chequer", "dice 3 1", "setturn p0", "ubgi", "setcube value 2",
        "setscore 0 0", "newsession type money"}) {
    ASSERT_EQ(talk.ask(not_here).size(), 1u) << not_here;
    EXPECT_EQ(code_of(talk.last(not_here)), "unsupported_feature") << not_here;
  }
}

TEST(Session, QueriesAreAnsweredByTheRules) {
  Talk talk(small_options("tic_tac_toe"));
  const auto expect = [&](const char* p1turn, const char* gameover, const char* result) {
    EXPECT_EQ(talk.ask("query p1turn"), Lines{std::string("response ") + p1turn});
    EXPECT_EQ(talk.ask("query gameover"), Lines{std::string("response ") + gameover});
    EXPECT_EQ(talk.ask("query result"), Lines{std::string("response ") + result});
  };
  expect("true", "false", "none");
  talk.tell({"position startpos moves b2"});
  expect("false", "false", "none");
  talk.tell({"position fen startpos moves a1 b1 a2 b2 a3"});
  expect("false", "true", "p1win");
  talk.tell({"position startpos moves a1 b1 a2 b2 c3 b3"});
  expect("true", "true", "p2win");
  talk.tell({"position startpos moves a1 b2 c3 b1 b3 a3 c1 c2 a2", "uginewgame", "position 3/3/3"});
  expect("true", "false", "none");
  talk.tell({"position startpos moves a1 b2 c3 b1 b3 a3 c1 c2 a2"});
  expect("false", "true", "draw");
  EXPECT_EQ(code_of(talk.last("query colour")), "bad_argument");
  EXPECT_EQ(code_of(talk.last("query")), "bad_argument");
}

TEST(Session, PerftCountsTheRules) {
  Talk four(small_options("connect_four"));
  EXPECT_EQ(four.ask("perft 5"), Lines{"perft 5 leaves 16807"});
  EXPECT_EQ(four.ask("perft 0"), Lines{"perft 0 leaves 1"});
  Talk backgammon;
  backgammon.tell({"position 4HPwATDgc/ABMA:0:-"});
  // tests/games has deeper counts; a session must give the same numbers.
  EXPECT_EQ(backgammon.ask("perft 1"), Lines{"perft 1 plays_21 447 plays_36 637"});
  for (const char* const wrong : {"perft", "perft -1", "perft x", "perft 1001"}) {
    EXPECT_EQ(code_of(four.last(wrong)), "bad_argument") << wrong;
  }
}

TEST(Session, BenchIsTheSameEveryTime) {
  for (const std::string game : {"tic_tac_toe", "connect_four", "backgammon"}) {
    const auto bench = [&](const std::string& line) {
      return Talk(small_options(game)).last(line);
    };
    const std::string first = bench("bench 5");
    EXPECT_EQ(number_behind(first, "positions"), 16) << first;
    EXPECT_GE(number_behind(first, "nodes"), 16) << first;
    EXPECT_EQ(bench("bench 5"), first);
    EXPECT_NE(bench("bench 6"), first);
    EXPECT_EQ(bench("bench"), bench("bench 8"));
    EXPECT_EQ(code_of(bench("bench x")), "bad_argument");
  }
}

TEST(Session, ABoardIsDrawnForPeople) {
  Talk talk;
  const Lines board = talk.ask("d");
  EXPECT_EQ(beginning(board, "+13-14").size(), 1u);
  EXPECT_EQ(beginning(board, "xgid XGID=-b----E-C---eE---c-e----B-").size(), 1u);
  EXPECT_EQ(board.back(), "position " + kStartId + ":0:open");
  Talk four(small_options("connect_four"));
  four.tell({"position 44"});
  const Lines grid = four.ask("d");
  ASSERT_EQ(grid.size(), 8u);
  EXPECT_EQ(grid[4], " . . . O . . .");
  EXPECT_EQ(grid[5], " . . . X . . .");
  EXPECT_EQ(grid[6], " 1 2 3 4 5 6 7");
}

// Every command is listed with an explanation, those of UBGI only where it is spoken.
TEST(Session, HelpListsTheCommands) {
  Talk talk;
  const Lines lines = talk.ask("help");
  EXPECT_EQ(lines.back(), "help: docs/protocol.md describes all commands and options");
  for (const char* word : {"  uci ", "  go [nodes N]", "  dice D1 D2", "  d ", "  quit "}) {
    EXPECT_EQ(beginning(lines, word).size(), 1u) << word;
  }
  for (const std::string& line : lines) EXPECT_LE(line.size(), 80u) << line;
  Talk four(small_options("connect_four"));
  EXPECT_TRUE(beginning(four.ask("help"), "  dice").empty());
}

TEST(Session, EvalIsForThePlayerOnTurn) {
  Talk four(small_options("connect_four"));
  four.ask("isready");
  Lines answer = four.ask("eval");
  ASSERT_EQ(answer.size(), 1u);
  EXPECT_TRUE(answer[0].starts_with("eval eq "));
  four.tell({"position 1122334"});
  EXPECT_EQ(four.ask("eval"), Lines{"eval eq -1.0000 pwin 0.0000 pdraw 0.0000 plose 1.0000"});
  four.tell({"position 112233"});
  answer = four.ask("eval");
  four.tell({"position 332211"});
  EXPECT_EQ(four.ask("eval"), answer);
}

TEST(Session, AFullTreeEndsTheSearchAndSaysSo) {
  Talk talk(small_options("connect_four"));
  talk.tell({"setoption name Hash value 1"});
  talk.ask("isready");
  const Lines answer = talk.ask("go nodes 1000000");
  EXPECT_EQ(beginning(answer, "info string the tree is full").size(), 1u);
  EXPECT_EQ(beginning(answer, "bestmove ").size(), 1u);
  EXPECT_LT(number_behind(answer[answer.size() - 2], "nodes"), 1000000);
  EXPECT_GE(number_behind(answer[answer.size() - 2], "hashfull"), 900);
}

}  // namespace
}  // namespace senet::protocol
