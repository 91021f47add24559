// Positions whose best moves are known, as files of outside solvers tell them: readers that trust
// nothing.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "games/backgammon.hpp"
#include "games/connect_four.hpp"
#include "games/result.hpp"

namespace senet {

/// A Connect Four position with its exact worth.
struct ConnectFourLabel {
  std::string moves;  // columns played from the empty board, as the file tells them
  ConnectFour state;
  /// Score of each column for the player to move: n wins, -n loses, the sooner the larger n; 0
  /// draws. Meaningless for full columns.
  std::array<int, ConnectFour::kColumns> scores{};
};

/// Reads a CSV file with a header line and the fields
///   moves,ply,s1,s2,s3,s4,s5,s6,s7[,value[,...]]
/// moves: columns 1..7 played from the empty board; ply: their number; s: score of each column,
/// empty when it is full; value: the best score. Fails with one reason that names file and line.
Result<std::vector<ConnectFourLabel>> read_connect_four_labels(const std::filesystem::path& file);

/// A backgammon decision with the value of its plays.
struct BackgammonLabel {
  struct Play {
    std::string after;  // position id after the play, the opponent on roll
    double equity = 0;  // cubeless, for the mover, -3..3
  };

  std::string id;              // as the file tells it; "" when it does not
  std::string position_class;  // "contact", "crashed", "race", "bearoff"
  Backgammon state;            // player 0 has rolled
  std::vector<Play> plays;     // at least one
};

/// Reads a file with one JSON object a line, of which it uses
///   [id,] cls, posid, dice [2], moves [[text, after_posid, equity, ...] ...]
/// Fails with one reason that names file and line.
Result<std::vector<BackgammonLabel>> read_backgammon_labels(const std::filesystem::path& file);

}  // namespace senet
