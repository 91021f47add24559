// What a Connect Four position is worth with best play, found by looking at everything that
// matters: the judge of players whose labels have no more than a position's worth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "games/connect_four/connect_four.hpp"

namespace senet::connect_four {

/// Alpha-beta search with null windows (Pearl 1980), moves that give the game away left out, the
/// others in the order of the threats they make, and a table of bounds that is kept from one
/// position to the next. Half full boards take microseconds, few stones seconds, the empty board
/// minutes. Belongs to one thread at a time.
class Solver {
 public:
  static constexpr int kBest = 21;

  /// Takes `table_bytes` for its table, rounded down to a power of two of at least 1 MiB.
  explicit Solver(std::size_t table_bytes = std::size_t{256} << 20);

  /// For the player to move: n when they win and will have played 22 - n stones then, -n when the
  /// other player does, 0 for a draw. `state` is not over. Scores up to `low` count as
  /// equal, and so do those from `high` on: any of them may then stand for the others. The fewer
  /// scores lie between, the sooner it answers: whether a position is won is low = 0, high = 1.
  int score(const ConnectFour& state, int low = -kBest, int high = kBest);

 private:
  // The board as the player to move sees it.
  struct Position {
    std::uint64_t mine, occupied;
    int plies;
  };
  int search(const Position& position, int alpha, int beta);

  // An entry holds the position's key, all its 49 bits, and one bound of its score:
  //
  //       56        8 7               0
  //      |   key     | bound + kUpper or kLower |
  std::vector<std::uint64_t> table_;
};

}  // namespace senet::connect_four
