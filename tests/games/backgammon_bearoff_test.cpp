// Tests the bear-off database against rolls counted by hand, against a plain search, and against
// itself one roll later by the rules of the game.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "games/tablebase.hpp"
#include "tests/games/backgammon_bearoff.hpp"

namespace senet {
namespace {

using backgammon::bearoff;
using backgammon::BearoffDatabase;
using backgammon::Board;
using backgammon::Checkers;
using backgammon::random_bearoff;
using backgammon::random_home;

static_assert(TablebaseGame<Backgammon>);

// The two-sided part has numbers of 16 bits.
constexpr double kStep = 1.0 / 65535;

using Points = std::initializer_list<int>;

// One checker on each point listed.
Checkers home(Points points) {
  Checkers checkers{};
  for (const int point : points) ++checkers[static_cast<std::size_t>(point)];
  return *backgammon::with_borne_off(checkers);
}

const Checkers kAllOnSix = home({6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6});

Backgammon about_to_roll(const Board& board, Player player = 0) {
  return *Backgammon::from_board(board, player);
}

// The probabilities of win, gammon, backgammon and of losing them, for the player on roll.
std::array<float, 6> outcomes_of(const Board& board, Player player = 0) {
  std::array<float, 6> outcomes{};
  outcomes.fill(-1);
  EXPECT_TRUE(bearoff().find(about_to_roll(board, player), outcomes));
  return outcomes;
}

// The sum over all rolls of P(roll) * the least worth(state after the play).
template <class Worth>
double least_after(const Board& board, Worth&& worth) {
  double sum = 0;
  for (Action roll = 0; roll < backgammon::kRolls; ++roll) {
    const backgammon::Dice dice = backgammon::dice_of(roll);
    const auto state = Backgammon::from_board(board, 0, dice);
    ActionList<Backgammon::kMaxLegal> actions;
    state->legal(actions);
    double least = 1e9;
    for (const Action action : actions) {
      Backgammon after = *state;
      after.play(action);
      least = std::min(least, worth(after));
    }
    sum += least * (dice.is_double() ? 1 : 2) / 36;
  }
  return sum;
}

// The probability of winning, given `worth(board after the play, opponent on roll)`, the opponent's
// probability of winning.
template <class Worth>
double one_roll(const Board& board, Worth&& worth) {
  return 1 - least_after(board, [&](const Backgammon& after) {
           return after.turn() == Turn::kOver ? 0.0 : double{worth(after.board())};
         });
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
  struct Case {
    int high, low, rolls;
  };
  for (const auto& [high, low, rolls] : std::initializer_list<Case>{
           {1, 1, 36}, {2, 1, 36}, {3, 1, 34}, {4, 1, 29}, {5, 1, 23}, {6, 1, 15}, {2, 2, 26},
           {3, 2, 25}, {4, 2, 23}, {5, 2, 19}, {6, 2, 13}, {3, 3, 17}, {4, 3, 17}, {5, 3, 14},
           {6, 3, 10}, {4, 4, 11}, {5, 4, 10}, {6, 4, 8},  {5, 5, 6},  {6, 5, 6},  {6, 6, 4}}) {
    // The opponent needs one roll: the player must bear off both checkers now.
    const Board board{home({high, low}), home({1})};
    EXPECT_NEAR(bearoff().win(board), rolls / 36.0, kStep / 2 + 1e-7) << high << low;
    const auto& shares = bearoff().until_last_off(board.on_roll);
    EXPECT_EQ(shares.first, 1);
    EXPECT_NEAR(shares.shares[0] * kStep, rolls / 36.0, kStep) << high << low;
  }
}

TEST(BackgammonBearoff, EqualsSearchWithoutATable) {
  std::map<std::pair<Checkers, Checkers>, double> known;
  Random random(11, 0, 0, Purpose::kTest);
  for (int i = 0; i < 12; ++i) {
    const Board board = random_bearoff(random, 4);
    EXPECT_NEAR(bearoff().win(board), searched(board, known), kStep);
  }
  EXPECT_GT(known.size(), 1000u);
  for (const auto& [sides, win] : known) {
    ASSERT_NEAR(bearoff().win({sides.first, sides.second}), win, kStep);
  }
}

TEST(BackgammonBearoff, EqualsItselfOneRollLater) {
  Random random(12, 0, 0, Purpose::kTest);
  for (int i = 0; i < 2000; ++i) {
    const Board board = random_bearoff(random, 6);
    const double later = one_roll(board, [&](const Board& after) { return bearoff().win(after); });
    ASSERT_NEAR(bearoff().win(board), later, 2 * kStep);
  }
}

TEST(BackgammonBearoff, FinishedGamesAreDecided) {
  EXPECT_EQ(bearoff().win({home({6, 6, 6}), home({})}), 0);
  EXPECT_EQ(bearoff().win({home({}), home({6, 6, 6})}), 1);
}

TEST(BackgammonBearoff, TwoSidedHasFewCheckersAtHomeOnly) {
  const Checkers few = home({6, 3, 1, 1, 2, 2}), many = home({6, 3, 1, 1, 2, 2, 2});
  const Checkers far = home({7});
  EXPECT_TRUE(BearoffDatabase::is_two_sided({few, few}));
  EXPECT_FALSE(BearoffDatabase::is_two_sided({many, few}));
  EXPECT_FALSE(BearoffDatabase::is_two_sided({few, many}));
  EXPECT_FALSE(BearoffDatabase::is_two_sided({far, few}));
  EXPECT_FALSE(BearoffDatabase::is_two_sided({few, far}));
  Checkers bar = home({});
  bar[backgammon::kBar] = 1;
  --bar[backgammon::kOff];
  EXPECT_FALSE(BearoffDatabase::is_two_sided({few, bar}));
}

TEST(BackgammonBearoff, IndicesHaveNoGaps) {
  const auto positions = backgammon::list_home_positions(15);
  ASSERT_EQ(positions.size(), 54264u);
  int before = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    ASSERT_EQ(backgammon::home_index(positions[i]), i);
    const int count = std::accumulate(positions[i].begin(), positions[i].end(), 0);
    ASSERT_GE(count, before);
    before = count;
  }
  EXPECT_EQ(before, 15);
}

// All 54,264 positions: the shares sum to one.
TEST(BackgammonBearoff, SharesSumToOne) {
  for (const auto& points : backgammon::list_home_positions(15)) {
    Checkers checkers{};
    std::ranges::copy(points, checkers.begin());
    checkers = *backgammon::with_borne_off(checkers);
    const auto& last = bearoff().until_last_off(checkers);
    ASSERT_EQ(std::accumulate(last.shares.begin(), last.shares.end(), 0), 65535);
    // Each roll bears at most four checkers off.
    ASSERT_GE(last.first, (15 - checkers[backgammon::kOff] + 3) / 4);
    if (checkers[backgammon::kOff] > 0) continue;
    const auto& first = bearoff().until_first_off(checkers);
    ASSERT_EQ(std::accumulate(first.begin(), first.end(), 0), 65535);
  }
}

double mean_until_last_off(const Checkers& checkers) {
  const auto& rolls = bearoff().until_last_off(checkers);
  double mean = 0;
  for (std::size_t i = 0; i < rolls.shares.size(); ++i) {
    mean += static_cast<double>(rolls.first + i) * rolls.shares[i] * kStep;
  }
  return mean;
}

double mean_until_first_off(const Checkers& checkers) {
  if (checkers[backgammon::kOff] > 0) return 0;
  const auto& shares = bearoff().until_first_off(checkers);
  double mean = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    mean += static_cast<double>(i + 1) * shares[i] * kStep;
  }
  return mean;
}

