// Exact play at the end of a game of backgammon: who wins when both players have few checkers left,
// all of them home.
//
// The equity of a position is a sum over the 21 rolls of the best play's equity:
//
//   win(a, b) = sum over rolls r of  P(r) * max over plays a -> a' with r of  1 - win(b, a')
//   win(a, nothing left) = 0
//
// a: the checkers of the player on roll, b: the opponent's. Who has few checkers left has borne one
// off, so there are no gammons, and the cubeless equity is 2 win - 1.
//
// One player's checkers are numbered by the combinatorial number system (Knuth, TAOCP 7.2.1.3):
//
//   index = sum over k = 1..6 of C(t + k - 1, k),  t: checkers on the k highest points 7 - k .. 6
//
// Positions of at most n checkers are exactly the numbers below C(n + 6, 6), nothing left is 0, and
// every play leads to a lower number, which gives the order in which the table is filled.
//
//   checkers each   positions of one player   table
//   3                    84                    28 KB
//   6                   924                   3.4 MB
//   8                 3,003                    36 MB
#pragma once

#include <cstddef>
#include <vector>

#include "games/backgammon/board.hpp"

namespace senet::backgammon {

/// The probability of winning each bear-off of at most so many checkers a player. A value without
/// any ties to others; reading it from several threads is fine.
class BearoffTable {
 public:
  static constexpr std::size_t kMostCheckers = 8;

  /// Works the whole table out: C(most_checkers + 6, 6) squared floats. Tenths of a second for 6
  /// checkers, seconds for 8. most_checkers: 1..kMostCheckers.
  explicit BearoffTable(std::size_t most_checkers = 6);

  /// True when each player has at most so many checkers left, all of them home.
  bool holds(const Board& board) const;

  /// The probability, 0..1, that the player on roll wins when both play perfectly; before the roll.
  /// 0 and 1 in finished games. The table holds the board.
  float win(const Board& board) const;

  /// The same as cubeless equity in points, -1..1.
  float equity(const Board& board) const { return 2 * win(board) - 1; }

  std::size_t most_checkers() const { return most_checkers_; }

 private:
  std::size_t most_checkers_;
  std::size_t positions_;   // of one player
  std::vector<float> win_;  // [positions on roll][positions waiting]
};

}  // namespace senet::backgammon
