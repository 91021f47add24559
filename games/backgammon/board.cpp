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

// The blots that up to four steps of `die` can hit, with no checker on the bar.
Places hit_by_double(const Targets& targets, unsigned die) {
  const Places one = targets.occupied >> die & targets.open;
  const Places two = one >> die & targets.open;
  const Places three = two >> die & targets.open;
  const Places four = three >> die;
  return (one | two | three | four) & targets.blots;
}

// The same with checkers on the bar, which must move first.
Places hit_by_double_from_bar(const Targets& targets, unsigned on_bar, unsigned die) {
  const Places entry = kBarPlace >> die & targets.open;
  if (entry == 0) return 0;
  Places moving = (targets.occupied & ~kBarPlace) | entry;
  Places reached = entry;
  for (unsigned step = on_bar; step < 4; ++step) {
    moving = moving >> die & targets.open;
    reached |= moving;
  }
  return reached & targets.blots;
}

// Adds sets as numbers of one bit at every place, a full adder for two sets at a time. Returns the
// sums' lowest bits; the carries, of twice the weight, follow in `carries`.
template <std::size_t kSets>
Places add_up(const std::array<Places, kSets>& sets, Places* carries) {
  Places sum = sets[0];
  for (std::size_t i = 1; i + 1 < kSets; i += 2) {
    const Places odd = sets[i] ^ sets[i + 1];
    *carries++ = (sets[i] & sets[i + 1]) | (sum & odd);
    sum ^= odd;
  }
  if constexpr (kSets % 2 == 0) {
    *carries = sum & sets[kSets - 1];
    sum ^= sets[kSets - 1];
  }
  return sum;
}

// For each place, the number of rolls of 36 whose set contains it.
class PlaceCounts {
 public:
  static constexpr std::size_t kDoubles = 6, kPairs = 15;

  // By roll; a roll of two different dice counts twice.
  PlaceCounts(const std::array<Places, kDoubles>& doubles,
              const std::array<Places, kPairs>& pairs) {
    std::array<Places, kPairs + kDoubles / 2> twos;
    std::copy(pairs.begin(), pairs.end(), twos.begin());
    std::array<Places, 9> fours;
    std::array<Places, 4> eights;
    std::array<Places, 2> sixteens;
    planes_[0] = add_up(doubles, &twos[kPairs]);
    planes_[1] = add_up(twos, fours.data());
    planes_[2] = add_up(fours, eights.data());
    planes_[3] = add_up(eights, sixteens.data());
    planes_[4] = add_up(sixteens, &planes_[5]);
  }
  std::uint8_t at(int place) const {
    unsigned count = 0;
    for (std::size_t bit = 0; bit < planes_.size(); ++bit) {
      count |= (planes_[bit] >> place & 1u) << bit;
    }
    return static_cast<std::uint8_t>(count);
  }

 private:
  std::array<Places, 6> planes_;  // bit b of the number of place p is bit p of planes_[b]
};

// free_rolls() by the set of blocked points ahead: bit d - 1 is the point at distance d. Built with
// few steps, because compilers limit those of a constant.
constexpr std::size_t kAhead = 12;
constexpr auto kFreeRolls = [] {
  struct Roll {
    unsigned both, last, weight;  // points after either die alone, the point after both; of 36
  };
  std::array<Roll, 21> all{};
  std::size_t count = 0;
  for (unsigned high = 1; high <= 6; ++high) {
    for (unsigned low = 1; low <= high; ++low) {
      const unsigned both = 1u << (high - 1) | 1u << (low - 1);
      all[count++] = {both, 1u << (high + low - 1), high == low ? 1u : 2u};
    }
  }
  std::array<std::uint8_t, std::size_t{1} << kAhead> free{};
  for (unsigned blocked = 0; blocked < free.size(); ++blocked) {
    unsigned rolls = 36;
    for (const Roll& roll : all) {
      const bool stopped = (blocked & roll.both) == roll.both || (blocked & roll.last) != 0;
      rolls -= stopped ? roll.weight : 0;
    }
    free[blocked] = static_cast<std::uint8_t>(rolls);
  }
  return free;
}();

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

Shots shots_of(const Checkers& mine, const Checkers& opponent) {
  const Targets targets{occupied_places(mine), open_points(opponent), opponent_blots(opponent)};
  Shots shots;
  const Places lowest_blot = targets.blots & (~targets.blots + 1);
  // No blot, or no checker behind a blot.
  if (targets.blots == 0 || targets.occupied >> 1 < lowest_blot) return shots;

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
  std::array<Places, PlaceCounts::kDoubles> doubles;
  std::array<Places, PlaceCounts::kPairs> pairs;
  std::size_t pair = 0;
  // A checker that we hit on our point p has come p pips.
  const auto count = [&](Places hit, int weight) {
    shots.rolls += hit != 0 ? weight : 0;
    shots.pips += (std::bit_width(hit | 1) - 1) * weight;
    return hit;
  };
  for (unsigned high = 1; high <= 6; ++high) {
    for (unsigned low = 1; low < high; ++low) {
      const Places reached = landed[high] | landed[low] | next[high] >> low | next[low] >> high;
      pairs[pair++] = count(reached & targets.blots, 2);
    }
    doubles[high - 1] = count(
        on_bar == 0 ? hit_by_double(targets, high) : hit_by_double_from_bar(targets, on_bar, high),
        1);
  }
  const PlaceCounts counts(doubles, pairs);
  for (Places left = targets.blots; left != 0; left &= left - 1) {
    const int point = std::countr_zero(left);
    shots.on[static_cast<std::size_t>(point)] = counts.at(point);
  }
  return shots;
}

int free_rolls(Places opponent_points, int place) {
  // The point d ahead of ours is the opponent's point 25 - place + d.
  const Places ahead = (opponent_points & kPoints) >> (26 - place);
  return kFreeRolls[ahead & ((1u << kAhead) - 1)];
}

}  // namespace senet::backgammon