// The mean is 1 + that after the best play of the next roll, by the rules of the game.
TEST(BackgammonBearoff, MeansEqualThemselvesOneRollLater) {
  constexpr double kRounding = 5e-4;
  Random random(14, 0, 0, Purpose::kTest);
  for (int i = 0; i < 300; ++i) {
    const Checkers checkers = random_home(random, i % 2 == 0 ? 15 : 1 + random.below(15));
    const Board board{checkers, home({1})};
    const auto mean_after = [&](double (*mean)(const Checkers&)) {
      return 1 +
             least_after(board, [&](const Backgammon& after) { return mean(after.checkers(0)); });
    };
    ASSERT_NEAR(mean_until_last_off(checkers), mean_after(&mean_until_last_off), kRounding);
    if (checkers[backgammon::kOff] > 0) continue;
    ASSERT_NEAR(mean_until_first_off(checkers), mean_after(&mean_until_first_off), kRounding);
  }
}

// 17 of 36 rolls bear a checker off the six point: every 6, and 51, 42, 33 and 22.
TEST(BackgammonBearoff, FirstOffTheSixPoint) {
  EXPECT_NEAR(bearoff().until_first_off(kAllOnSix)[0] * kStep, 17 / 36.0, kStep);
}

TEST(BackgammonBearoff, Gammons) {
  // The opponent has all 15 checkers left and does not get to roll.
  EXPECT_EQ(outcomes_of({home({1}), kAllOnSix}), (std::array<float, 6>{0, 1, 0, 0, 0, 0}));
  // The opponent wins with the next roll, so this one decides about the gammon.
  const auto losing = outcomes_of({kAllOnSix, home({1})});
  EXPECT_NEAR(losing[3], 17 / 36.0, 2 * kStep);
  EXPECT_NEAR(losing[4], 19 / 36.0, 2 * kStep);
  EXPECT_EQ(losing[0] + losing[1] + losing[2] + losing[5], 0);
  // Whoever has borne off a checker loses no gammon.
  EXPECT_EQ(outcomes_of({home({1}), home({6, 6})})[1], 0);
  Random random(16, 0, 0, Purpose::kTest);
  EXPECT_EQ(outcomes_of({random_home(random, 14), home({1, 1})})[4], 0);
}

