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
  for (const std::size_t side : {0u, 155u}) {
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
    expected[side + 139] = 1;                   // 167 pips
    expected[side + 140 + 13] = 1;
  }
  expected[323] = 1;      // opening roll
  expected[325] = 1;      // contact
  expected[328 + 8] = 1;  // equal race
  for (std::size_t i = 0; i < row.size(); ++i) EXPECT_FLOAT_EQ(row[i], expected[i]) << i;
}

TEST(BackgammonFeatures, DiceArePartOfADecision) {
  const auto roll = dense(*Backgammon::from_position_id(backgammon::kStartPositionId, 0));
  EXPECT_EQ(roll[323], 0.0f);
  EXPECT_EQ(roll[324], 1.0f);
  for (std::size_t i = 310; i < 323; ++i) EXPECT_EQ(roll[i], 0.0f);
  const auto mixed =
      dense(*Backgammon::from_position_id(backgammon::kStartPositionId, 0, Dice{5, 2}));
  EXPECT_EQ(mixed[310 + 4], 1.0f);
  EXPECT_EQ(mixed[316 + 1], 1.0f);
  EXPECT_EQ(std::count(mixed.begin() + 310, mixed.begin() + 325, 0.0f), 13);
  const auto doubles =
      dense(*Backgammon::from_position_id(backgammon::kStartPositionId, 0, Dice{4, 4}));
  EXPECT_EQ(doubles[322], 1.0f);
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
    ASSERT_TRUE(std::equal(row.begin(), row.begin() + 155, other_row.begin() + 155));
    ASSERT_TRUE(std::equal(row.begin() + 155, row.begin() + 310, other_row.begin()));
    ASSERT_EQ(row[327], -other_row[327]);
  }
}

TEST(BackgammonFeatures, ContactEndsWhenTheSidesHavePassed) {
  const auto contact = Backgammon::from_text("XGID=------------A-b-----------:0:0:1:00:0:0:0:0:10");
  ASSERT_TRUE(contact);
  EXPECT_EQ(dense(*contact)[326], 1.0f);  // own 12, the opponent's checkers on our 14: passed
  const auto race = Backgammon::from_text("XGID=------------a-B-----------:0:0:1:00:0:0:0:0:10");
  ASSERT_TRUE(race);
  EXPECT_EQ(dense(*race)[325], 1.0f);
}

// Every roll that can legally hit is counted. Few rolls are counted whose hit the rules on using
// dice forbid.
TEST(BackgammonFeatures, HittingRollsAreThoseThatCanHit) {
  int counted = 0, legal_hits = 0;
  backgammon::visit_random_games(32, 60, [&](const Backgammon& state) {
    if (state.turn() != Turn::kChance || backgammon::is_opening_roll(state) || HasFatalFailure())
      return;
    const Player mover = state.viewer();
    int hitting = 0;
    for (Action roll = 0; roll < backgammon::kRolls; ++roll) {
      Backgammon rolled = state;
      rolled.play(roll);
      ActionList<Backgammon::kMaxLegal> actions;
      rolled.legal(actions);
      const bool hits = std::any_of(actions.begin(), actions.end(), [&](Action action) {
        Backgammon next = rolled;
        next.play(action);
        return next.checkers(other(mover))[25] > state.checkers(other(mover))[25];
      });
      if (hits) hitting += backgammon::dice_of(roll).is_double() ? 1 : 2;
    }
    const int estimate =
        backgammon::hitting_rolls(state.checkers(mover), state.checkers(other(mover)));
    ASSERT_GE(estimate, hitting) << state.text();
    counted += estimate;
    legal_hits += hitting;
  });
  EXPECT_GT(legal_hits, 10000);
  EXPECT_LT(counted, legal_hits * 1.01);
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
