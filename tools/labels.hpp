// Positions whose best moves are known, as files of outside solvers tell them: readers that trust
// nothing.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "games/backgammon/backgammon.hpp"
#include "games/connect_four/connect_four.hpp"
#include "senet/result.hpp"

namespace senet {

/// A Connect Four position with its exact worth. Scores are told for the player to move: n wins, -n
/// loses, the sooner the larger n; 0 draws.
struct ConnectFourLabel {
  using Scores = std::array<int, ConnectFour::kColumns>;  // meaningless for full columns

  std::string moves;  // columns played from the empty board, as the file tells them
  ConnectFour state;
  int value = 0;                      // with best play
  std::optional<Scores> scores = {};  // of each column, if the file tells them
};

/// Reads one of two kinds of file. CSV with a header line and the fields
///   moves,ply,s1,s2,s3,s4,s5,s6,s7[,value[,...]]
/// moves: columns 1..7 played from the empty board; ply: their number; s: score of each column,
/// empty when it is full; value: the best score. Or lines of
///   moves value
/// as sets of test positions for solvers have them. Fails with one reason that names file and line.
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
