// The network's input for backgammon: 426 features from viewer()'s perspective. About 45 of them
// are not zero.
//
//   0                196                392     405      407      409    410          426
//   +----------------+------------------+-------+--------+--------+------+------------+
//   | viewer's side  | other side       | dice  | phase  | contact| lead | lead steps |
//   | 196            | 196              | 6+6+1 | 2      | 2      | 1    | 16         |
//   +----------------+------------------+-------+--------+--------+------+------------+
//
// A side, from its own perspective:
//
//     0  places 1..24, bar: 25 x 4   exactly 1, exactly 2, 3 or more, (n - 3) / 4 if more than 3
//   100  borne off: 15 + 1           one of 1..15; n / 15
//   116  home points made: 6         one of 1..6
//   122  longest prime: 6            one of 1..6 made points in a row
//   128  checkers back: 5            one of 1..5 or more on 19..24 and bar
//   133  blots: 4                    one of 1..4 or more on 1..24
//   137  gammon pips: 1              if none is off: (pips to bring all home + 1) / 100, at most 2
//   138  pips: 1                     / 167, the pips at the start
//   139  pip steps: 15               one of 0..11, 12..23 ... 168 or more
//   154  hitting rolls: 1            with contact: rolls that hit if this side rolled now, / 36
//   155  hit pips: 1                 ... mean pips that the opponent loses over all rolls, / 24
//   156  targets: 24                 ... rolls that hit a blot on this point, / 36
//   180  trapped: 8                  ... of a checker on 18..24 or the bar: 1 - free rolls / 36
//   188  containment: 2              ... x = 1 - fewest free rolls / 36 on 13 to the rearmost; x^2
//   190  prime ahead: 6              ... one of 1..6 blocked points in a row ahead of the rearmost
//
// dice: higher die 1..6, lower die 1..6, double; all zero on a chance turn.
// phase: before the opening roll, before any other roll.
// contact: the sides can still meet, they cannot.
// lead: (other side's pips - viewer's pips) / 64, clamped to -1..1.
// lead steps: one of 16 steps of 8 pips; the ninth step starts at a lead of 0.
#include <algorithm>
#include <bit>

#include "games/backgammon/backgammon.hpp"

