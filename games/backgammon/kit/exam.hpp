// Backgammon decisions with the value of every play, as GNU Backgammon tells it: a reader that
// trusts nothing, and marks for plays.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "games/backgammon/backgammon.hpp"
#include "games/exam.hpp"
#include "senet/result.hpp"

namespace senet::backgammon {

/// A decision with the value of its plays.
struct Label {
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
Result<std::vector<Label>> read_labels(const std::string& file);

/// Metrics, for all positions and for each class of them:
///   loss_millipoints           mean loss of equity against the best play, in 1/1000 point
///   loss_unforced_millipoints  the same over decisions with more than one legal play
///   pr                         500 times the mean loss of an unforced decision, in points: the
///                              performance rating as backgammon players know it
///
/// Each has its bootstrap interval. Counted are all positions, the unforced and the unmatched ones.
/// A play is found among the labels by the position it leads to; unmatched positions count in no
/// mean. moves[i] is for labels[i].
Grades grade(std::span<const Label> labels, std::span<const MoveMix> moves);

/// The position id after a play of the label's decision, the opponent on roll.
std::string position_after(const Label& label, Action action);

}  // namespace senet::backgammon
