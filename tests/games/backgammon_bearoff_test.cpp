// Tests the table of exact bear-offs against rolls counted by hand, against a plain search without
// a table, and against itself one roll later.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "games/backgammon/backgammon.hpp"
#include "games/random.hpp"
#include "tests/games/backgammon_bearoff.hpp"
#include "tests/games/backgammon_positions.hpp"

namespace senet {
namespace {

using backgammon::BearoffTable;
using backgammon::Board;
using backgammon::Checkers;

using Points = std::initializer_list<int>;

// One checker on each point listed.
Checkers home(Points points) {
  Checkers checkers{};
  for (const int point : points) ++checkers[static_cast<std::size_t>(point)];
  return *backgammon::with_borne_off(checkers);
}

// Exactly `count` checkers at home.
Checkers random_home(Random& random, std::size_t count) {
  Checkers checkers{};
  for (std::size_t i = 0; i < count; ++i) ++checkers[1 + random.below(6)];
  return *backgammon::with_borne_off(checkers);
}

// The probability of winning, by the definition of the table and the rules of the game, given
// `worth(board after the play, opponent on roll)`, the opponent's probability of winning.
template <class Worth>
double one_roll(const Board& board, Worth&& worth) {
  double sum = 0;
  for (Action roll = 0; roll < backgammon::kRolls; ++roll) {
    const backgammon::Dice dice = backgammon::dice_of(roll);
    const auto state = Backgammon::from_board(board, 0, dice);
    ActionList<Backgammon::kMaxLegal> actions;
    state->legal(actions);
    double best = 0;
    for (const Action action : actions) {
      Backgammon after = *state;
      after.play(action);
      best = std::max(best, after.turn() == Turn::kOver ? 1.0 : 1.0 - worth(after.board()));
    }
    sum += best * (dice.is_double() ? 1 : 2) / 36;
  }
  return sum;
}

// Plain search to the end.
double searched(const Board& board, std::map<std::pair<Checkers, Checkers>, double>& known) {
  const auto [found, is_new] = known.try_emplace({board.on_roll, board.waiting}, 0);
  if (!is_new) return found->second;
  const double win = one_roll(board, [&](const Board& after) { return searched(after, known); });
  return known[{board.on_roll, board.waiting}] = win;
}

// How many of 36 rolls bear two checkers off at once, counted by hand.
TEST(BackgammonBearoff, TwoCheckersInOneRoll) {
  const BearoffTable table(2);
  struct Case {
    int high, low, rolls;
  };
  for (const auto& [high, low, rolls] : std::initializer_list<Case>{
           {1, 1, 36}, {2, 1, 36}, {3, 1, 34}, {4, 1, 29}, {5, 1, 23}, {6, 1, 15}, {2, 2, 26},
           {3, 2, 25}, {4, 2, 23}, {5, 2, 19}, {6, 2, 13}, {3, 3, 17}, {4, 3, 17}, {5, 3, 14},
           {6, 3, 10}, {4, 4, 11}, {5, 4, 10}, {6, 4, 8},  {5, 5, 6},  {6, 5, 6},  {6, 6, 4}}) {
    // The opponent needs one roll: the player must bear off both checkers now.
    const Board board{home({high, low}), home({1})};
    EXPECT_NEAR(table.win(board), rolls / 36.0, 1e-6) << high << low;
    EXPECT_NEAR(table.equity(board), rolls / 18.0 - 1, 2e-6);
  }
}

TEST(BackgammonBearoff, EqualsSearchWithoutATable) {
  const BearoffTable table(4);
  std::map<std::pair<Checkers, Checkers>, double> known;
  Random random(11, 0, 0, Purpose::kTest);
  for (int i = 0; i < 12; ++i) {
    const Board board{random_home(random, 1 + random.below(4)),
                      random_home(random, 1 + random.below(4))};
    EXPECT_NEAR(table.win(board), searched(board, known), 1e-6);
  }
  EXPECT_GT(known.size(), 1000u);
  for (const auto& [sides, win] : known) {
    ASSERT_NEAR(table.win({sides.first, sides.second}), win, 1e-6);
  }
}

TEST(BackgammonBearoff, EqualsItselfOneRollLater) {
  const BearoffTable table;
  Random random(12, 0, 0, Purpose::kTest);
  for (int i = 0; i < 2000; ++i) {
    const Board board{random_home(random, 1 + random.below(6)),
                      random_home(random, 1 + random.below(6))};
    const double later = one_roll(board, [&](const Board& after) { return table.win(after); });
    ASSERT_NEAR(table.win(board), later, 1e-6);
  }
}

TEST(BackgammonBearoff, DoesNotDependOnTheTablesSize) {
  const BearoffTable small(2), large(5);
  for (std::uint32_t i = 0; i < 500; ++i) {
    Random random(13, i, 0, Purpose::kTest);
    const Board board{random_home(random, random.below(3)),
                      random_home(random, 1 + random.below(2))};
    ASSERT_TRUE(small.holds(board) && large.holds(board));
    ASSERT_EQ(small.win(board), large.win(board));
  }
}

TEST(BackgammonBearoff, FinishedGamesAreDecided) {
  const BearoffTable table(3);
  EXPECT_EQ(table.win({home({6, 6, 6}), home({})}), 0);
  EXPECT_EQ(table.win({home({}), home({6, 6, 6})}), 1);
}

TEST(BackgammonBearoff, HoldsFewCheckersAtHomeOnly) {
  const BearoffTable table(3);
  EXPECT_EQ(table.most_checkers(), 3u);
  const Checkers few = home({6, 3, 1}), many = home({6, 3, 1, 1}), far = home({7});
  EXPECT_TRUE(table.holds({few, few}));
  EXPECT_FALSE(table.holds({many, few}));
  EXPECT_FALSE(table.holds({few, many}));
  EXPECT_FALSE(table.holds({far, few}));
  EXPECT_FALSE(table.holds({few, far}));
  Checkers bar = home({});
  bar[backgammon::kBar] = 1;
  --bar[backgammon::kOff];
  EXPECT_FALSE(table.holds({few, bar}));
  EXPECT_FALSE(table.holds({backgammon::kStartCheckers, backgammon::kStartCheckers}));
}

}  // namespace
}  // namespace senet
