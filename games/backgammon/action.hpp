// The codes of backgammon's actions: whole turns, and rolls of the dice.
//
//   0              pass: no die can be played (also the code of the pair "none, none")
//   1 .. 675       two different dice: source of the higher die * 26 + source of the lower die
//   676 .. 24426   doubles: 676 + rank of the multiset of four sources, one of C(29, 4) = 23,751;
//                  676 itself, four times none, is not used: a pass is always 0
//
// A source is a place of the mover's own board: 0 none (that die is not played), 1..24 points, 25
// bar. A checker that moves with both dice has its second source at the intermediate point:
// 24/23/20 with a 31 has source 24 for the 1 and 23 for the 3. A code does not contain the order of
// the dice, because it does not matter: in either order the same checkers leave and arrive, and the
// same blots are hit.
//
// The rank of sources a >= b >= c >= d is C(a+3, 4) + C(b+2, 3) + C(c+1, 2) + d (the combinatorial
// number system, Knuth, TAOCP 7.2.1.3). So codes are ordered lexicographically by descending
// sources.
//
// Codes of rolls: the 15 mixed rolls first (21, 31, 32, 41 ... 65), then the doubles 11 ... 66.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "games/backgammon/board.hpp"
#include "senet/game.hpp"

namespace senet::backgammon {

inline constexpr std::size_t kSources = 26;
inline constexpr std::size_t kPairs = kSources * kSources;
inline constexpr std::size_t kActionCodes = kPairs + 23751;

inline constexpr Action kPass = 0;

/// Up to four sources of one turn, padded with 0 (none). Two different dice: [0] of the higher, [1]
/// of the lower die. Doubles: descending.
using Sources = std::array<std::uint8_t, 4>;

/// Whether the code is that of a doubles turn.
constexpr bool is_doubles(Action action) { return action >= kPairs; }

constexpr unsigned rank4(unsigned a) { return a * (a + 1) * (a + 2) * (a + 3) / 24; }
constexpr unsigned rank3(unsigned b) { return b * (b + 1) * (b + 2) / 6; }
constexpr unsigned rank2(unsigned c) { return c * (c + 1) / 2; }

/// Code of a turn with two different dice. Sources 0..25.
constexpr Action pair_action(unsigned source_of_high, unsigned source_of_low) {
  return static_cast<Action>(source_of_high * kSources + source_of_low);
}

/// Code of a doubles turn from its descending, zero-padded sources; pass when there are none.
constexpr Action doubles_action(const Sources& s) {
  if (s[0] == 0) return kPass;
  return static_cast<Action>(kPairs + rank4(s[0]) + rank3(s[1]) + rank2(s[2]) + s[3]);
}

/// The largest source whose term `kRank(source)` is at most `rest`. Counts all comparisons instead
/// of searching: no branches, and the compiler can vectorise it.
template <unsigned (*kRank)(unsigned)>
constexpr unsigned largest_source(unsigned rest) {
  constexpr auto kRanks = [] {
    std::array<std::uint16_t, 32> ranks;
    ranks.fill(0xffff);
    for (unsigned source = 1; source < kSources; ++source) {
      ranks[source] = static_cast<std::uint16_t>(kRank(source));
    }
    return ranks;
  }();
  unsigned count = 0;
  for (const std::uint16_t rank : kRanks) count += rank <= rest ? 1 : 0;
  return count;
}

/// The sources of any code below kActionCodes.
constexpr Sources sources_of(Action action) {
  if (!is_doubles(action)) {
    return {static_cast<std::uint8_t>(action / kSources),
            static_cast<std::uint8_t>(action % kSources), 0, 0};
  }
  unsigned rest = action - static_cast<unsigned>(kPairs);
  const unsigned a = largest_source<rank4>(rest);
  rest -= rank4(a);
  const unsigned b = largest_source<rank3>(rest);
  rest -= rank3(b);
  const unsigned c = largest_source<rank2>(rest);
  rest -= rank2(c);
  return {static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b), static_cast<std::uint8_t>(c),
          static_cast<std::uint8_t>(rest)};
}

inline constexpr std::size_t kRolls = 21;
inline constexpr std::size_t kOpeningRolls = 15;  // an opening roll is never a double

/// Code of a roll, 0..20.
constexpr Action roll_action(Dice dice) {
  if (dice.is_double()) return static_cast<Action>(kOpeningRolls + dice.high - 1u);
  return static_cast<Action>((dice.high - 1u) * (dice.high - 2u) / 2 + dice.low - 1u);
}

/// The roll of a code 0..20.
constexpr Dice dice_of(Action roll) {
  if (roll >= kOpeningRolls) {
    const auto die = static_cast<std::uint8_t>(roll - kOpeningRolls + 1);
    return {die, die};
  }
  unsigned high = 2;
  while (high * (high - 1) / 2 <= roll) ++high;
  return {static_cast<std::uint8_t>(high),
          static_cast<std::uint8_t>(roll - (high - 1) * (high - 2) / 2 + 1)};
}

static_assert(doubles_action({25, 25, 25, 25}) == kActionCodes - 1);

}  // namespace senet::backgammon
