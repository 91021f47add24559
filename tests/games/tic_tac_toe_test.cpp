#include "games/tic_tac_toe/tic_tac_toe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "games/perft.hpp"
#include "tests/games/text_forms.hpp"

namespace senet {
namespace {

// All reachable positions, by text, with their value for player 0 under best play.
class Solution {
 public:
  Solution() { solve(TicTacToe{}); }

  int solve(const TicTacToe& state) {
    const auto known = values_.find(state.text());
    if (known != values_.end()) return known->second;
    int value = 0;
    if (state.turn() == Turn::kOver) {
      value = static_cast<int>(final_value(state, 0));
    } else {
      const bool first = state.turn() == Turn::kPlayer0;
      value = first ? -1 : 1;
      ActionList<TicTacToe::kMaxLegal> actions;
      state.legal(actions);
      for (const Action action : actions) {
        TicTacToe child = state;
        child.play(action);
        value = first ? std::max(value, solve(child)) : std::min(value, solve(child));
      }
    }
    return values_[state.text()] = value;
  }

  const std::map<std::string, int>& values() const { return values_; }

 private:
  std::map<std::string, int> values_;
};

std::uint64_t finished_games(const TicTacToe& state) {
  if (state.turn() == Turn::kOver) return 1;
  std::uint64_t games = 0;
  ActionList<TicTacToe::kMaxLegal> actions;
  state.legal(actions);
  for (const Action action : actions) {
    TicTacToe child = state;
    child.play(action);
    games += finished_games(child);
  }
  return games;
}

TEST(TicTacToe, Perft) {
  const std::array<std::uint64_t, 10> leaves = {1,     9,     72,     504,    3024,
                                                15120, 54720, 148176, 200448, 127872};
  for (std::size_t depth = 0; depth < leaves.size(); ++depth) {
    EXPECT_EQ(perft(TicTacToe{}, static_cast<int>(depth))->each_once, leaves[depth]) << depth;
  }
}

TEST(TicTacToe, FinishedGames) { EXPECT_EQ(finished_games(TicTacToe{}), 255'168u); }

TEST(TicTacToe, PositionsAndValue) {
  Solution solution;
  EXPECT_EQ(solution.values().size(), 5'478u);
  EXPECT_EQ(solution.solve(TicTacToe{}), 0);
  EXPECT_EQ(solution.solve(position<TicTacToe>("3/1X1/1O1")),
            1);  // an edge in reply to the centre loses
  EXPECT_EQ(solution.solve(position<TicTacToe>("3/1X1/O2")), 0);
}

// Of all 3^9 boards, exactly the reachable ones are accepted.
TEST(TicTacToe, AcceptsExactlyTheReachableBoards) {
  Solution solution;
  std::size_t accepted = 0;
  for (int code = 0; code < 19'683; ++code) {
    std::string board;
    for (int cell = 0, rest = code; cell < 9; ++cell, rest /= 3) {
      if (cell == 3 || cell == 6) board += '/';
      board += "1XO"[rest % 3];
    }
    const Result<TicTacToe> state = TicTacToe::from_text(board);
    if (!state) continue;
    ++accepted;
    EXPECT_TRUE(solution.values().contains(state->text())) << board;
  }
  EXPECT_EQ(accepted, 5'478u);
}

TEST(TicTacToe, ReadsAllNotationsOfAPosition) {
  const TicTacToe state = position<TicTacToe>("2O/1X1/X2");
  EXPECT_EQ(position<TicTacToe>("b2c3a1"), state);
  EXPECT_EQ(position<TicTacToe>("591"), state);
  EXPECT_EQ(position<TicTacToe>("5c31"), state);
  EXPECT_EQ(position<TicTacToe>("11O/1X1/X2"), state);
  EXPECT_EQ(state.text(), "2O/1X1/X2");
  EXPECT_EQ(position<TicTacToe>(""), TicTacToe{});
  EXPECT_EQ(position<TicTacToe>("startpos"), TicTacToe{});
  EXPECT_EQ(TicTacToe{}.text(), "3/3/3");
}

TEST(TicTacToe, RefusesTheImpossible) {
  expect_refused<TicTacToe>("3/3", "2 rows, not 3");
  expect_refused<TicTacToe>("3/3/3/3", "more than 3 rows");
  expect_refused<TicTacToe>("3/2/3", "row 2 has 2 cells, not 3");
  expect_refused<TicTacToe>("3/3/2", "row 1 has 2 cells, not 3");
  expect_refused<TicTacToe>("3/4/3", "row 2 has more than 3 cells");
  expect_refused<TicTacToe>("3/xO1/3", "'x'");
  expect_refused<TicTacToe>("3/1O1/3", "X must have as many stones");
  expect_refused<TicTacToe>("3/XX1/3", "X must have as many stones");
  expect_refused<TicTacToe>("XXX/OOO/3", "X has a line, but O moved after it");
  expect_refused<TicTacToe>("OOO/XX1/X1X", "O has a line, but X moved after it");
  expect_refused<TicTacToe>("a1a1", "the square is taken");
  expect_refused<TicTacToe>("a1b1a2b2a3b3", "the game is over");
  expect_refused<TicTacToe>("d1", "does not begin with a square");
  expect_refused<TicTacToe>("0", "does not begin with a square");
  expect_refused<TicTacToe>("a", "does not begin with a square");
  expect_refused<TicTacToe>("startpos ", "does not begin with a square");
}

TEST(TicTacToe, RefusesImpossibleActions) {
  const TicTacToe state = position<TicTacToe>("b2");
  EXPECT_EQ(state.action_from_text("a1").value_or(99), 0);
  EXPECT_EQ(state.action_from_text("1").value_or(99), 0);
  EXPECT_EQ(state.action_from_text("c2").value_or(99), 5);
  for (const std::string_view text : {"", "b2", "5", "a4", "11", "a1 ", "A1", "a1b1"}) {
    EXPECT_FALSE(state.action_from_text(text).has_value()) << text;
  }
  const TicTacToe over = position<TicTacToe>("a1b1a2b2a3");
  EXPECT_FALSE(over.action_from_text("c3").has_value());
}

TEST(TicTacToe, Outcomes) {
  EXPECT_EQ(position<TicTacToe>("a1b1a2b2a3").outcome(), 0);
  EXPECT_EQ(position<TicTacToe>("c1a1b1a2b2a3").outcome(), 2);
  const TicTacToe draw = position<TicTacToe>("XOX/XOO/OXX");
  EXPECT_EQ(draw.turn(), Turn::kOver);
  EXPECT_EQ(draw.outcome(), 1);
}

}  // namespace
}  // namespace senet
