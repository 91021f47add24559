// Backgammon decisions with GNU Backgammon's evaluation of every play: a reader that validates
// everything, a writer, and grades for plays.
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

/// The outcome probabilities in GNU Backgammon's form, cubeless, for one player. They are
/// cumulative: a gammon also counts as a win, a backgammon as both.
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

/// Converts the six exclusive outcomes of Backgammon::kOutcomeValues (win single, gammon,
/// backgammon, lose single, gammon, backgammon), which sum to 1. So win >= win_gammon >=
/// win_backgammon.
constexpr Probabilities cumulative(std::span<const float, 6> outcomes) {
  return {.win = outcomes[0] + outcomes[1] + outcomes[2],
          .win_gammon = outcomes[1] + outcomes[2],
          .win_backgammon = outcomes[2],
          .lose_gammon = outcomes[4] + outcomes[5],
          .lose_backgammon = outcomes[5]};
}

/// A board in signed numbers from the perspective of the player on roll: [1..24] points, own
/// checkers positive, the opponent's negative; [25] own bar; [0] the opponent's bar, 0 or negative.
using SignedPoints = std::array<int, 26>;

SignedPoints signed_points(const Board& board);

/// A decision with the values of its plays.
struct Label {
  struct Play {
    std::string after;  // position id after the play, the opponent on roll
    double equity = 0;  // cubeless, for the mover, -3..3
    // Written but not read:
    std::string text = {};
    Probabilities probabilities = {};  // the mover's
  };

  std::string id;              // from the file; "" when it has none
  std::string position_class;  // "contact", "crashed", "race", "bearoff"
  Backgammon state;            // player 0 has rolled; in labels to be written, either player
  std::vector<Play> plays;     // at least one
  // Written but not read:
  std::uint32_t ply = 0;    // turns before this one
  std::size_t shallow = 0;  // number of plays evaluated only at 1 ply
};

/// Reads a file with one JSON object per line, of which it uses
///   [id,] cls, posid, dice [2], moves [[text, after_posid, equity, ...] ...]
/// Fails with the first error, which names the file and the line.
Result<std::vector<Label>> read_labels(const std::string& file);

/// A line of such a file, without its line end:
///   id, cls, ply, posid, board [26], dice [high, low], n1,
///   moves [[text, position id after, equity, [five probabilities]] ... in the label's order]
/// board: signed_points() of the player on roll. n1: label.shallow. Equities are rounded to five
/// decimals, probabilities to four.
std::string label_line(const Label& label);

/// The position id after a play of the label's decision, the opponent on roll.
std::string position_after(const Label& label, Action action);

/// Metrics, for all positions and for each class of positions:
///   loss_millipoints           mean equity loss against the best play, in 1/1000 point
///   loss_unforced_millipoints  the same over decisions with more than one legal play
///   pr                         500 times the mean loss of an unforced decision, in points: the
///                              performance rating that backgammon players use
///
/// Each has a bootstrap interval. Also counts all positions, the unforced and the unmatched ones. A
/// play is matched with the label's plays by the position that it leads to. Unmatched positions are
/// excluded from all means. moves[i] answers labels[i].
Grades grade(std::span<const Label> labels, std::span<const MoveMix> moves,
             const GradeProgress& progress = {});

/// The exam of a file of labels, with these grades.
Result<Exam> read_exam(const std::string& file);

}  // namespace senet::backgammon
