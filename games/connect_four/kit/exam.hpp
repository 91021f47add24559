// Connect Four positions with exact values, from files of external solvers: a reader that validates
// everything, and grades for moves.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "games/connect_four/connect_four.hpp"
#include "games/exam.hpp"
#include "senet/result.hpp"

namespace senet::connect_four {

/// A position with its exact value. Scores are from the perspective of the player to move: n is a
/// win, -n a loss, with a larger n for an earlier end; 0 is a draw.
struct Label {
  using Scores = std::array<int, ConnectFour::kColumns>;  // unspecified for full columns

  std::string moves;  // columns played from the empty board, as in the file
  ConnectFour state;
  int value = 0;                      // with best play
  std::optional<Scores> scores = {};  // of each column, if the file has them
};

/// Reads one of two file formats. CSV with a header line and the fields
///   moves,ply,s1,s2,s3,s4,s5,s6,s7[,value[,...]]
/// moves: columns 1..7 played from the empty board; ply: their number; s: score of each column,
/// empty when it is full; value: the best score. Or lines of
///   moves value
/// as in common sets of solver test positions. Fails with the first error, which names the file and
/// the line.
Result<std::vector<Label>> read_labels(const std::string& file);

/// The exam of such a file. Metrics, each a share of the positions with its bootstrap interval:
///   result_preserving                   the move keeps the won, drawn or lost result
///   result_preserving_where_it_matters  the same over positions where some legal move does not
///   optimal                             the move has the best score
/// The last two cover only positions whose labels have the score of each column. For positions
/// without these scores a solver grades the moves, which takes seconds per position with few
/// stones.
Result<Exam> read_exam(const std::string& file);

}  // namespace senet::connect_four
