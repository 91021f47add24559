// Backgammon decisions with the value of every play, as GNU Backgammon judges it: a reader that
// trusts nothing, a writer, and marks for plays.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "games/backgammon/backgammon.hpp"
#include "games/exam.hpp"
#include "senet/result.hpp"

namespace senet::backgammon {

/// The ways a game ends as the backgammon world speaks of them: GNU Backgammon's five numbers, for
/// one player: a gammon counts as a win, a backgammon as both. Cubeless.
struct Probabilities {
  float win = 0;
  float win_gammon = 0;  // gammon or backgammon
  float win_backgammon = 0;
  float lose_gammon = 0;  // gammon or backgammon
  float lose_backgammon = 0;

  /// Cubeless money equity in points, -3..3.
  constexpr float equity() const {
    return 2 * win - 1 + win_gammon + win_backgammon - lose_gammon - lose_backgammon;
  }
};

/// From the six exclusive outcomes of Backgammon::kOutcomeValues (win single, gammon, backgammon,
/// lose single, gammon, backgammon), which sum to 1. The result is always consistent: win >=
/// win_gammon >= win_backgammon.
constexpr Probabilities cumulative(std::span<const float, 6> outcomes) {
  return {.win = outcomes[0] + outcomes[1] + outcomes[2],
          .win_gammon = outcomes[1] + outcomes[2],
          .win_backgammon = outcomes[2],
          .lose_gammon = outcomes[4] + outcomes[5],
          .lose_backgammon = outcomes[5]};
}

/// A board in signed numbers from the side of the player on roll: [1..24] its points, own checkers
/// positive; [25] its bar; [0] the opponent's bar, 0 or negative.
using SignedPoints = std::array<int, 26>;

SignedPoints signed_points(const Board& board);

/// A decision with the value of its plays.
struct Label {
  struct Play {
    std::string after;  // position id after the play, the opponent on roll
    double equity = 0;  // cubeless, for the mover, -3..3
    // Written, and not read:
    std::string text = {};
    Probabilities probabilities = {};  // the mover's
  };

  std::string id;              // as the file names it; "" when it does not
  std::string position_class;  // "contact", "crashed", "race", "bearoff"
  Backgammon state;            // player 0 has rolled; in labels to be written, either player
  std::vector<Play> plays;     // at least one
  // Written, and not read:
  std::uint32_t ply = 0;    // turns before this one
  std::size_t shallow = 0;  // plays that were judged at 1 ply only
};

/// Reads a file with one JSON object a line, of which it uses
///   [id,] cls, posid, dice [2], moves [[text, after_posid, equity, ...] ...]
/// Fails with one reason that names file and line.
Result<std::vector<Label>> read_labels(const std::string& file);

/// A line of such a file, without its end:
///   id, cls, ply, posid, board [26], dice [high, low], n1,
///   moves [[text, position id after, equity, [five probabilities]] ... in the label's order]
/// board: signed_points of the player on roll. n1: label.shallow. Equities have five digits,
/// probabilities four.
std::string label_line(const Label& label);

/// The position id after a play of the label's decision, the opponent on roll.
std::string position_after(const Label& label, Action action);

/// Metrics, for all positions and for each class of them:
///   loss_millipoints           mean loss of equity against the best play, in 1/1000 point
///   loss_unforced_millipoints  the same over decisions with more than one legal play
///   pr                         500 times the mean loss of an unforced decision, in points: the
///                              performance rating as backgammon players know it
///
/// Each has its bootstrap interval. Counted are all positions, the unforced and the unmatched ones.
/// A play is found among the labels by the position it leads to; unmatched positions count in no
/// mean. moves[i] is for labels[i].
Grades grade(std::span<const Label> labels, std::span<const MoveMix> moves,
             const GradeProgress& progress = {});

/// The exam of a file of labels, with these marks.
Result<Exam> read_exam(const std::string& file);

}  // namespace senet::backgammon
