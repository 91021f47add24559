// How many of the 36 rolls hit a blot: the one tactical fact that small networks are slow to learn.
#pragma once

#include "games/backgammon/board.hpp"

namespace senet::backgammon {

/// Of the 36 rolls of the player of `mine`, those that hit at least one of the opponent's blots.
/// Checkers on the bar enter first, with combination shots after the last has entered. An estimate
/// in that it does not ask whether the dice may have to be played otherwise. 0..36.
int hitting_rolls(const Checkers& mine, const Checkers& opponent);

}  // namespace senet::backgammon
