// Tests move generation against an independently written, slow generator: it plays every order of
// the dice step by step on a signed board and applies the rules on using dice to the complete
// turns.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <vector>

#include "games/backgammon/backgammon.hpp"
#include "tests/effort.hpp"
#include "tests/games/backgammon_positions.hpp"

namespace senet {
namespace {

using backgammon::Dice;

// Points 1..24 from the mover's perspective, own checkers positive, the opponent's negative.
struct SignedBoard {
  std::array<int, 25> point{};
  int my_bar = 0, my_off = 0, its_bar = 0;
  auto operator<=>(const SignedBoard&) const = default;
};

SignedBoard signed_board(const backgammon::Board& board) {
  SignedBoard result;
  for (std::size_t p = 1; p <= 24; ++p) {
    result.point[p] = board.on_roll[p] - int{board.waiting[25 - p]};
  }
  result.my_bar = board.on_roll[25];
  result.my_off = board.on_roll[0];
  result.its_bar = board.waiting[25];
  return result;
}

// Plays one die from a point (25: the bar); false when the rules forbid it.
bool step(SignedBoard& board, int from, int die) {
  if (from == 25 ? board.my_bar == 0 : board.my_bar > 0 || board.point[from] <= 0) return false;
  const int to = from - die;
  if (to >= 1) {
    if (board.point[to] < -1) return false;
    if (board.point[to] == -1) {
      board.point[to] = 0;
      ++board.its_bar;
    }
    ++board.point[to];
  } else {
    for (int p = 7; p <= 24; ++p) {
      if (board.point[p] > 0) return false;
    }
    for (int p = from + 1; p <= 6; ++p) {
      if (to < 0 && board.point[p] > 0) return false;
    }
    ++board.my_off;
  }
  if (from == 25) {
    --board.my_bar;
  } else {
    --board.point[from];
  }
  return true;
}

struct PartTurn {
  SignedBoard board;
  std::array<int, 4> sources{};  // in the order of the dice they were played with
  std::size_t steps = 0;
  auto operator<=>(const PartTurn&) const = default;
};

// All turns that play any number of `dice` in this order.
std::vector<PartTurn> turns(const SignedBoard& start, const std::vector<int>& dice) {
  std::vector<PartTurn> all{{start, {}, 0}}, last = all;
  for (std::size_t i = 0; i < dice.size(); ++i) {
    std::vector<PartTurn> next;
    for (const PartTurn& turn : last) {
      for (int from = 1; from <= 25; ++from) {
        PartTurn longer = turn;
        if (!step(longer.board, from, dice[i])) continue;
        longer.sources[longer.steps++] = from;
        if (dice.size() == 4)
          std::sort(longer.sources.begin(), longer.sources.end(), std::greater());
        next.push_back(longer);
      }
    }
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    all.insert(all.end(), next.begin(), next.end());
    last = std::move(next);
  }
  return all;
}

// The legal positions after the turn, each with its lowest action code.
std::map<SignedBoard, int> brute_force(const SignedBoard& start, Dice dice) {
  struct Coded {
    SignedBoard board;
    std::size_t steps;
    bool plays_high;
    int code;
  };
  std::vector<Coded> found;
  const int high = dice.high, low = dice.low;
  if (dice.is_double()) {
    for (const PartTurn& turn : turns(start, {high, high, high, high})) {
      backgammon::Sources sources{};
      for (std::size_t i = 0; i < 4; ++i) sources[i] = static_cast<std::uint8_t>(turn.sources[i]);
      found.push_back({turn.board, turn.steps, false, backgammon::doubles_action(sources)});
    }
  } else {
    for (const PartTurn& t : turns(start, {high, low})) {
      found.push_back({t.board, t.steps, t.steps >= 1, t.sources[0] * 26 + t.sources[1]});
    }
    for (const PartTurn& t : turns(start, {low, high})) {
      found.push_back({t.board, t.steps, t.steps >= 2, t.sources[1] * 26 + t.sources[0]});
    }
  }
  std::size_t most = 0;
  for (const Coded& turn : found) most = std::max(most, turn.steps);
  const bool must_play_high =
      !dice.is_double() && most == 1 &&
      std::any_of(found.begin(), found.end(), [](const Coded& turn) { return turn.plays_high; });
  std::map<SignedBoard, int> result;
  for (const Coded& turn : found) {
    if (turn.steps < most || (must_play_high && !turn.plays_high)) continue;
    const auto [entry, is_new] = result.try_emplace(turn.board, turn.code);
    if (!is_new) entry->second = std::min(entry->second, turn.code);
  }
  return result;
}

// Compares the actions of a state: their order, their codes and the positions they lead to.
void expect_same(const Backgammon& state) {
  ActionList<Backgammon::kMaxLegal> actions;
  state.legal(actions);
  ASSERT_TRUE(std::is_sorted(actions.begin(), actions.end(), std::less_equal())) << state.text();
  std::map<SignedBoard, int> generated;
  for (const Action action : actions) {
    Backgammon next = state;
    next.play(action);
    ASSERT_NE(next.viewer(), state.viewer());
    ASSERT_TRUE(backgammon::check(next.board())) << state.text() << ' ' << action;
    const backgammon::Board board{next.checkers(state.viewer()), next.checkers(next.viewer())};
    ASSERT_TRUE(generated.try_emplace(signed_board(board), action).second)
        << state.text() << ": two actions, one position";
  }
  ASSERT_EQ(generated, brute_force(signed_board(state.board()), *state.dice())) << state.text();
}

TEST(BackgammonMoves, AgreeWithBruteForceInRandomGames) {
  int compared = 0;
  backgammon::visit_random_games(11, effort(300), [&](const Backgammon& state) {
    if (!is_decision(state.turn()) || HasFatalFailure()) return;
    expect_same(state);
    ++compared;
  });
  EXPECT_GE(compared, effort(25000));
}

TEST(BackgammonMoves, AgreeWithBruteForceInRandomPlacements) {
  Random random(12, 0, 0, Purpose::kTest);
  for (int i = 0; i < effort(20000) && !HasFatalFailure(); ++i) {
    expect_same(backgammon::random_placement(random));
  }
}

// Checks properties that do not need the slow generator in many more positions.
TEST(BackgammonMoves, ListsStayWithinTheProvenBounds) {
  Random random(13, 0, 0, Purpose::kTest);
  std::size_t most_pairs = 0, most_doubles = 0;
  for (int i = 0; i < 200000; ++i) {
    const Backgammon state = backgammon::random_placement(random);
    ActionList<Backgammon::kMaxLegal> actions;
    state.legal(actions);
    ASSERT_FALSE(actions.empty());
    std::size_t& most = state.dice()->is_double() ? most_doubles : most_pairs;
    most = std::max(most, actions.size());
  }
  EXPECT_LE(most_pairs, 240u);
  EXPECT_LE(most_doubles, 3060u);
  EXPECT_GT(most_doubles, 500u);  // the placements are diverse enough for a meaningful test
}

TEST(BackgammonMoves, ActionCodesAndSourcesAreOneToOne) {
  std::vector<bool> seen(backgammon::kActionCodes, false);
  for (std::uint8_t a = 1; a <= 25; ++a) {
    for (std::uint8_t b = 0; b <= a; ++b) {
      for (std::uint8_t c = 0; c <= b; ++c) {
        for (std::uint8_t d = 0; d <= c; ++d) {
          const backgammon::Sources sources{a, b, c, d};
          const Action action = backgammon::doubles_action(sources);
          ASSERT_LT(action, backgammon::kActionCodes);
          ASSERT_FALSE(seen[action]);
          seen[action] = true;
          ASSERT_EQ(backgammon::sources_of(action), sources);
        }
      }
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 23750);
  for (unsigned high = 0; high < 26; ++high) {
    for (unsigned low = 0; low < 26; ++low) {
      const auto sources = backgammon::sources_of(backgammon::pair_action(high, low));
      ASSERT_EQ(sources[0], high);
      ASSERT_EQ(sources[1], low);
    }
  }
  for (Action roll = 0; roll < backgammon::kRolls; ++roll) {
    EXPECT_EQ(backgammon::roll_action(backgammon::dice_of(roll)), roll);
  }
}

}  // namespace
}  // namespace senet
