// The UBGI commands: the state around a backgammon decision, and the decision.
#include <gtest/gtest.h>

#include "tests/tools/play/protocol/talk.hpp"

namespace senet::protocol {
namespace {

const std::string kStart = "position gnubgid 4HPwATDgc/ABMA";

Talk& ready(Talk& talk) {
  talk.ask("ubgi");
  talk.ask("isready");
  return talk;
}

TEST(Ubgi, AnswersADecisionAsTheRunnerAsksIt) {
  Talk talk;
  EXPECT_EQ(talk.last("ubgi"), "ubgiok");
  EXPECT_EQ(talk.last("isready"), "readyok");
  talk.tell({"newgame", "newsession type match length 7 crawford on", "setscore 0 3",
             "setcube value 2 owner p1", "setturn p1", kStart, "dice 3 1"});
  const Lines answer = talk.ask("go role chequer");
  ASSERT_EQ(answer.size(), 2u);
  EXPECT_TRUE(answer[0].starts_with("info role chequer depth ")) << answer[0];
  EXPECT_EQ(number_behind(answer[0], "nodes"), 8);
  for (const char* const key : {" hashfull ", " eq ", " pwin ", " pgammon ", " pbg ", " pv "}) {
    EXPECT_NE(answer[0].find(key), std::string::npos) << key;
  }
  const std::string move = answer[1].substr(9);
  EXPECT_EQ(answer[1], "bestmove " + answer[0].substr(answer[0].find(" pv ") + 4));
  // The move is legal, and repeated requests give the same answer.
  talk.tell({"position startpos moves 31 " + move, kStart, "dice 1 3"});
  EXPECT_EQ(talk.ask("go role chequer"), answer);
  EXPECT_EQ(talk.ask("go"), answer);
}

TEST(Ubgi, BothSidesOfASymmetricPositionGetTheSameAnswer) {
  for (const Evaluates mode : {Evaluates::kPosition, Evaluates::kAfterstates}) {
    Options options = small_options();
    options.search.evaluation.kind = EvaluatorKind::kFused;
    options.search.mode = mode;
    options.weights = "untrained";  // with a policy head
    options.visits = 60;
    Talk talk(options);
    ready(talk);
    Lines answers[2];
    for (const std::string player : {"p0", "p1"}) {
      talk.tell({"newgame", "setturn " + player, kStart});
      Lines& answer = answers[player == "p1"];
      answer = talk.ask("eval");
      for (const char* const dice : {"dice 3 1", "dice 6 5", "dice 4 4"}) {
        talk.tell({dice});
        const Lines lines = talk.ask("go");  // a slow machine reports what it has found so far
        answer.insert(answer.end(), lines.end() - 2, lines.end());
      }
    }
    EXPECT_EQ(answers[0].size(), 7u);
    EXPECT_EQ(answers[0], answers[1]) << name_of(mode);
  }
}

// A network of afterstates expects what follows the best move, as a search of one visit does.
TEST(Ubgi, EvalOfAMoveToChooseIsThatOfTheBestMove) {
  Options options = small_options();
  options.search.mode = Evaluates::kAfterstates;
  Talk talk(options);
  ready(talk);
  talk.tell({kStart, "dice 3 1"});
  const Lines found = talk.ask("go nodes 1");
  const auto number = [](const std::string& line, std::string_view word) {
    return std::stod(line.substr(line.find(word) + word.size()));
  };
  const std::string eval = talk.last("eval");
  for (const std::string_view word : {"eq ", "pwin ", "pgammon ", "pbg "}) {
    EXPECT_NEAR(number(eval, word), number(found.front(), word), 2e-4) << eval;  // in 16 bits there
  }
}

// The same position in three notations, and with the players exchanged.
TEST(Ubgi, APositionIsTheSameHoweverItIsTold) {
  Talk talk;
  ready(talk);
  const auto answer_to = [&](std::initializer_list<std::string_view> lines) {
    talk.tell(lines);
    return talk.ask("go nodes 40");
  };
  const Lines answer = answer_to({"position startpos moves 31 8/5 6/5", "dice 6 4"});
  EXPECT_EQ(answer.size(), 2u);
  const std::string id = talk.last("d").substr(9, 14);
  const Lines board = talk.ask("d");
  const std::string xgid = beginning(board, "xgid ").front().substr(5);
  EXPECT_EQ(answer_to({"position gnubgid " + id, "dice 6 4"}), answer);
  EXPECT_EQ(answer_to({"setturn p1", "position gnubgid " + id, "dice 4 6"}), answer);
  EXPECT_EQ(answer_to({"position gnubgid " + id, "dice 6 4", "setturn p0"}), answer);
  EXPECT_EQ(answer_to({"position xgid " + xgid}), answer);
  EXPECT_EQ(answer_to({"position " + xgid}), answer);
}

TEST(Ubgi, WithoutDiceThereIsNoPlay) {
  Talk talk;
  ready(talk);
  for (const char* const go : {"go", "go role chequer", "go role turn", "go infinite"}) {
    talk.tell({kStart});
    ASSERT_EQ(talk.ask(go).size(), 1u) << go;
    EXPECT_EQ(code_of(talk.last(go)), "missing_context") << go;
  }
  talk.tell({"newgame"});
  EXPECT_EQ(code_of(talk.last("go")), "missing_context");
  // Setting a position clears the dice.
  talk.tell({kStart, "dice 3 1"});
  EXPECT_TRUE(talk.last("go").starts_with("bestmove "));
  talk.tell({kStart});
  EXPECT_EQ(code_of(talk.last("go")), "missing_context");
}

TEST(Ubgi, TheCubeIsAnsweredHonestly) {
  Talk talk;
  ready(talk);
  talk.tell({kStart});
  EXPECT_EQ(talk.ask("go role cube"), Lines{"bestcube nodouble"});
  talk.tell({"dice 5 2"});
  const Lines chequer = talk.ask("go role chequer");
  const Lines turn = talk.ask("go role turn");
  ASSERT_EQ(turn.size(), 2u);
  EXPECT_EQ(turn[1], "bestturn cube=nodouble move=" + chequer[1].substr(9));
  EXPECT_TRUE(turn[0].starts_with("info role turn "));
}

TEST(Ubgi, AForcedPassIsAMove) {
  Talk talk;
  ready(talk);
  // On the bar against six closed points.
  talk.tell({"position xgid XGID=-------------------bbbbbbA:0:0:1:31:0:0:0:0:10"});
  const Lines answer = talk.ask("go");
  ASSERT_EQ(answer.size(), 2u);
  EXPECT_EQ(answer[1], "bestmove pass");
  // A forced move is not searched, unless the request specifies nodes.
  EXPECT_EQ(number_behind(answer[0], "nodes"), 1);
  EXPECT_EQ(number_behind(talk.ask("go nodes 5")[0], "nodes"), 5);
  EXPECT_EQ(talk.last("go role turn"), "bestturn cube=nodouble move=pass");
}

TEST(Ubgi, AFinishedGameHasNothingToDecide) {
  Talk talk;
  ready(talk);
  talk.tell({"position xgid XGID=-A------------------------:0:0:-1:00:0:0:0:0:10"});
  EXPECT_EQ(talk.ask("query result"), Lines{"response p2win"});
  for (const char* const go : {"go", "go role cube", "go role turn", "go infinite", "dice 3 1"}) {
    ASSERT_EQ(talk.ask(go).size(), 1u) << go;
    EXPECT_EQ(code_of(talk.last(go)), "game_over") << go;
  }
  EXPECT_EQ(talk.last("perft 2"), "perft 2 plays_21 0 plays_36 0");
  EXPECT_TRUE(talk.last("eval").starts_with("eval eq 1.0000 pwin 1.0000 pgammon 0.0000 "));
}

TEST(Ubgi, RefusesWrongWordsAndKeepsWhatItHad) {
  Talk talk;
  ready(talk);
  talk.tell({kStart, "dice 3 1"});
  const Lines board = talk.ask("d");
  for (const char* const wrong : {"dice",
                                  "dice 3",
                                  "dice 0 1",
                                  "dice 7 1",
                                  "dice 3 1 2",
                                  "dice three one",
                                  "setturn",
                                  "setturn p2",
                                  "setturn white",
                                  "setscore 1",
                                  "setscore a b",
                                  "setscore 1 2 3",
                                  "setcube",
                                  "setcube value 3",
                                  "setcube value 2 owner nobody",
                                  "setcube colour red",
                                  "newsession type chess",
                                  "newsession",
                                  "position gnubgid",
                                  "position xgid",
                                  "go role"}) {
    ASSERT_EQ(talk.ask(wrong).size(), 1u) << wrong;
    EXPECT_EQ(code_of(talk.last(wrong)), "bad_argument") << wrong;
  }
  for (const char* const wrong :
       {"position gnubgid XXXX", "position gnubgid 4HPwATDgc/ABMB",
        "position gnubgid AAAAAAAAAAAAAA",
        "position xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:77:0:0:0:0:10",
        "position xgid 4HPwATDgc/ABMA", "position 4HPwATDgc/ABMA:2:31"}) {
    ASSERT_EQ(talk.ask(wrong).size(), 1u) << wrong;
    EXPECT_EQ(code_of(talk.last(wrong)), "illegal_position") << wrong;
  }
  EXPECT_EQ(talk.ask("d"), board);
}

}  // namespace
}  // namespace senet::protocol
