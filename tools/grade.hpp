// Marks for a player's moves on labelled positions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "senet/game.hpp"
#include "tools/labels.hpp"
#include "tools/metric.hpp"

namespace senet {

/// What a player does in one position: one of these legal moves, each equally likely. Not empty.
using MoveMix = std::vector<Action>;

struct Grades {
  std::vector<Metric> metrics;
  std::size_t unmatched = 0;  // positions with a move whose worth the labels do not tell
};

/// Metrics, each a share of the positions with its bootstrap interval:
///   result_preserving                   the move keeps the won, drawn or lost result
///   result_preserving_where_it_matters  the same, of positions where some legal move does not
///   optimal                             the move has the best score
/// The last two of positions whose labels tell the score of each column. Where they do not, a
/// solver judges, which takes seconds for a position with few stones. moves[i] is for labels[i].
Grades grade(std::span<const ConnectFourLabel> labels, std::span<const MoveMix> moves);

/// Metrics, for all positions and for each class of them:
///   loss_millipoints           mean loss of equity against the best play, in 1/1000 point
///   loss_unforced_millipoints  the same over decisions with more than one legal play
///   pr                         500 times the mean loss of an unforced decision, in points: the
///                              performance rating as backgammon players know it
///
/// Each has its bootstrap interval. Counted are all positions, the unforced and the unmatched ones.
/// A play is found among the labels by the position it leads to; unmatched positions count in no
/// mean.
Grades grade(std::span<const BackgammonLabel> labels, std::span<const MoveMix> moves);

/// The position id after a play of the label's decision, the opponent on roll.
std::string position_after(const BackgammonLabel& label, Action action);

}  // namespace senet
