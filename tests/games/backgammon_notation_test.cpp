// Texts of backgammon: turns, rolls, position ids, XGIDs, and all kinds of bad input.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "games/backgammon/backgammon.hpp"
#include "games/backgammon/board.hpp"
#include "tests/games/backgammon_positions.hpp"

namespace senet {
namespace {

using backgammon::Checkers;
using backgammon::Dice;

Backgammon start_with(int die, int other_die) {
  return *Backgammon::from_position_id(backgammon::kStartPositionId, 0,
                                       backgammon::make_dice(die, other_die));
}

// The state from a board in XGID letters, player 0 at the bottom and on roll.
Backgammon from_letters(std::string_view letters, std::string_view dice) {
  const auto state = Backgammon::from_text(std::string("XGID=") + std::string(letters) +
                                           ":0:0:1:" + std::string(dice) + ":0:0:0:0:10");
  EXPECT_TRUE(state) << state.error().reason();
  return *state;
}

// Reads an action and writes it again; or the error.
std::string read_back(const Backgammon& state, std::string_view text) {
  const Result<Action> action = state.action_from_text(text);
  return action ? state.action_text(*action) : "error: " + action.error().reason();
}

bool refuses(const Backgammon& state, std::string_view text) {
  const Result<Action> action = state.action_from_text(text);
  if (!action) {
    EXPECT_FALSE(action.error().reason().empty());
  }
  return !action;
}

// Plays and the positions after them, as GNU Backgammon gives them, step by step.
TEST(BackgammonNotation, PlaysLeadWhereGnuBackgammonSays) {
  struct Known {
    std::string_view before;
    Dice dice;
    std::string_view play, after;
  };
  constexpr Known kKnown[] = {
      {"4HPhASiYZ/ABMA", {6, 6}, "13/7 13/7 8/2 8/2", "Zt7AATDgc+EBUA"},
      {"fAAAoPc2AwAAAA", {2, 2}, "4/2 4/2 2/0 2/0", "740BAIAPAAAEAA"},
      {"m5ngASiYZ8wJQA", {3, 3}, "25/22 13/10 4/1 4/1", "g2eaCQibmeABSA"},
      {"0GfwASHg8+ABUA", {4, 4}, "25/21 24/20 20/16 8/4", "yOfgEQTgM/iAUA"},
      {"Z+0OAATbOAkATg", {4, 4}, "25/21 21/17 8/4 6/2", "u2UICBxndgcAYA"},
      {"zz8ASAjYzcEKAg", {1, 1}, "15/14 8/7 4/3 3/2", "0q3BBgLPPwAIYA"},
  };
  for (const Known& known : kKnown) {
    Backgammon state = *Backgammon::from_position_id(known.before, 1, known.dice);
    const Result<Action> action = state.action_from_text(known.play);
    ASSERT_TRUE(action) << known.play << ": " << action.error().reason();
    state.play(*action);
    EXPECT_EQ(state.text(), std::string(known.after) + ":0:-") << known.play;
  }
}

TEST(BackgammonNotation, ManyWaysToTellOneTurn) {
  const Backgammon state = start_with(6, 1);
  EXPECT_EQ(read_back(state, "13/7 8/7"), "13/7 8/7");
  EXPECT_EQ(read_back(state, "8/7 13/7"), "13/7 8/7");
  EXPECT_EQ(read_back(state, "  8/7\t13/7 "), "13/7 8/7");
  const Backgammon runs = start_with(6, 2);
  EXPECT_EQ(read_back(runs, "24/16"), "24/16");
  EXPECT_EQ(read_back(runs, "24/18/16"), "24/16");
  EXPECT_EQ(read_back(runs, "24/22/16"), "24/16");
  EXPECT_EQ(read_back(runs, "24/18 18/16"), "24/16");
  EXPECT_EQ(read_back(runs, "18/16 24/18"), "24/16");
  EXPECT_EQ(read_back(runs, "13/7 13/11"), "13/11 13/7");
  EXPECT_EQ(read_back(start_with(3, 3), "8/5(2) 6/3(2)"), "8/5(2) 6/3(2)");
  EXPECT_EQ(read_back(start_with(3, 3), "6/3 8/5 6/3 8/5"), "8/5(2) 6/3(2)");
  EXPECT_EQ(read_back(start_with(3, 3), "24/18(2)"), "24/18(2)");
  EXPECT_EQ(read_back(start_with(3, 3), "24/21(2) 21/18(2)"), "24/18(2)");
  EXPECT_EQ(read_back(start_with(3, 3), "13/4(1) 13/10"), "13/10 13/4");
}

TEST(BackgammonNotation, BarAndOff) {
  const Backgammon entering = from_letters("-----aA------------------B", "21");
  EXPECT_EQ(read_back(entering, "bar/24 bar/23"), "bar/24 bar/23");
  EXPECT_EQ(read_back(entering, "BAR/23 Bar/24"), "bar/24 bar/23");
  EXPECT_EQ(read_back(entering, "25/23 25/24"), "bar/24 bar/23");
  const Backgammon bearing = from_letters("a----AB-------------------", "61");
  EXPECT_EQ(read_back(bearing, "6/off 6/5"), "6/5 6/off");
  EXPECT_EQ(read_back(bearing, "6/0 6/5"), "6/5 6/off");
  EXPECT_EQ(read_back(bearing, "6/Off 5/4"), "6/off 5/4");
}

TEST(BackgammonNotation, Hits) {
  // Player 1 has blots on the 5 and 4 points of player 0.
  const Backgammon state = from_letters("----aa--C----------------A", "21");
  EXPECT_TRUE(refuses(state, "8/5*"));  // the bar comes first
  const Backgammon free = from_letters("----aa-A----------------A-", "21");
  EXPECT_EQ(read_back(free, "7/4"), "7/4*");
  EXPECT_EQ(read_back(free, "7/5*/4*"), "7/5*/4*");
  EXPECT_EQ(read_back(free, "7/5/4"), "7/5*/4*");
  EXPECT_EQ(read_back(free, "7/6/4"), "7/4*");
  EXPECT_EQ(read_back(free, "7/6*/4"), "error: '7/6*/4': there is no blot to hit on 6");
  EXPECT_EQ(read_back(free, "7/5 24/23"), "24/23 7/5*");
  // Both orders of the dice hit at the intermediate point.
  const Backgammon both = from_letters("----aaa-A---------------A-", "21");
  EXPECT_TRUE(refuses(from_letters("-----aa-A---------------A-", "32"), "8/3"));
  EXPECT_EQ(read_back(from_letters("-----aa-A---------------A-", "32"), "8/5/3"), "8/5*/3");
  EXPECT_EQ(read_back(from_letters("-----aa-A---------------A-", "32"), "8/6*/3"), "8/6*/3");
  EXPECT_EQ(read_back(both, "8/6*"), "error: '8/6*' is not a legal play of 21");
  // Only one order is possible, and it hits, so the hit need not be written.
  EXPECT_EQ(read_back(from_letters("-----ab-A---------------A-", "32"), "8/3"), "8/5*/3");
  EXPECT_EQ(read_back(from_letters("-----a--B-----------------", "33"), "8/5(2)"),
            "error: '8/5(2)' is not a legal play of 33");
  EXPECT_EQ(read_back(from_letters("-----a--B---------------B-", "33"), "8/5*(2) 24/21(2)"),
            "24/21(2) 8/5*(2)");
}

TEST(BackgammonNotation, BadTurnsAreRefusedWithAReason) {
  const Backgammon state = start_with(6, 1);
  for (const std::string_view text :
       {"",        " ",         "pass",      "13/7",        "13/7 8/7 6/5",  "13/12",
        "24/16",   "7/13 8/7",  "13/7 13",   "x",           "13/",           "/7",
        "13//7",   "13/7 8/7x", "13/7(5)",   "13/7(0)",     "13/7(2",        "13/7)",
        "13/7(2)", "26/20 8/7", "13/7* 8/7", "bar/24 13/7", "13/7 8/7 pass", "99999999999/1",
        "13/-1",   "6/off 8/7", "0/1",       "13-7 8-7",    "13/7(4)(4)",    "13/7(2)(2) 8/7",
        "13/7*(",  "off/bar"}) {
    EXPECT_TRUE(refuses(state, text)) << "'" << text << "'";
  }
  const Backgammon stuck = from_letters("-------------------bbbbbbA", "21");
  EXPECT_EQ(read_back(stuck, "pass"), "pass");
  EXPECT_TRUE(refuses(stuck, "bar/24"));
  EXPECT_TRUE(refuses(stuck, ""));
}

TEST(BackgammonNotation, Rolls) {
  const auto state = Backgammon::from_position_id(backgammon::kStartPositionId, 0);
  for (Action roll = 0; roll < backgammon::kRolls; ++roll) {
    const std::string text = state->action_text(roll);
    EXPECT_EQ(*state->action_from_text(text), roll);
    EXPECT_EQ(*state->action_from_text(std::string(text.rbegin(), text.rend())), roll);
  }
  EXPECT_EQ(state->action_text(backgammon::roll_action({6, 3})), "63");
  for (const std::string_view text : {"", "6", "70", "07", "6-3", "631", "ab"}) {
    EXPECT_TRUE(refuses(*state, text)) << text;
  }
  EXPECT_TRUE(refuses(Backgammon(), "11"));
  EXPECT_TRUE(Backgammon().action_from_text("21"));
}

TEST(BackgammonNotation, EveryActionAndStateSurvivesItsText) {
  std::size_t actions_read = 0;
  backgammon::visit_random_games(21, 60, [&](const Backgammon& state) {
    if (HasFatalFailure()) return;
    const Result<Backgammon> copy = Backgammon::from_text(state.text());
    ASSERT_TRUE(copy) << state.text() << ": " << copy.error().reason();
    ASSERT_EQ(*copy, state) << state.text();
    const Result<Backgammon> from_xgid = Backgammon::from_text(state.xgid());
    ASSERT_TRUE(from_xgid) << state.xgid() << ": " << from_xgid.error().reason();
    if (!backgammon::is_opening_roll(state)) {
      ASSERT_EQ(*from_xgid, state) << state.xgid();
    }
    if (!is_decision(state.turn())) return;
    ActionList<Backgammon::kMaxLegal> actions;
    state.legal(actions);
    for (const Action action : actions) {
      const std::string text = state.action_text(action);
      const Result<Action> read = state.action_from_text(text);
      ASSERT_TRUE(read) << state.text() << ' ' << text << ": " << read.error().reason();
      ASSERT_EQ(*read, action) << state.text() << ' ' << text;
      ++actions_read;
    }
  });
  EXPECT_GE(actions_read, 50000u);
}

TEST(BackgammonNotation, EveryActionOfScatteredCheckersSurvivesItsText) {
  Random random(22, 0, 0, Purpose::kTest);
  for (int i = 0; i < 2000 && !HasFatalFailure(); ++i) {
    const Backgammon state = backgammon::random_placement(random);
    ActionList<Backgammon::kMaxLegal> actions;
    state.legal(actions);
    const std::size_t stride = 1 + actions.size() / 40;  // long lists of doubles are sampled
    for (std::size_t k = 0; k < actions.size(); k += stride) {
      const std::string text = state.action_text(actions[k]);
      const Result<Action> read = state.action_from_text(text);
      ASSERT_TRUE(read) << state.text() << ' ' << text << ": " << read.error().reason();
      ASSERT_EQ(*read, actions[k]) << state.text() << ' ' << text;
    }
  }
}

TEST(BackgammonPositionId, Start) {
  const auto board = backgammon::board_from_position_id("4HPwATDgc/ABMA");
  ASSERT_TRUE(board);
  EXPECT_EQ(board->on_roll, backgammon::kStartCheckers);
  EXPECT_EQ(board->waiting, backgammon::kStartCheckers);
  EXPECT_EQ(backgammon::position_id(*board), "4HPwATDgc/ABMA");
}

// A position analysed by GNU Backgammon. The expected board is from the perspective of the player
// on roll.
TEST(BackgammonPositionId, ThePlayerNotOnRollComesFirst) {
  const auto board = backgammon::board_from_position_id("3L4HAIDZWgUQDA");
  ASSERT_TRUE(board);
  Checkers on_roll{}, waiting{};
  on_roll = {0, 2, 0, 2, 2, 1, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0};
  waiting[25 - 19] = 4;
  waiting[25 - 20] = 5;
  waiting[25 - 21] = 2;
  waiting[25 - 22] = 3;
  EXPECT_EQ(board->on_roll, *backgammon::with_borne_off(on_roll));
  EXPECT_EQ(board->waiting, *backgammon::with_borne_off(waiting));
}

TEST(BackgammonPositionId, RoundTrips) {
  Random random(23, 0, 0, Purpose::kTest);
  for (int i = 0; i < 20000; ++i) {
    const backgammon::Board board = backgammon::random_placement(random).board();
    const std::string id = backgammon::position_id(board);
    ASSERT_EQ(id.size(), backgammon::kPositionIdLength);
    const auto read = backgammon::board_from_position_id(id);
    ASSERT_TRUE(read) << id << ": " << read.error().reason();
    ASSERT_EQ(*read, board) << id;
  }
}

TEST(BackgammonPositionId, BadIdsAreRefused) {
  for (const std::string_view text : {"", "4HPwATDgc/ABM", "4HPwATDgc/ABMAA", "4HPwATDgc/ABM=",
                                      "4HPwATDgc/ABMB", "//////////////", "4HPwATDgc-ABMA",
                                      "AAAAAAAAAAAAAA", "AAAAAAAAAAAA/w", "4HPwATDgc/ABMA=="}) {
    const auto board = backgammon::board_from_position_id(text);
    EXPECT_FALSE(board) << text;
    if (!board) {
      EXPECT_FALSE(board.error().reason().empty());
    }
  }
}

TEST(BackgammonXgid, Start) {
  constexpr std::string_view kStart = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10";
  EXPECT_EQ(Backgammon().xgid(), kStart);
  const auto state = Backgammon::from_text(kStart);
  ASSERT_TRUE(state);
  EXPECT_EQ(*state, *Backgammon::from_position_id(backgammon::kStartPositionId, 0));
}

TEST(BackgammonXgid, ThePlayerAtTheBottomIsPlayer0WhoeverRolls) {
  // Bottom player: points 24, 23 and bar; top player: own point 6 and bar.
  const auto state = Backgammon::from_text("XGID=a------------------a--AA:0:0:-1:52:0:0:0:0:10");
  EXPECT_FALSE(state);  // 25 places
  const auto top = Backgammon::from_text("a------------------a---ABA:0:0:-1:52:0:0:0:0:10");
  ASSERT_TRUE(top) << top.error().reason();
  EXPECT_EQ(top->turn(), Turn::kPlayer1);
  EXPECT_EQ(*top->dice(), (Dice{5, 2}));
  EXPECT_EQ(top->checkers(0)[25], 1);
  EXPECT_EQ(top->checkers(0)[24], 2);
  EXPECT_EQ(top->checkers(0)[23], 1);
  EXPECT_EQ(top->checkers(1)[25], 1);
  EXPECT_EQ(top->checkers(1)[6], 1);
  EXPECT_EQ(top->xgid(), "XGID=a------------------a---ABA:0:0:-1:52:0:0:0:0:10");
}

TEST(BackgammonXgid, CubeAndMatchAreReadAndMeanNothing) {
  constexpr std::string_view kPlaces = "XGID=-b----E-C---eE---c-e----B-";
  const auto read = [&](std::string_view rest) {
    return Backgammon::from_xgid(std::string(kPlaces) + std::string(rest));
  };
  const auto state = read(":1:-1:1:63:3:2:1:7:10");
  ASSERT_TRUE(state) << state.error().reason();
  EXPECT_EQ(state->xgid(), std::string(kPlaces) + ":0:0:1:63:0:0:0:0:10");
  const auto why = [&](std::string_view rest) { return read(rest).error().reason(); };
  EXPECT_EQ(why(":31:0:1:63:0:0:0:0:10"), "the cube of an XGID is 0..30, not '31'");
  EXPECT_EQ(why(":0:-2:1:63:0:0:0:0:10"), "the cube owner of an XGID is -1..1, not '-2'");
  EXPECT_EQ(why(":0:0:2:63:0:0:0:0:10"), "the player on roll of an XGID is -1..1, not '2'");
  EXPECT_EQ(why(":0:0:0:63:0:0:0:0:10"), "the player on roll of an XGID is 1 or -1");
  EXPECT_EQ(why(":0:0:1:63:-1:0:0:0:10"), "the score of an XGID is 0..99999, not '-1'");
  EXPECT_EQ(why(":0:0:1:63:0:x:0:0:10"), "the score of an XGID is 0..99999, not 'x'");
  EXPECT_EQ(why(":0:0:1:63:0:0:4:0:10"), "the rules field of an XGID is 0..3, not '4'");
  EXPECT_EQ(why(":0:0:1:63:0:0:0:100000:10"),
            "the match length of an XGID is 0..99999, not '100000'");
  EXPECT_EQ(why(":0:0:1:63:0:0:0:0:31"), "the largest cube of an XGID is 0..30, not '31'");
}

TEST(BackgammonText, TheStartInWords) {
  EXPECT_EQ(Backgammon().text(), "4HPwATDgc/ABMA:0:open");
  EXPECT_EQ(start_with(1, 3).text(), "4HPwATDgc/ABMA:0:31");
  EXPECT_EQ(*Backgammon::from_text("4HPwATDgc/ABMA:0:13"), start_with(3, 1));
  EXPECT_EQ(*Backgammon::from_text("4HPwATDgc/ABMA"),
            *Backgammon::from_position_id("4HPwATDgc/ABMA", 0));
  EXPECT_EQ(Backgammon::from_text("4HPwATDgc/ABMA:1:-")->viewer(), 1);
}

TEST(BackgammonText, BadTextIsRefused) {
  for (const std::string_view text : {"",
                                      ":",
                                      "::",
                                      "4HPwATDgc/ABMA:",
                                      "4HPwATDgc/ABMA:0",
                                      "4HPwATDgc/ABMA:2:-",
                                      "4HPwATDgc/ABMA:0:",
                                      "4HPwATDgc/ABMA:0:07",
                                      "4HPwATDgc/ABMA:0:311",
                                      "4HPwATDgc/ABMA:0:31:",
                                      "4HPwATDgc/ABMA:00:31",
                                      "XGID=",
                                      "XGID=-b----E-C---eE---c-e----B-",
                                      "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0",
                                      "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10:1",
                                      "XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:0:10",
                                      "XGID=-b----E-C---eE---c-e----B-:0:0:1:70:0:0:0:0:10",
                                      "XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:0:10",
                                      "XGID=-b----E-C---eE---c-e----B-:0:2:1:00:0:0:0:0:10",
                                      "XGID=-b----E-C---eE---c-e----B-:x:0:1:00:0:0:0:0:10",
                                      "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:",
                                      "XGID=-b----E-C---eE---c-e----Bb:0:0:1:00:0:0:0:0:10",
                                      "XGID=Ab----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10",
                                      "XGID=-b----E-C---eE---c-e----P-:0:0:1:00:0:0:0:0:10",
                                      "XGID=-b----E-C---eE---c-e----C-:0:0:1:00:0:0:0:0:10"}) {
    const Result<Backgammon> state = Backgammon::from_text(text);
    EXPECT_FALSE(state) << "'" << text << "'";
    if (!state) {
      EXPECT_FALSE(state.error().reason().empty());
    }
  }
}

}  // namespace
}  // namespace senet
