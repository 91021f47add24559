// What a player found out about a position, in words that no game's type is needed for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace senet::protocol {

/// Chances of the ways a game can end, for the player who is told them. Gammons and backgammons are
/// among the wins and losses (a win worth at least 2, at least 3), as gnubg counts them; 0 in games
/// without.
struct Chances {
  double win = 0, draw = 0, lose = 0;
  double win_gammon = 0, win_backgammon = 0, lose_gammon = 0, lose_backgammon = 0;
};

/// What a position is worth, for the player on turn or about to roll.
struct Evaluation {
  double value = 0;  // in the game's units: points a game
  Chances chances;
};

/// One move and what is expected to follow.
struct Variation {
  std::vector<std::string> moves;  // at least one
  Evaluation worth;                // of its first move
  std::uint32_t visits = 0;
};

/// The state of a search.
struct Thought {
  std::uint32_t visits = 0;
  std::uint32_t evaluations = 0;
  std::uint32_t depth = 0;  // longest descent, in plies, rolls included
  double tree_filled = 0;   // share of the tree's memory
  bool proven = false;
  bool full = false;                  // the tree had no room for more
  std::vector<Variation> variations;  // the best first, at least one
};

/// What a run over fixed positions came to. `signature` is the same wherever the searches found the
/// same.
struct BenchTotals {
  std::uint32_t positions = 0;
  std::uint64_t visits = 0;
  std::uint64_t evaluations = 0;
  std::uint64_t signature = 0;
};

}  // namespace senet::protocol