TEST(BackgammonBearoff, KnowsDistributionsForThePlayerOnRoll) {
  Random random(15, 0, 0, Purpose::kTest);
  for (int i = 0; i < 5000; ++i) {
    const Board board = random_bearoff(random, 15);
    const auto outcomes = outcomes_of(board, 0);
    EXPECT_EQ(outcomes, outcomes_of(board, 1));
    double sum = 0;
    for (const float share : outcomes) {
      ASSERT_GE(share, 0) << backgammon::position_id(board);
      sum += share;
    }
    ASSERT_NEAR(sum, 1, 1e-6);
    if (BearoffDatabase::is_two_sided(board)) {
      ASSERT_NEAR(outcomes[0], bearoff().win(board), 1e-6);
    }
  }
}

using Rolls = std::vector<double>;  // [n]: the probability of n rolls

Rolls last_off(const Checkers& checkers) {
  const auto& rolls = bearoff().until_last_off(checkers);
  Rolls all(rolls.first, 0.0);
  for (const std::uint16_t share : rolls.shares) all.push_back(share * kStep);
  return all;
}
Rolls first_off(const Checkers& checkers) {
  if (checkers[backgammon::kOff] > 0) return {1.0};
  Rolls all(1, 0.0);
  for (const std::uint16_t share : bearoff().until_first_off(checkers))
    all.push_back(share * kStep);
  return all;
}

// The probability of a pair of numbers for which holds(a, b).
template <class Holds>
double pairs(const Rolls& a, const Rolls& b, Holds&& holds) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) sum += holds(i, j) ? a[i] * b[j] : 0;
  }
  return sum;
}

TEST(BackgammonBearoff, OutcomesFollowFromBothNumbersOfRolls) {
  Random random(17, 0, 0, Purpose::kTest);
  int gammons = 0;
  for (int i = 0; i < 500; ++i) {
    // Every second time one player is about to win, and the other has all checkers left.
    std::array<std::size_t, 2> counts = {7 + random.below(9), 7 + random.below(9)};
    if (i % 2 == 0)
      counts = i % 4 == 0 ? std::array<std::size_t, 2>{2, 15} : std::array<std::size_t, 2>{15, 2};
    const Board board{random_home(random, counts[0]), random_home(random, counts[1])};
    const Rolls mine = last_off(board.on_roll), theirs = last_off(board.waiting);
    const auto outcomes = outcomes_of(board);
    ASSERT_NEAR(outcomes[0] + outcomes[1], pairs(mine, theirs, std::less_equal()), 1e-6);
    ASSERT_NEAR(outcomes[1], pairs(mine, first_off(board.waiting), std::less_equal()), 1e-6);
    ASSERT_NEAR(outcomes[4], pairs(theirs, first_off(board.on_roll), std::less()), 1e-6);
    gammons += outcomes[1] > 1e-4 || outcomes[4] > 1e-4;
  }
  EXPECT_GT(gammons, 100);
}

// Where the exact probability is known, the one-sided one is close to it.
TEST(BackgammonBearoff, OneSidedIsNearTwoSided) {
  Random random(18, 0, 0, Purpose::kTest);
  double sum = 0;
  constexpr int kBoards = 2000;
  for (int i = 0; i < kBoards; ++i) {
    const Board board = random_bearoff(random, 6);
    const double one_sided =
        pairs(last_off(board.on_roll), last_off(board.waiting), std::less_equal());
    const double error = std::abs(one_sided - bearoff().win(board));
    ASSERT_LT(error, 0.03) << backgammon::position_id(board);
    sum += error;
  }
  EXPECT_LT(sum / kBoards, 0.001);
}

TEST(BackgammonBearoff, KnowsOnlyHomeBoardsBeforeARoll) {
  std::array<float, 6> outcomes{};
  const auto knows = [&](const Backgammon& state) { return bearoff().find(state, outcomes); };
  EXPECT_FALSE(knows(Backgammon()));
  const Board board{home({6, 5}), home({4, 3})};
  Backgammon state = about_to_roll(board);
  EXPECT_TRUE(knows(state));
  state.play(0);
  EXPECT_FALSE(knows(state)) << "the dice are known";
  EXPECT_FALSE(knows(about_to_roll({home({7, 5}), home({4, 3})})));
  EXPECT_FALSE(knows(about_to_roll({home({6, 5}), home({4, 24})})));
  Checkers bar = home({6});
  bar[backgammon::kBar] = 1;
  --bar[backgammon::kOff];
  EXPECT_FALSE(knows(about_to_roll({bar, home({4, 3})})));
}

}  // namespace
}  // namespace senet
