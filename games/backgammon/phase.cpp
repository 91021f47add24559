#include "games/backgammon/phase.hpp"

#include <bit>

namespace senet::backgammon {
namespace {

constexpr int kMostOfACrash = 6;

/// 1..25.
int rearmost(const Checkers& checkers) { return std::bit_width(occupied_places(checkers)) - 1; }

bool has_crashed(const Checkers& checkers) {
  const int on_ace = checkers[1], on_deuce = checkers[2];
  const int dead = (on_ace > 1 ? on_ace : 0) + (on_deuce > 1 ? on_deuce - 1 : 0);
  return kCheckers - checkers[kOff] - dead <= kMostOfACrash;
}

}  // namespace

Phase phase_of(const Board& board) {
  const int mine = rearmost(board.on_roll), its = rearmost(board.waiting);
  // The opponent's rearmost checker stands on our point 25 - its.
  if (mine + its > 25) {
    return has_crashed(board.on_roll) || has_crashed(board.waiting) ? Phase::kCrashed
                                                                    : Phase::kContact;
  }
  return mine <= 6 && its <= 6 ? Phase::kBearoff : Phase::kRace;
}

}  // namespace senet::backgammon
