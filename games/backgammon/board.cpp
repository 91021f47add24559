#include "games/backgammon/board.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace senet::backgammon {
namespace {

constexpr int kMaxOfACrash = 6;

bool has_crashed(const Checkers& checkers) {
  const int on_ace = checkers[1], on_deuce = checkers[2];
  const int dead = (on_ace > 1 ? on_ace : 0) + (on_deuce > 1 ? on_deuce - 1 : 0);
  return kCheckers - checkers[kOff] - dead <= kMaxOfACrash;
}

constexpr Places kBarPlace = Places{1} << kBar;

// The input of the hitting functions, as sets of places from our perspective.
struct Targets {
  Places occupied;  // our checkers, including the bar
  Places open;      // points where our checkers may land
  Places blots;     // points where they hit
};

// Whether up to four steps of `die` can hit, with no checker on the bar.
bool hits_with_double(const Targets& targets, unsigned die) {
  const Places one = targets.occupied >> die & targets.open;
  const Places two = one >> die & targets.open;
  const Places three = two >> die & targets.open;
  const Places four = three >> die;
  return ((one | two | three | four) & targets.blots) != 0;
}

// The same with checkers on the bar, which must move first.
bool enters_and_hits_with_double(const Targets& targets, unsigned on_bar, unsigned die) {
  const Places entry = kBarPlace >> die & targets.open;
  if (entry & targets.blots) return true;
  if (entry == 0) return false;
  Places moving = (targets.occupied & ~kBarPlace) | entry;
  Places reached = 0;
  for (unsigned step = on_bar; step < 4; ++step) {
    moving = moving >> die & targets.open;
    reached |= moving;
  }
  return (reached & targets.blots) != 0;
}

}  // namespace

Result<Board> with_borne_off(Board board) {
  for (Checkers* checkers : {&board.on_roll, &board.waiting}) {
    const int on_board = std::accumulate(checkers->begin() + 1, checkers->end(), 0);
    (*checkers)[kOff] = static_cast<std::uint8_t>(std::max(kCheckers - on_board, 0));
  }
  const Result<void> checked = check(board);
  return checked ? Result<Board>(board) : checked.error();
}

Result<void> check(const Board& board) {
  for (const Checkers* checkers : {&board.on_roll, &board.waiting}) {
    const int all = std::accumulate(checkers->begin(), checkers->end(), 0);
    if (all != kCheckers) {
      return fail(fmt::format("a player has {} checkers, not {}", all, kCheckers));
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
    return fail("both players are on the bar against closed boards, so neither can ever move");
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
  if (can_meet(board.on_roll, board.waiting)) {
    return has_crashed(board.on_roll) || has_crashed(board.waiting) ? Phase::kCrashed
                                                                    : Phase::kContact;
  }
  return rearmost(board.on_roll) <= 6 && rearmost(board.waiting) <= 6 ? Phase::kBearoff
                                                                      : Phase::kRace;
}

int hitting_rolls(const Checkers& mine, const Checkers& opponent) {
  const Targets targets{occupied_places(mine), open_points(opponent), opponent_blots(opponent)};
  const Places lowest_blot = targets.blots & (~targets.blots + 1);
  // No blot, or no checker behind a blot.
  if (targets.blots == 0 || targets.occupied >> 1 < lowest_blot) return 0;

  // landed[d]: the places where a checker can land with die d. next[d]: the places that die d makes
  // available as sources of the other die: where the checker landed, and all others if it was the
  // last one on the bar.
  const unsigned on_bar = mine[kBar];
  const Places sources = on_bar > 0 ? kBarPlace : targets.occupied;
  const Places freed = on_bar == 1 ? targets.occupied & ~kBarPlace : 0;
  std::array<Places, 7> landed{}, next{};
  for (unsigned die = 1; die <= 6; ++die) {
    landed[die] = sources >> die & targets.open;
    next[die] = on_bar > 1 || landed[die] == 0 ? 0 : landed[die] | freed;
  }
  int rolls = 0;
  for (unsigned high = 1; high <= 6; ++high) {
    for (unsigned low = 1; low < high; ++low) {
      const Places reached = landed[high] | landed[low] | next[high] >> low | next[low] >> high;
      rolls += (reached & targets.blots) != 0 ? 2 : 0;
    }
    rolls += (on_bar == 0 ? hits_with_double(targets, high)
                          : enters_and_hits_with_double(targets, on_bar, high))
                 ? 1
                 : 0;
  }
  return rolls;
}

}  // namespace senet::backgammon
