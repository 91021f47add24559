// Exact two-sided bear-offs: the probability of winning when both players have few checkers left,
// all of them home.
//
// It is a sum over the 21 rolls, with the best play for each:
//
//   win(a, b) = sum over rolls r of  P(r) * max over plays a -> a' with r of  1 - win(b, a')
//   win(a, no checkers left) = 0
//
// a: the checkers of the player on roll, b: the opponent's. Both players have borne off a checker,
// so there are no gammons, and the cubeless equity is 2 win - 1.
//
// One player's checkers are numbered by the combinatorial number system (Knuth, TAOCP 7.2.1.3):
//
//   index = sum over k = 1..6 of C(t + k - 1, k),  t: checkers on the k highest points 7 - k .. 6
//
// Positions of at most n checkers have exactly the indices below C(n + 6, 6). No checkers left is
// index 0. Every play leads to a lower index, which gives the order in which the table is filled.
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

/// The probability of winning each bear-off with at most `most_checkers` checkers per player.
/// Several threads may read one table.
class BearoffTable {
 public:
  static constexpr std::size_t kMaxCheckers = 8;

  /// Computes the whole table: C(most_checkers + 6, 6) squared floats. Takes tenths of a second for
  /// 6 checkers, seconds for 8. most_checkers: 1..kMaxCheckers.
  explicit BearoffTable(std::size_t most_checkers = 6);

  /// Whether each player has at most most_checkers() checkers left, all of them home.
  bool holds(const Board& board) const;

  /// The probability, 0..1, that the player on roll wins with perfect play by both; before the
  /// roll. 0 or 1 in finished games. Requires holds(board).
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
