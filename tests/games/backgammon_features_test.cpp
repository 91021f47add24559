// Backgammon's interface to the network and the search: features, logits, keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "games/backgammon/backgammon.hpp"
#include "games/backgammon/board.hpp"
#include "tests/effort.hpp"
#include "tests/games/backgammon_positions.hpp"

namespace senet {
namespace {

using backgammon::Dice;

// The features as a dense row. Checks the invariants of every row.
std::array<float, Backgammon::kFeatures> dense(const Backgammon& state) {
  std::array<std::uint16_t, Backgammon::kMaxActive> index;
  std::array<float, Backgammon::kMaxActive> value;
  FeatureRow row(index.data(), value.data(), Backgammon::kMaxActive);
  state.encode(row);
  std::array<float, Backgammon::kFeatures> result{};
  EXPECT_LE(row.count(), Backgammon::kMaxActive);
  for (std::size_t i = 0; i < row.count(); ++i) {
    EXPECT_LT(index[i], Backgammon::kFeatures);
    EXPECT_EQ(result[index[i]], 0.0f) << "feature " << index[i] << " twice";
    EXPECT_NE(value[i], 0.0f);
    EXPECT_GE(value[i], -1.0f);
    EXPECT_LE(value[i], 3.0f);
    result[index[i]] = value[i];
  }
  return result;
}

TEST(BackgammonFeatures, TheStart) {
  const auto row = dense(Backgammon());
  std::array<float, Backgammon::kFeatures> expected{};
  for (const std::size_t side : {0u, 196u}) {
    expected[side + (24 - 1) * 4 + 1] = 1;  // two on 24
    expected[side + (13 - 1) * 4 + 2] = 1;  // five on 13
    expected[side + (13 - 1) * 4 + 3] = 0.5f;
    expected[side + (8 - 1) * 4 + 2] = 1;  // three on 8
    expected[side + (6 - 1) * 4 + 2] = 1;  // five on 6
    expected[side + (6 - 1) * 4 + 3] = 0.5f;
    expected[side + 116] = 1;      // one home point
    expected[side + 122] = 1;      // no two points in a row
    expected[side + 128 + 1] = 1;  // two back
    expected[side + 137] =
        (2 * 18 + 5 * 7 + 3 * 2 + 1) / 100.0f;  // (pips to bring all home + 1) / 100
    expected[side + 138] = 1;                   // 167 pips
    expected[side + 139 + 13] = 1;
    // Not 5-2, 4-3, 6-1, 4-1 and 3-2, which end on a point, 5-5 and 6-6.
    expected[side + 180 + 6] = 12.0f / 36;
    expected[side + 188] = 14.0f / 36;  // on 23
    expected[side + 189] = expected[side + 188] * expected[side + 188];
    expected[side + 190] = 1;  // no two points in a row ahead
  }
  expected[405] = 1;      // opening roll
  expected[407] = 1;      // contact
  expected[410 + 8] = 1;  // equal race
  for (std::size_t i = 0; i < row.size(); ++i) EXPECT_FLOAT_EQ(row[i], expected[i]) << i;
}

TEST(BackgammonFeatures, DiceArePartOfADecision) {
  const auto roll = dense(*Backgammon::from_position_id(backgammon::kStartPositionId, 0));
  EXPECT_EQ(roll[405], 0.0f);
  EXPECT_EQ(roll[406], 1.0f);
  for (std::size_t i = 392; i < 405; ++i) EXPECT_EQ(roll[i], 0.0f);
  const auto mixed =
      dense(*Backgammon::from_position_id(backgammon::kStartPositionId, 0, Dice{5, 2}));
  EXPECT_EQ(mixed[392 + 4], 1.0f);
  EXPECT_EQ(mixed[398 + 1], 1.0f);
  EXPECT_EQ(std::count(mixed.begin() + 392, mixed.begin() + 407, 0.0f), 13);
  const auto doubles =
      dense(*Backgammon::from_position_id(backgammon::kStartPositionId, 0, Dice{4, 4}));
  EXPECT_EQ(doubles[404], 1.0f);
}

// The features depend only on the board from the perspective of the player on roll, and different
// boards have different features.
TEST(BackgammonFeatures, AreToldFromThePlayerOnRoll) {
  Random random(31, 0, 0, Purpose::kTest);
  std::array<float, Backgammon::kFeatures> previous{};
  for (int i = 0; i < 20000; ++i) {
    const Backgammon state = backgammon::random_placement(random);
    const auto turned = Backgammon::from_board(state.board(), other(state.viewer()), state.dice());
    const auto row = dense(state);
    ASSERT_EQ(row, dense(*turned)) << state.text();
    ASSERT_NE(row, previous);
    previous = row;
    // Swapping the sides swaps their halves.
    const backgammon::Board swapped{state.board().waiting, state.board().on_roll};
    const auto other_row = dense(*Backgammon::from_board(swapped, 0, state.dice()));
    ASSERT_TRUE(std::equal(row.begin(), row.begin() + 196, other_row.begin() + 196));
    ASSERT_TRUE(std::equal(row.begin() + 196, row.begin() + 392, other_row.begin()));
    ASSERT_EQ(row[409], -other_row[409]);
  }
}

TEST(BackgammonFeatures, ContactEndsWhenTheSidesHavePassed) {
  const auto contact = Backgammon::from_text("XGID=------------A-b-----------:0:0:1:00:0:0:0:0:10");
  ASSERT_TRUE(contact);
  EXPECT_EQ(dense(*contact)[408], 1.0f);  // own 12, the opponent's checkers on our 14: passed
  const auto race = Backgammon::from_text("XGID=------------a-B-----------:0:0:1:00:0:0:0:0:10");
  ASSERT_TRUE(race);
  EXPECT_EQ(dense(*race)[407], 1.0f);
}

// Every roll that can legally hit is counted, for each blot and for all. Few rolls are counted
// whose hit the rules on using dice forbid.
TEST(BackgammonFeatures, ShotsAreTheRollsThatCanHit) {
  int counted = 0, legal_hits = 0, counted_pips = 0, legal_pips = 0;
  backgammon::visit_random_games(32, 60, [&](const Backgammon& state) {
    if (state.turn() != Turn::kChance || backgammon::is_opening_roll(state) || HasFatalFailure())
      return;
    const Player mover = state.viewer();
    const backgammon::Checkers& opponent = state.checkers(other(mover));
    backgammon::Shots legal;
    for (Action roll = 0; roll < backgammon::kRolls; ++roll) {
      Backgammon rolled = state;
      rolled.play(roll);
      ActionList<Backgammon::kMaxLegal> actions;
      rolled.legal(actions);
      std::array<bool, 25> hit{};  // by our point
      for (const Action action : actions) {
        Backgammon next = rolled;
        next.play(action);
        for (std::size_t point = 1; point <= 24; ++point) {
          hit[point] |= opponent[25 - point] == 1 && next.checkers(other(mover))[25 - point] == 0;
        }
      }
      const int weight = backgammon::dice_of(roll).is_double() ? 1 : 2;
      std::size_t highest = 0;
      for (std::size_t point = 1; point <= 24; ++point) {
        if (!hit[point]) continue;
        legal.on[point] = static_cast<std::uint8_t>(legal.on[point] + weight);
        highest = point;
      }
      legal.rolls += highest > 0 ? weight : 0;
      legal.pips += weight * static_cast<int>(highest);
    }
    const backgammon::Shots shots =
        shots_of(backgammon::both_sides(state.checkers(mover), opponent))[0];
    ASSERT_GE(shots.rolls, legal.rolls) << state.text();
    ASSERT_GE(shots.pips, legal.pips) << state.text();
    for (std::size_t point = 1; point <= 24; ++point) {
      ASSERT_GE(shots.on[point], legal.on[point]) << state.text() << " point " << point;
    }
    counted += shots.rolls;
    legal_hits += legal.rolls;
    counted_pips += shots.pips;
    legal_pips += legal.pips;
  });
  EXPECT_GT(legal_hits, 10000);
  EXPECT_LT(counted, legal_hits * 1.01);
  EXPECT_LT(counted_pips, legal_pips * 1.01);
}

// The free rolls of a checker are those with which the rules let it move by both dice when it is
// alone.
TEST(BackgammonFeatures, FreeRollsAreThoseThatALoneCheckerCanPlay) {
  Random random(33, 0, 0, Purpose::kTest);
  for (int i = 0; i < 300; ++i) {
    const backgammon::Board board = backgammon::random_placement(random).board();
    for (std::size_t place = 13; place <= 25; ++place) {
      if (place < 25 && board.waiting[25 - place] > 0) continue;
      backgammon::Board alone{{}, board.waiting};
      alone.on_roll[place] = 1;
      alone.on_roll[backgammon::kOff] = 14;
      int free = 0;
      for (Action roll = 0; roll < backgammon::kRolls; ++roll) {
        const backgammon::Dice dice = backgammon::dice_of(roll);
        const auto rolled = Backgammon::from_board(alone, 0, dice);
        ASSERT_TRUE(rolled) << rolled.error().reason();
        ActionList<Backgammon::kMaxLegal> actions;
        rolled->legal(actions);
        Backgammon next = *rolled;
        next.play(actions[0]);
        const int moved = static_cast<int>(place) - backgammon::pips(next.checkers(0));
        if (moved >= dice.high + dice.low) free += dice.is_double() ? 1 : 2;
      }
      const backgammon::Places points = backgammon::places_with(board.waiting, 2);
      ASSERT_EQ(backgammon::free_rolls(points)[place - 13], free)
          << position_id(alone) << " from " << place;
    }
  }
}

TEST(BackgammonFeatures, LogitsAreThePairsOfSources) {
  constexpr std::uint16_t kNone = kNoLogit;
  using Logits = std::array<std::uint16_t, 2>;
  EXPECT_EQ(Backgammon::logits_of(backgammon::pair_action(24, 13)), (Logits{24 * 26 + 13, kNone}));
  EXPECT_EQ(Backgammon::logits_of(backgammon::kPass), (Logits{0, kNone}));
  EXPECT_EQ(Backgammon::logits_of(backgammon::doubles_action({13, 13, 8, 6})),
            (Logits{13 * 26 + 13, 8 * 26 + 6}));
  EXPECT_EQ(Backgammon::logits_of(backgammon::doubles_action({25, 0, 0, 0})), (Logits{25 * 26, 0}));
}

TEST(BackgammonKey, SeparatesAMillionStates) {
  constexpr std::size_t kStates = effort(1'000'000);
  std::vector<std::pair<std::uint64_t, Backgammon>> states;
  for (std::uint64_t seed = 41; states.size() < 2 * kStates; ++seed) {
    backgammon::visit_random_games(
        seed, 100, [&](const Backgammon& state) { states.emplace_back(state.key(), state); });
  }
  std::sort(states.begin(), states.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t different = 1;
  for (std::size_t i = 1; i < states.size(); ++i) {
    if (states[i - 1].first == states[i].first) {
      ASSERT_EQ(states[i - 1].second, states[i].second);
    } else {
      ++different;
    }
  }
  EXPECT_GE(different, kStates);
}

TEST(BackgammonKey, DependsOnPlayerDiceAndOpening) {
  constexpr std::string_view kId = backgammon::kStartPositionId;
  std::vector<std::uint64_t> keys{Backgammon().key()};
  for (const Player player : {Player{0}, Player{1}}) {
    keys.push_back(Backgammon::from_position_id(kId, player)->key());
    for (Action roll = 0; roll < backgammon::kRolls; ++roll) {
      keys.push_back(Backgammon::from_position_id(kId, player, backgammon::dice_of(roll))->key());
    }
  }
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

}  // namespace
}  // namespace senet
