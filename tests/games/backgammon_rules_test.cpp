// The rules of backgammon case by case, on hand-made boards.
#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "games/backgammon/backgammon.hpp"
#include "games/backgammon/kit/exam.hpp"
#include "tests/games/backgammon_positions.hpp"

namespace senet {
namespace {

using backgammon::Checkers;
using backgammon::Dice;
using Places = std::initializer_list<std::pair<int, int>>;  // place, checkers

Checkers checkers(Places places) {
  Checkers result{};
  for (const auto& [place, count] : places) {
    result[static_cast<std::size_t>(place)] = static_cast<std::uint8_t>(count);
  }
  return *backgammon::with_borne_off(result);
}

// Player 0 is to play `dice`. Each side's places are from its own perspective.
Backgammon position(Places mine, Places opponent, Dice dice) {
  const auto state = Backgammon::from_board({checkers(mine), checkers(opponent)}, 0, dice);
  EXPECT_TRUE(state) << state.error().reason();
  return *state;
}

std::set<std::string> plays(const Backgammon& state) {
  ActionList<Backgammon::kMaxLegal> actions;
  state.legal(actions);
  std::set<std::string> texts;
  for (const Action action : actions) texts.insert(state.action_text(action));
  EXPECT_EQ(texts.size(), actions.size()) << "two plays with one text";
  return texts;
}

using Texts = std::set<std::string>;

TEST(BackgammonRules, TheTurnsFollowEachOther) {
  Backgammon state;
  EXPECT_EQ(state.turn(), Turn::kChance);
  EXPECT_EQ(state.viewer(), 0);
  EXPECT_TRUE(backgammon::is_opening_roll(state));
  state.play(backgammon::roll_action({3, 1}));
  EXPECT_EQ(state.turn(), Turn::kPlayer0);
  EXPECT_FALSE(backgammon::is_opening_roll(state));
  state.play(*state.action_from_text("8/5 6/5"));
  EXPECT_EQ(state.turn(), Turn::kChance);
  EXPECT_EQ(state.viewer(), 1);
  EXPECT_FALSE(backgammon::is_opening_roll(state));
  EXPECT_EQ(state.checkers(0)[5], 2);
  state.play(backgammon::roll_action({6, 6}));
  EXPECT_EQ(state.turn(), Turn::kPlayer1);
}

TEST(BackgammonRules, TheOpeningRollIsNoDouble) {
  std::array<float, backgammon::kRolls> probabilities;
  ASSERT_EQ(Backgammon().chance(probabilities), 15u);
  for (std::size_t i = 0; i < 15; ++i) {
    EXPECT_FLOAT_EQ(probabilities[i], 1.0f / 15);
    EXPECT_FALSE(backgammon::dice_of(static_cast<Action>(i)).is_double());
  }
  const auto later = Backgammon::from_position_id(backgammon::kStartPositionId, 0);
  ASSERT_TRUE(later);
  ASSERT_EQ(later->chance(probabilities), 21u);
  for (std::size_t i = 0; i < 21; ++i) {
    const bool is_double = backgammon::dice_of(static_cast<Action>(i)).is_double();
    EXPECT_FLOAT_EQ(probabilities[i], is_double ? 1.0f / 36 : 2.0f / 36);
  }
  EXPECT_FLOAT_EQ(std::accumulate(probabilities.begin(), probabilities.end(), 0.0f), 1.0f);
}

TEST(BackgammonRules, StartOptions) {
  const std::string_view start = backgammon::kStartPositionId;
  EXPECT_EQ(*Backgammon::from_text("4HPwATDgc/ABMA:0:open"), Backgammon());
  const auto given = Backgammon::from_position_id(start, 1, Dice{.high = 2, .low = 5});
  ASSERT_TRUE(given);
  EXPECT_EQ(given->turn(), Turn::kPlayer1);
  EXPECT_EQ(*given->dice(), (Dice{5, 2}));
  EXPECT_FALSE(Backgammon::from_position_id("nonsense", 0));
  EXPECT_FALSE(Backgammon::from_position_id(start, 2));
  EXPECT_FALSE(Backgammon::from_position_id(start, 0, Dice{7, 1}));
  EXPECT_FALSE(Backgammon::from_position_id(start, 0, Dice{}));
}

// The opponent's point p is the mover's 25 - p: its points 6, 5, 4, 3 block 19, 20, 21, 22.
TEST(BackgammonRules, TheBarComesFirst) {
  const Places opponent = {{6, 2}, {5, 2}, {4, 2}, {3, 2}, {13, 7}};
  // After the last checker has entered, any checker may play the other die.
  EXPECT_EQ(plays(position({{25, 1}, {6, 2}}, opponent, {2, 1})),
            (Texts{"bar/23 6/5", "bar/24 6/4"}));
  // Two on the bar: both dice enter.
  EXPECT_EQ(plays(position({{25, 2}, {6, 2}}, opponent, {2, 1})), (Texts{"bar/24 bar/23"}));
  // One of two can enter: nothing else moves.
  EXPECT_EQ(plays(position({{25, 2}, {6, 2}}, opponent, {6, 1})), (Texts{"bar/24"}));
  EXPECT_EQ(plays(position({{25, 2}, {6, 2}}, opponent, {3, 2})), (Texts{"bar/23"}));
  // None can enter.
  EXPECT_EQ(plays(position({{25, 1}, {6, 2}}, opponent, {6, 5})), (Texts{"pass"}));
  EXPECT_EQ(plays(position({{25, 1}, {6, 2}}, opponent, {6, 6})), (Texts{"pass"}));
  // With doubles, checkers also enter first.
  EXPECT_EQ(plays(position({{25, 2}, {6, 1}}, opponent, {1, 1})),
            (Texts{"bar/24(2) 6/4", "bar/24 bar/23 6/5", "bar/23(2)"}));
  EXPECT_EQ(plays(position({{25, 5}, {6, 1}}, opponent, {2, 2})), (Texts{"bar/23(4)"}));
}

TEST(BackgammonRules, BothDiceMustBePlayedWhenPossible) {
  // The mover's point 1 is blocked: after 8/7 no 6 can be played, and after 8/2 the only 1 is 3/2.
  EXPECT_EQ(plays(position({{8, 1}, {3, 1}}, {{24, 2}, {1, 13}}, {6, 1})), (Texts{"8/2 3/2"}));
  // Both can be played only with the lower die first.
  EXPECT_EQ(plays(position({{24, 1}}, {{7, 2}, {3, 13}}, {6, 1})), (Texts{"24/17"}));
}

TEST(BackgammonRules, TheLargerDieWhenOnlyOneCanBePlayed) {
  // 13/7 and 13/8 are open, 13/2 (the mover's 2 is the opponent's 23) is not.
  EXPECT_EQ(plays(position({{13, 1}}, {{23, 2}, {24, 13}}, {6, 5})), (Texts{"13/7"}));
  // The higher die cannot be played.
  EXPECT_EQ(plays(position({{13, 1}}, {{23, 2}, {18, 2}, {24, 11}}, {6, 5})), (Texts{"13/8"}));
}

TEST(BackgammonRules, DoublesAreFourStepsOrAsManyAsPossible) {
  // No bearing off while a checker is outside.
  EXPECT_EQ(plays(position({{13, 1}, {6, 1}}, {{1, 15}}, {3, 3})), (Texts{"13/1", "13/4 6/3"}));
  EXPECT_EQ(plays(position({{13, 2}}, {{24, 2}, {18, 13}}, {6, 6})), (Texts{"pass"}));
  // 24/18 is open, 18/12 (the opponent's 13) and 13/7 (its 18) are not.
  EXPECT_EQ(plays(position({{24, 2}}, {{13, 2}, {2, 13}}, {6, 6})), (Texts{"24/18(2)"}));
  EXPECT_EQ(plays(position({{24, 1}, {13, 1}}, {{13, 2}, {18, 2}, {2, 11}}, {6, 6})),
            (Texts{"24/18"}));
}

TEST(BackgammonRules, BearingOff) {
  const Places away = {{1, 15}};
  // Not possible while a checker is outside.
  EXPECT_EQ(plays(position({{8, 1}, {3, 1}, {1, 1}}, away, {3, 1})),
            (Texts{"8/4", "8/5 1/off", "8/5 3/2"}));
  // A die above all checkers must bear off the highest one.
  EXPECT_EQ(plays(position({{4, 1}, {3, 1}}, away, {6, 5})), (Texts{"4/off 3/off"}));
  EXPECT_EQ(plays(position({{5, 1}, {2, 1}}, away, {6, 1})), (Texts{"5/off", "5/off 2/1"}));
  // A die may bear off from its own point while higher checkers remain.
  EXPECT_EQ(plays(position({{6, 2}, {3, 2}}, away, {3, 3})), (Texts{"6/off(2)", "6/off 3/off(2)"}));
}

TEST(BackgammonRules, HitsSendToTheBar) {
  Backgammon state = position({{6, 2}, {24, 1}}, {{20, 1}, {21, 1}, {13, 13}}, {2, 1});
  state.play(*state.action_from_text("6/4* 6/5*"));
  EXPECT_EQ(state.checkers(1)[25], 2);
  EXPECT_EQ(state.checkers(1)[20], 0);
  EXPECT_EQ(state.checkers(1)[21], 0);
  EXPECT_EQ(state.turn(), Turn::kChance);
}

// Player 0 bears off its last checker; `loser` are player 1's checkers.
std::uint8_t outcome_against(Places loser) {
  Backgammon state = position({{1, 1}}, loser, {2, 1});
  EXPECT_EQ(plays(state), (Texts{"1/off"}));
  state.play(*state.action_from_text("1/off"));
  EXPECT_EQ(state.turn(), Turn::kOver);
  return state.outcome();
}

TEST(BackgammonRules, Scoring) {
  EXPECT_EQ(outcome_against({{1, 14}}), 0);  // one checker is off
  EXPECT_EQ(outcome_against({{1, 14}, {25, 0}}), 0);
  EXPECT_EQ(outcome_against({{1, 15}}), 1);
  EXPECT_EQ(outcome_against({{18, 1}, {1, 14}}), 1);  // just outside the winner's home
  EXPECT_EQ(outcome_against({{19, 1}, {1, 14}}), 2);
  EXPECT_EQ(outcome_against({{23, 1}, {1, 14}}), 2);
  EXPECT_EQ(outcome_against({{25, 1}, {1, 14}}), 2);
  EXPECT_EQ(outcome_against({{25, 1}, {1, 13}}), 0);  // one on the bar, but one is off
}

TEST(BackgammonRules, ScoringFromTheOtherSide) {
  auto state =
      Backgammon::from_board({checkers({{1, 2}}), checkers({{20, 1}, {1, 14}})}, 1, Dice{1, 1});
  ASSERT_TRUE(state);
  state->play(*state->action_from_text("1/off(2)"));
  ASSERT_EQ(state->turn(), Turn::kOver);
  EXPECT_EQ(state->outcome(), 5);
  EXPECT_EQ(final_value(*state, 0), -3.0f);
  EXPECT_EQ(final_value(*state, 1), 3.0f);
}

TEST(BackgammonRules, OutcomesMirror) {
  for (std::size_t i = 0; i < 6; ++i) {
    const std::size_t mirrored = Backgammon::kOutcomeMirror[i];
    EXPECT_EQ(Backgammon::kOutcomeMirror[mirrored], i);
    EXPECT_EQ(Backgammon::kOutcomeValues[mirrored], -Backgammon::kOutcomeValues[i]);
  }
}

TEST(BackgammonRules, CumulativeProbabilities) {
  constexpr std::array<float, 6> kOutcomes{0.3f, 0.15f, 0.05f, 0.25f, 0.2f, 0.05f};
  const auto p = backgammon::cumulative(kOutcomes);
  EXPECT_FLOAT_EQ(p.win, 0.5f);
  EXPECT_FLOAT_EQ(p.win_gammon, 0.2f);
  EXPECT_FLOAT_EQ(p.win_backgammon, 0.05f);
  EXPECT_FLOAT_EQ(p.lose_gammon, 0.25f);
  EXPECT_FLOAT_EQ(p.lose_backgammon, 0.05f);
  float expected = 0;
  for (std::size_t i = 0; i < 6; ++i) expected += kOutcomes[i] * Backgammon::kOutcomeValues[i];
  EXPECT_NEAR(p.equity(), expected, 1e-6f);
}

TEST(BackgammonRules, ImpossibleBoardsAreRefused) {
  const Checkers start = backgammon::kStartCheckers;
  Checkers many = start;
  many[3] = 1;
  EXPECT_FALSE(Backgammon::from_board({many, start}, 0));
  EXPECT_FALSE(Backgammon::from_board({start, checkers({{12, 15}})}, 0));
  EXPECT_FALSE(Backgammon::from_board({checkers({}), checkers({})}, 0));
  const Checkers closed = checkers({{1, 2}, {2, 2}, {3, 2}, {4, 2}, {5, 2}, {6, 2}, {25, 1}});
  EXPECT_FALSE(Backgammon::from_board({closed, closed}, 0));
  const auto over = Backgammon::from_board({checkers({}), start}, 0);
  ASSERT_TRUE(over);
  EXPECT_EQ(over->turn(), Turn::kOver);
  EXPECT_EQ(over->outcome(), 2);
  EXPECT_FALSE(Backgammon::from_board({checkers({}), start}, 0, Dice{2, 1}));
}

}  // namespace
}  // namespace senet