namespace senet {
using namespace backgammon;

namespace {

// Offsets within a side.
constexpr std::size_t kPlaces = 0, kBorneOff = 100, kHomePoints = 116, kPrime = 122, kBack = 128,
                      kBlots = 133, kGammonPips = 137, kPips = 138, kPipSteps = 139,
                      kHittingRolls = 154, kHitPips = 155, kTargets = 156, kTrapped = 180,
                      kContainment = 188, kPrimeAhead = 190, kSide = 196;
// Offsets within the row.
constexpr std::size_t kDice = 2 * kSide, kPhase = kDice + 13, kContact = kPhase + 2,
                      kLead = kContact + 2, kLeadSteps = kLead + 1, kEnd = kLeadSteps + 16;
static_assert(kEnd == Backgammon::kFeatures);

// Maximum number of non-zero features. Per side: one for each of 15 checkers' places (a second one
// for a place needs four checkers), two for the checkers borne off, seven for the next lines of the
// table, one for each of 15 targets and 8 places, two for the containment, three for the others.
// Then three dice or one phase, and contact, lead and lead step. The lead step is always present,
// so that each add_if() before it has room.
static_assert(2 * (15 + 2 + 7 + 15 + 8 + 2 + 3) + 3 + 3 == Backgammon::kMaxActive);

constexpr int kFirstTrapped = 18;            // the first place that can be trapped
constexpr Places kMayBeTrapped = 0x3fc0000;  // 18..24 and the bar
static_assert(std::countr_zero(kMayBeTrapped) == kFirstTrapped);

// Shares of the 36 rolls: reading is faster than converting and dividing.
constexpr auto kShare = [] {
  std::array<float, 37> shares{};
  for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = static_cast<float>(i) / 36;
  return shares;
}();

// For each player, the length of the longest run of adjacent places; 6 if it is longer.
std::array<int, 2> longest_runs(BothPlaces places) {
  std::array<int, 2> lengths{};
  for (int i = 0; i < 6; ++i, places &= places >> 1) {
    for (std::size_t player = 0; player < 2; ++player) {
      lengths[player] += places_of(places, player) != 0 ? 1 : 0;
    }
  }
  return lengths;
}

// Sets one of `size` features for a count of 1, 2 ... size or more; none for 0.
void add_count(FeatureRow& row, std::size_t first, std::size_t size, int count) {
  row.add_if(count > 0, first + std::min(static_cast<std::size_t>(count), size) - 1, 1.0f);
}

// What the features of one side are computed from.
struct Side {
  const Checkers& checkers;
  Places occupied, made;   // at least one checker on points and bar, at least two on points
  Places opponent_made;    // the opponent's, from its perspective
  int prime, prime_ahead;  // longest run of made points, of blocked points ahead
};

// What a side's checkers on points and bar sum up to.
struct Sums {
  int pips = 0, pips_outside_home = 0, back = 0;
};

Sums add_places(FeatureRow& row, std::size_t first, const Checkers& checkers, Places occupied) {
  Sums sums;
  for (; occupied != 0; occupied &= occupied - 1) {
    const int place = std::countr_zero(occupied);
    const int count = checkers[static_cast<std::size_t>(place)];
    const std::size_t feature = first + static_cast<std::size_t>(place - 1) * 4;
    row.add(feature + static_cast<std::size_t>(std::min(count, 3) - 1), 1.0f);
    row.add_if(count > 3, feature + 3, static_cast<float>(count - 3) * 0.25f);
    sums.pips += place * count;
    sums.pips_outside_home += std::max(place - 6, 0) * count;
    sums.back += place > 18 ? count : 0;
  }
  return sums;
}

void add_shots(FeatureRow& row, std::size_t first, const Shots& shots) {
  if (shots.rolls == 0) return;
  row.add(first + kHittingRolls, kShare[static_cast<std::size_t>(shots.rolls)]);
  row.add(first + kHitPips, static_cast<float>(shots.pips) / (36 * 24));
  for (Places left = shots.targets; left != 0; left &= left - 1) {
    const auto point = static_cast<std::size_t>(std::countr_zero(left));
    row.add(first + kTargets + point - 1, kShare[shots.on[point]]);
  }
}

void add_blockade(FeatureRow& row, std::size_t first, const Side& side) {
  const auto free = free_rolls(side.opponent_made);
  // Bytes throughout, so that the loop becomes vector instructions.
  const auto end = static_cast<std::uint8_t>(std::bit_width(side.occupied >> kFirstContained));
  std::uint8_t fewest = 36;
  for (std::uint8_t i = 0; i < free.size(); ++i) {
    const std::uint8_t rolls = i < end ? free[i] : 36;
    fewest = rolls < fewest ? rolls : fewest;
  }
  for (Places left = side.occupied & kMayBeTrapped; left != 0; left ^= std::bit_floor(left)) {
    const auto place = static_cast<std::size_t>(std::bit_width(left) - 1);
    const std::uint8_t rolls = free[place - kFirstContained];
    row.add_if(rolls < 36, first + kTrapped + place - kFirstTrapped, kShare[36u - rolls]);
  }
  const float containment = kShare[36u - fewest];
  row.add_if(fewest < 36, first + kContainment, containment);
  row.add_if(fewest < 36, first + kContainment + 1, containment * containment);
  add_count(row, first + kPrimeAhead, 6, side.prime_ahead);
}

// Returns the pip count of this side. `shots`: null if the sides cannot meet.
int add_side(FeatureRow& row, std::size_t first, const Side& side, const Shots* shots) {
  const Sums sums = add_places(row, first + kPlaces, side.checkers, side.occupied);
  if (const int off = side.checkers[kOff]; off > 0) {
    add_count(row, first + kBorneOff, 15, off);
    row.add(first + kBorneOff + 15, static_cast<float>(off) / 15);
  } else {
    row.add(first + kGammonPips,
            std::min(static_cast<float>(sums.pips_outside_home + 1) / 100, 2.0f));
  }
  add_count(row, first + kHomePoints, 6, std::popcount(side.made & kHome));
  add_count(row, first + kPrime, 6, side.prime);
  add_count(row, first + kBack, 5, sums.back);
  add_count(row, first + kBlots, 4, std::popcount(side.occupied & ~side.made & kPoints));
  row.add(first + kPips, static_cast<float>(sums.pips) / 167);
  row.add(first + kPipSteps + static_cast<std::size_t>(std::min(sums.pips / 12, 14)), 1.0f);
  if (shots) {
    add_shots(row, first, *shots);
    add_blockade(row, first, side);
  }
  return sums.pips;
}

}  // namespace

void Backgammon::encode(FeatureRow& to) const {
  FeatureRow row = to;  // a copy stays in registers
  const std::array<const Checkers*, 2> checkers{&checkers_[on_roll_], &checkers_[1 - on_roll_]};
  const BothSides sides = both_sides(*checkers[0], *checkers[1]);
  const BothPlaces made = sides.held & both(kPoints, kPoints);
  const BothPlaces blocked = from_other_side(made);
  const std::array rear{rearmost(*checkers[0]), rearmost(*checkers[1])};
  const bool contact = rear[0] + rear[1] > kBar;
  const std::array<int, 2> primes = longest_runs(made);
  std::array<int, 2> primes_ahead{};
  std::array<Shots, 2> shots;
  if (contact) {
    shots = shots_of(sides);
    primes_ahead =
        longest_runs(blocked & both((Places{1} << rear[0]) - 1, (Places{1} << rear[1]) - 1));
  }
  std::array<int, 2> pips{};
  for (std::size_t i = 0; i < 2; ++i) {
    const Side side{.checkers = *checkers[i],
                    .occupied = places_of(sides.occupied, i),
                    .made = places_of(made, i),
                    .opponent_made = places_of(made, 1 - i),
                    .prime = primes[i],
                    .prime_ahead = primes_ahead[i]};
    pips[i] = add_side(row, i * kSide, side, contact ? &shots[i] : nullptr);
  }
  if (dice_.high != 0) {
    row.add(kDice + dice_.high - 1u, 1.0f);
    row.add(kDice + 6 + dice_.low - 1u, 1.0f);
    if (dice_.is_double()) row.add(kDice + 12, 1.0f);
  } else {
    row.add(kPhase + (opening_ != 0 ? 0 : 1), 1.0f);
  }
  row.add(kContact + (contact ? 0 : 1), 1.0f);
  const int lead = pips[1] - pips[0];
  if (lead != 0) row.add(kLead, std::clamp(static_cast<float>(lead) / 64, -1.0f, 1.0f));
  // The offset makes the division round down for negative leads too.
  const int step = std::clamp((lead + 512) / 8 - 64 + 8, 0, 15);
  row.add(kLeadSteps + static_cast<std::size_t>(step), 1.0f);
  to = row;
}

}  // namespace senet
