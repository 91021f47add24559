#include "games/backgammon/board.hpp"

#include <fmt/core.h>

#include <bit>
#include <numeric>

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

Result<Checkers> with_borne_off(Checkers checkers) {
  const int on_board = std::accumulate(checkers.begin() + 1, checkers.end(), 0);
  if (on_board > kCheckers) {
    return fail(fmt::format("a player has {} checkers; there are {}", on_board, kCheckers));
  }
  checkers[kOff] = static_cast<std::uint8_t>(kCheckers - on_board);
  return checkers;
}

Result<void> check(const Board& board) {
  for (const Checkers* checkers : {&board.on_roll, &board.waiting}) {
    const int all = std::accumulate(checkers->begin(), checkers->end(), 0);
    if (all != kCheckers) {
      return fail(fmt::format("a player has {} checkers; there are {}", all, kCheckers));
    }
  }
  for (std::size_t point = 1; point <= 24; ++point) {
    if (board.on_roll[point] > 0 && board.waiting[25 - point] > 0) {
      return fail(
          fmt::format("both players have checkers on point {} of the player on roll", point));
    }
  }
  if (board.on_roll[kOff] == kCheckers && board.waiting[kOff] == kCheckers) {
    return fail("both players have borne off all checkers");
  }
  const auto shut_out = [](const Checkers& mine, const Checkers& opponent) {
    return mine[kBar] > 0 && (places_with(opponent, 2) & kHome) == kHome;
  };
  if (shut_out(board.on_roll, board.waiting) && shut_out(board.waiting, board.on_roll)) {
    return fail("both players are on the bar against closed boards, so nobody could ever move");
  }
  return {};
}

int pips(const Checkers& checkers) {
  int sum = 0;
  for (std::size_t place = 1; place < checkers.size(); ++place) {
    sum += static_cast<int>(place) * checkers[place];
  }
  return sum;
}

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
