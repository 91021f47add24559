// The network's input for backgammon: 344 features from viewer()'s perspective. About 35 of them
// are not zero.
//
//   0                155                310     323      325      327      328          344
//   +----------------+------------------+-------+--------+--------+--------+------------+
//   | viewer's side  | other side       | dice  | phase  | contact| lead   | lead steps |
//   | 155            | 155              | 6+6+1 | 2      | 2      | 1      | 16         |
//   +----------------+------------------+-------+--------+--------+--------+------------+
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
//   138  hitting rolls: 1            number of rolls that hit if this side rolled now, / 36
//   139  pips: 1                     / 167, the pips at the start
//   140  pip steps: 15               one of 0..11, 12..23 ... 168 or more
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
                      kBlots = 133, kGammonPips = 137, kHittingRolls = 138, kPips = 139,
                      kPipSteps = 140, kSide = 155;
// Offsets within the row.
constexpr std::size_t kDice = 2 * kSide, kPhase = kDice + 13, kContact = kPhase + 2,
                      kLead = kContact + 2, kLeadSteps = kLead + 1, kEnd = kLeadSteps + 16;
static_assert(kEnd == Backgammon::kFeatures);

// Maximum number of non-zero features. Per side: one for each of 15 checkers' places (a second one
// for a place needs four checkers), two for the checkers borne off, one for each of the other eight
// lines of the table. Then three dice or one phase, and contact, lead and lead step. The lead step
// is always present, so that each add_if() before it has room.
static_assert(2 * (15 + 2 + 8) + 3 + 3 == Backgammon::kMaxActive);

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
  if (contact) {
    const int rolls = hitting_rolls(mine, opponent);
    row.add_if(rolls > 0, first + kHittingRolls, static_cast<float>(rolls) / 36);
  }
  row.add(first + kPips, static_cast<float>(pips) / 167);
  row.add(first + kPipSteps + static_cast<std::size_t>(std::min(pips / 12, 14)), 1.0f);
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
