// The phases of a game of backgammon, as its players and GNU Backgammon tell them apart: figures
// about play are given for each, because each is another skill.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "games/backgammon/board.hpp"

namespace senet::backgammon {

enum class Phase : std::uint8_t {
  kContact,  // checkers can still be hit
  kCrashed,  // the same, but a player has hardly anything left to play with
  kRace,     // the players have passed each other
  kBearoff,  // ... and all checkers are home
};

inline constexpr std::array<std::string_view, 4> kPhaseNames = {"contact", "crashed", "race",
                                                                "bearoff"};

inline std::string_view name_of(Phase phase) {
  return kPhaseNames[static_cast<std::size_t>(phase)];
}

/// The phase of a position in which nobody has borne off all checkers. A player has crashed who is
/// left with at most six checkers besides dead ones: all on the ace point when there are several,
/// and on the deuce point all but one. (So GNU Backgammon chooses its networks.)
Phase phase_of(const Board& board);

}  // namespace senet::backgammon
