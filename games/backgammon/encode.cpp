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

constexpr int kFirstTrapped = 18;  // the first place that can be trapped
constexpr int kFirstContained = 13;

int pips_outside_home(const Checkers& checkers) {
  int sum = 0;
  for (int place = 7; place <= kBar; ++place) {
    sum += (place - 6) * checkers[static_cast<std::size_t>(place)];
  }
  return sum;
}

// The length of the longest run of adjacent places; 6 if it is longer.
int longest_run(Places places) {
  int length = 0;
  for (int i = 0; i < 6; ++i, places &= places >> 1) length += places != 0 ? 1 : 0;
  return length;
}

// Sets one of `size` features for a count of 1, 2 ... size or more; none for 0.
void add_count(FeatureRow& row, std::size_t first, std::size_t size, int count) {
  row.add_if(count > 0, first + std::min(static_cast<std::size_t>(count), size) - 1, 1.0f);
}

void add_places(FeatureRow& row, std::size_t first, const Checkers& checkers, Places occupied) {
  for (; occupied != 0; occupied &= occupied - 1) {
    const auto place = static_cast<std::size_t>(std::countr_zero(occupied));
    const int count = checkers[place];
    const std::size_t feature = first + (place - 1) * 4;
    row.add(feature + static_cast<std::size_t>(std::min(count, 3) - 1), 1.0f);
    row.add_if(count > 3, feature + 3, static_cast<float>(count - 3) * 0.25f);
  }
}

void add_shots(FeatureRow& row, std::size_t first, const Checkers& mine, const Checkers& opponent) {
  const Shots shots = shots_of(mine, opponent);
  if (shots.rolls == 0) return;
  row.add(first + kHittingRolls, static_cast<float>(shots.rolls) / 36);
  row.add(first + kHitPips, static_cast<float>(shots.pips) / (36 * 24));
  for (Places blots = opponent_blots(opponent); blots != 0; blots &= blots - 1) {
    const auto point = static_cast<std::size_t>(std::countr_zero(blots));
    const int rolls = shots.on[point];
    row.add_if(rolls > 0, first + kTargets + point - 1, static_cast<float>(rolls) / 36);
  }
}

void add_blockade(FeatureRow& row, std::size_t first, const Checkers& mine,
                  const Checkers& opponent) {
  const Places blocked = places_with(opponent, 2);
  const int rear = rearmost(mine);
  int fewest = 36;
  for (int place = rear; place >= kFirstContained; --place) {
    const int rolls = free_rolls(blocked, place);
    fewest = std::min(fewest, rolls);
    if (place >= kFirstTrapped && mine[static_cast<std::size_t>(place)] > 0) {
      row.add_if(rolls < 36, first + kTrapped + static_cast<std::size_t>(place - kFirstTrapped),
                 static_cast<float>(36 - rolls) / 36);
    }
  }
  const float containment = static_cast<float>(36 - fewest) / 36;
  row.add_if(fewest < 36, first + kContainment, containment);
  row.add_if(fewest < 36, first + kContainment + 1, containment * containment);
  const Places ahead = from_other_side(blocked & kPoints) & ((Places{1} << rear) - 1);
  add_count(row, first + kPrimeAhead, 6, longest_run(ahead));
}

// `pips`: the pip count of this side. `contact`: the sides can still meet.
void add_side(FeatureRow& row, std::size_t first, const Checkers& mine, const Checkers& opponent,
              int pips, bool contact) {
  const Places occupied = occupied_places(mine);
  const Places made = places_with(mine, 2) & kPoints;
  add_places(row, first + kPlaces, mine, occupied);
  if (mine[kOff] > 0) {
    add_count(row, first + kBorneOff, 15, mine[kOff]);
    row.add(first + kBorneOff + 15, static_cast<float>(mine[kOff]) / 15);
  } else {
    row.add(first + kGammonPips,
            std::min(static_cast<float>(pips_outside_home(mine) + 1) / 100, 2.0f));
  }
  add_count(row, first + kHomePoints, 6, std::popcount(made & kHome));
  add_count(row, first + kPrime, 6, longest_run(made));
  int back = 0;
  for (std::size_t place = 19; place <= kBar; ++place) back += mine[place];
  add_count(row, first + kBack, 5, back);
  add_count(row, first + kBlots, 4, std::popcount(occupied & ~made & kPoints));
  row.add(first + kPips, static_cast<float>(pips) / 167);
  row.add(first + kPipSteps + static_cast<std::size_t>(std::min(pips / 12, 14)), 1.0f);
  if (contact) {
    add_shots(row, first, mine, opponent);
    add_blockade(row, first, mine, opponent);
  }
}

}  // namespace

void Backgammon::encode(FeatureRow& row) const {
  const Checkers& mine = checkers_[on_roll_];
  const Checkers& opponent = checkers_[1 - on_roll_];
  const int my_pips = pips(mine), opponent_pips = pips(opponent);
  const bool contact = can_meet(mine, opponent);
  add_side(row, 0, mine, opponent, my_pips, contact);
  add_side(row, kSide, opponent, mine, opponent_pips, contact);
  if (dice_.high != 0) {
    row.add(kDice + dice_.high - 1u, 1.0f);
    row.add(kDice + 6 + dice_.low - 1u, 1.0f);
    if (dice_.is_double()) row.add(kDice + 12, 1.0f);
  } else {
    row.add(kPhase + (opening_ != 0 ? 0 : 1), 1.0f);
  }
  row.add(kContact + (contact ? 0 : 1), 1.0f);
  const int lead = opponent_pips - my_pips;
  if (lead != 0) row.add(kLead, std::clamp(static_cast<float>(lead) / 64, -1.0f, 1.0f));
  // The offset makes the division round down for negative leads too.
  const int step = std::clamp((lead + 512) / 8 - 64 + 8, 0, 15);
  row.add(kLeadSteps + static_cast<std::size_t>(step), 1.0f);
}

}  // namespace senet
