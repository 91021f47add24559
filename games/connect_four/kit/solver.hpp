// An exact solver of Connect Four positions. Grades moves in positions whose labels contain only
// the position's value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "games/connect_four/connect_four.hpp"

namespace senet::connect_four {

/// Alpha-beta search with null windows (Pearl 1980). It omits moves that lose immediately, orders
/// the others by the number of threats that they create, and keeps its transposition table of
/// bounds between positions. Takes microseconds for a half-full board, seconds for one with few
/// stones, minutes for the empty board. Not thread-safe.
class Solver {
 public:
  static constexpr int kBest = 21;

  /// The table has `table_bytes`, rounded down to a power of two, but at least 1 MiB.
  explicit Solver(std::size_t table_bytes = std::size_t{256} << 20);

  /// The score for the player to move: n if that player wins with their stone number 22 - n, -n if
  /// the other player does, 0 for a draw. `state` is unfinished. All scores up to `low` are
  /// equivalent, and so are all from `high`: the result may be any of them. A narrower window is
  /// faster; low = 0, high = 1 decides only whether the position is won.
  int score(const ConnectFour& state, int low = -kBest, int high = kBest);

 private:
  // The board from the perspective of the player to move.
  struct Position {
    std::uint64_t mine, occupied;
    int plies;
  };
  int search(const Position& position, int alpha, int beta);

  // An entry contains the position's key, all 49 bits, and one bound of its score:
  //
  //       56        8 7               0
  //      |   key     | bound + kUpper or kLower |
  std::vector<std::uint64_t> table_;
};

}  // namespace senet::connect_four
