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

constexpr BothPlaces kPointsOfBoth = both(kPoints, kPoints);

constexpr BothPlaces of_player(std::size_t player, Places places) {
  return BothPlaces{places} << (32 * player);
}

// For each player, 1 if the set is not empty.
constexpr BothPlaces is_any(BothPlaces places) {
  return (places + both(0x7fffffff, 0x7fffffff)) >> 31 & both(1, 1);
}

// The input of the hitting functions.
template <class Set>
struct Targets {
  Set occupied;  // the player's checkers, including the bar
  Set open;      // points where they may land
  Set blots;     // points where they hit
};

// The blots that up to four steps of `die` can hit, with no checker on the bar.
BothPlaces hit_by_double(const Targets<BothPlaces>& targets, unsigned die) {
  const BothPlaces one = targets.occupied >> die & targets.open;
  const BothPlaces two = one >> die & targets.open;
  const BothPlaces three = two >> die & targets.open;
  const BothPlaces four = three >> die;
  return (one | two | three | four) & targets.blots;
}

// The same of one player with checkers on the bar, which must move first.
Places hit_by_double_from_bar(const Targets<Places>& targets, unsigned on_bar, unsigned die) {
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

constexpr std::size_t kDoubles = 6, kPairs = 15;  // rolls, without regard to the order of the dice

// The blots hit by each roll.
struct Hits {
  std::array<BothPlaces, kDoubles> doubles;
  std::array<BothPlaces, kPairs> pairs;
};

// Adds sets as numbers of one bit at every place, a full adder for two sets at a time. Returns the
// sums' lowest bits; the carries, of twice the weight, follow in `carries`.
template <std::size_t kSets>
BothPlaces add_up(const std::array<BothPlaces, kSets>& sets, BothPlaces* carries) {
  BothPlaces sum = sets[0];
  for (std::size_t i = 1; i + 1 < kSets; i += 2) {
    const BothPlaces odd = sets[i] ^ sets[i + 1];
    *carries++ = (sets[i] & sets[i + 1]) | (sum & odd);
    sum ^= odd;
  }
  if constexpr (kSets % 2 == 0) {
    *carries = sum & sets[kSets - 1];
    sum ^= sets[kSets - 1];
  }
  return sum;
}

// For each place of each player, the number of rolls of 36 that hit there.
class HitCounts {
 public:
  // A roll of two different dice counts twice.
  explicit HitCounts(const Hits& hits) {
    std::array<BothPlaces, kPairs + kDoubles / 2> twos;
    std::copy(hits.pairs.begin(), hits.pairs.end(), twos.begin());
    std::array<BothPlaces, 9> fours;
    std::array<BothPlaces, 4> eights;
    std::array<BothPlaces, 2> sixteens;
    planes_[0] = add_up(hits.doubles, &twos[kPairs]);
    planes_[1] = add_up(twos, fours.data());
    planes_[2] = add_up(fours, eights.data());
    planes_[3] = add_up(eights, sixteens.data());
    planes_[4] = add_up(sixteens, &planes_[5]);
  }
  // Places of a number above 0.
  BothPlaces any() const {
    BothPlaces places = 0;
    for (const BothPlaces plane : planes_) places |= plane;
    return places;
  }
  std::uint8_t at(std::size_t player, int place) const {
    const unsigned from = static_cast<unsigned>(32 * player) + static_cast<unsigned>(place);
    unsigned count = 0;
    for (std::size_t bit = 0; bit < planes_.size(); ++bit) {
      count |= static_cast<unsigned>(planes_[bit] >> from & 1u) << bit;
    }
    return static_cast<std::uint8_t>(count);
  }

 private:
  std::array<BothPlaces, 6> planes_;  // bit b of the number of place p is bit p of planes_[b]
};

// Adds rolls of this weight to the shots' numbers of rolls and pips.
template <std::size_t kRolls>
void add_rolls(const std::array<BothPlaces, kRolls>& hits, int weight,
               std::array<Shots, 2>& shots) {
  // As a float, which holds these sets exactly, a set with highest place p has the exponent 127 +
  // p, an empty one 0. This loop becomes vector instructions.
  auto sets = std::bit_cast<std::array<std::int32_t, 2 * kRolls>>(hits);
  for (std::int32_t& set : sets) {
    set = std::bit_cast<std::int32_t>(static_cast<float>(set)) >> 23;
  }
  BothPlaces exponents = 0, rolls = 0;  // sums of each player
  for (const BothPlaces exponent : std::bit_cast<std::array<BothPlaces, kRolls>>(sets)) {
    exponents += exponent;
    rolls += exponent >> 7 & both(1, 1);
  }
  // A checker that is hit on point p has come p pips.
  const BothPlaces pips = exponents - 127 * rolls;
  for (std::size_t player = 0; player < 2; ++player) {
    shots[player].rolls += weight * static_cast<int>(rolls >> (32 * player) & 0xff);
    shots[player].pips += weight * static_cast<int>(pips >> (32 * player) & 0xffff);
  }
}

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

std::array<Shots, 2> shots_of(const BothSides& sides) {
  const Targets<BothPlaces> targets{
      .occupied = sides.occupied,
      .open = kPointsOfBoth & ~from_other_side(sides.held),
      .blots = from_other_side(sides.occupied & ~sides.held & kPointsOfBoth)};
  std::array<Shots, 2> shots{};
  if (targets.blots == 0) return shots;

  // A player on the bar moves from there first. `freed`: places that become sources of the second
  // die once the first has brought in the last checker. `stuck`: all places if more are on the bar.
  BothPlaces sources = targets.occupied, freed = 0, stuck = 0;
  for (std::size_t player = 0; player < 2; ++player) {
    if (sides.on_bar[player] == 0) continue;
    const BothPlaces others = targets.occupied & of_player(player, ~kBarPlace);
    sources &= ~others;
    if (sides.on_bar[player] == 1) {
      freed |= others;
    } else {
      stuck |= of_player(player, ~0u);
    }
  }
  // landed[d]: the places where a checker can land with die d. next[d]: the places that die d makes
  // available as sources of the other die.
  std::array<BothPlaces, 7> landed{}, next{};
  for (unsigned die = 1; die <= 6; ++die) {
    landed[die] = sources >> die & targets.open;
    next[die] = (landed[die] & ~stuck) | (is_any(landed[die]) * 0xffffffffu & freed);
  }
  Hits hits;
  std::size_t pair = 0;
  for (unsigned high = 1; high <= 6; ++high) {
    for (unsigned low = 1; low < high; ++low) {
      const BothPlaces reached = landed[high] | landed[low] | next[high] >> low | next[low] >> high;
      hits.pairs[pair++] = reached & targets.blots;
    }
    hits.doubles[high - 1] = hit_by_double(targets, high);
  }
  for (std::size_t player = 0; player < 2; ++player) {
    const unsigned on_bar = sides.on_bar[player];
    if (on_bar == 0) continue;
    const Targets<Places> own{.occupied = places_of(targets.occupied, player),
                              .open = places_of(targets.open, player),
                              .blots = places_of(targets.blots, player)};
    for (unsigned die = 1; die <= 6; ++die) {
      BothPlaces& hit = hits.doubles[die - 1];
      hit &= ~of_player(player, ~0u);
      hit |= of_player(player, hit_by_double_from_bar(own, on_bar, die));
    }
  }
  add_rolls(hits.doubles, 1, shots);
  add_rolls(hits.pairs, 2, shots);
  const HitCounts counts(hits);
  for (std::size_t player = 0; player < 2; ++player) {
    shots[player].targets = places_of(counts.any(), player);
    for (Places left = shots[player].targets; left != 0; left &= left - 1) {
      const int point = std::countr_zero(left);
      shots[player].on[static_cast<std::size_t>(point)] = counts.at(player, point);
    }
  }
  return shots;
}

std::array<std::uint8_t, 16> free_rolls(Places opponent_points) {
  std::array<std::uint8_t, 16> free;
  free.fill(36);
  for (int place = kFirstContained; place <= kBar; ++place) {
    // The point d ahead of ours is the opponent's point 25 - place + d.
    const Places ahead = (opponent_points & kPoints) >> (26 - place);
    free[static_cast<std::size_t>(place - kFirstContained)] =
        kFreeRolls[ahead & ((1u << kAhead) - 1)];
  }
  return free;
}

}  // namespace senet::backgammon
