// A decision with GNU Backgammon's worth of each legal play, as a line of a label file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/gnubg/decision_source.hpp"
#include "tools/gnubg/gnubg.hpp"

namespace senet {

struct LabelledDecision {
  MetDecision met;
  std::vector<GnubgPlay> plays;  // the best first
  std::size_t shallow = 0;       // how many of them were judged at 1 ply only
};

/// Judges every legal play at `ply` (0..2). Of more than 80 plays (doubles with much choice) all
/// are judged at 1 ply and then the best 80 of those at 2.
Result<LabelledDecision> label_decision(Gnubg& judge, const MetDecision& met, int ply);

/// One JSON object, without a line end; what read_backgammon_labels() reads, and more:
///   id, cls, ply, posid, board [26], dice [high, low], n1,
///   moves [[text, position id after, equity, [five probabilities]] ... best first]
/// cls: contact, crashed, race or bearoff. ply: turns before this one. board: signed_points of the
/// player on roll. n1: plays judged at 1 ply only. Equities have five digits, probabilities
/// (cumulative, the mover's) four.
std::string label_line(const std::string& id, const LabelledDecision& decision);

}  // namespace senet
