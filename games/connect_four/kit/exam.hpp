// Connect Four positions whose worth is known, as files of outside solvers have it: a reader that
// trusts nothing, and marks for moves.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "games/connect_four/connect_four.hpp"
#include "games/exam.hpp"
#include "senet/result.hpp"

namespace senet::connect_four {

/// A position with its exact worth. Scores are those of the player to move: n wins, -n loses, the
/// sooner the larger n; 0 draws.
struct Label {
  using Scores = std::array<int, ConnectFour::kColumns>;  // meaningless for full columns

  std::string moves;  // columns played from the empty board, as the file has them
  ConnectFour state;
  int value = 0;                      // with best play
  std::optional<Scores> scores = {};  // of each column, if the file has them
};

/// Reads one of two kinds of file. CSV with a header line and the fields
///   moves,ply,s1,s2,s3,s4,s5,s6,s7[,value[,...]]
/// moves: columns 1..7 played from the empty board; ply: their number; s: score of each column,
/// empty when it is full; value: the best score. Or lines of
///   moves value
/// as sets of test positions for solvers have them. Fails with one reason that names file and line.
Result<std::vector<Label>> read_labels(const std::string& file);

/// The exam of such a file. Metrics, each a share of the positions with its bootstrap interval:
///   result_preserving                   the move keeps the won, drawn or lost result
///   result_preserving_where_it_matters  the same, of positions where some legal move does not
///   optimal                             the move has the best score
/// The last two of positions whose labels have the score of each column. Where they do not, a
/// solver judges, which takes seconds for a position with few stones.
Result<Exam> read_exam(const std::string& file);

}  // namespace senet::connect_four
