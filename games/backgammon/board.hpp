// The backgammon board as numbers: where the checkers of both players stand, simple facts about it,
// and GNU Backgammon's position id.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "senet/result.hpp"

namespace senet::backgammon {

/// Place of the checkers borne off; as a source of a move: none.
inline constexpr std::uint8_t kOff = 0;
inline constexpr std::uint8_t kBar = 25;  // place of the checkers on the bar
inline constexpr int kCheckers = 15;

/// The checkers of one player, each place seen from that player's own side: [0] borne off, [1..24]
/// points (1..6 the player's home), [25] on the bar. They sum to 15. The other player's point p is
/// own point 25 - p.
using Checkers = std::array<std::uint8_t, 26>;

/// Both players' checkers, seen from the player on roll.
struct Board {
  Checkers on_roll{};
  Checkers waiting{};
  bool operator==(const Board&) const = default;
};

/// A roll, the higher die first; 1..6 each.
struct Dice {
  std::uint8_t high = 0;
  std::uint8_t low = 0;

  constexpr bool is_double() const { return high == low; }
  bool operator==(const Dice&) const = default;
};

/// A roll from two dice in any order; none when one is not 1..6.
constexpr std::optional<Dice> make_dice(int first, int second) {
  if (first < 1 || first > 6 || second < 1 || second > 6) return std::nullopt;
  if (first < second) return make_dice(second, first);
  return Dice{static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second)};
}

/// A roll from two digits; none from any other text.
constexpr std::optional<Dice> make_dice(std::string_view text) {
  return text.size() == 2 ? make_dice(text[0] - '0', text[1] - '0') : std::nullopt;
}

/// The standard start, the same for both players.
inline constexpr Checkers kStartCheckers = [] {
  Checkers checkers{};
  checkers[24] = 2;
  checkers[13] = 5;
  checkers[8] = 3;
  checkers[6] = 5;
  return checkers;
}();

/// The board with [0] of both players set to what is missing of 15; fails as check() does.
Result<Board> with_borne_off(Board board);

/// Fails with the reason when no game can look like this: a player without exactly 15 checkers, a
/// point held by both, both players borne off, or both on the bar against closed boards (neither
/// could ever move).
Result<void> check(const Board& board);

inline constexpr std::string_view kStartPositionId = "4HPwATDgc/ABMA";
inline constexpr std::size_t kPositionIdLength = 14;

/// GNU Backgammon's position id of a valid board: 14 letters for where the checkers stand.
///
/// 80 bits: the player not on roll first, then the player on roll; for each the points 1..24 and
/// the bar, on each one 1 per checker and then a 0; the rest are 0. Ten bytes, lowest bit first, in
/// base64 without padding. (GNU Backgammon manual, "Technical description of the Position ID".)
std::string position_id(const Board& board);

/// The board of an id. Fails with a reason when the text is no id or its board is not possible (see
/// check()).
Result<Board> board_from_position_id(std::string_view text);

/// Pips still to go: the sum of places, the bar being 25. 0..375.
int pips(const Checkers& checkers);

/// A set of places of one player's board: bit p is place p (0..25).
using Places = std::uint32_t;

inline constexpr Places kPoints = 0x1fffffe;       // 1..24
inline constexpr Places kHome = 0x7e;              // 1..6
inline constexpr Places kOutsideHome = 0x3ffff80;  // 7..24 and the bar

/// Places with at least `count` (1..15) checkers.
inline Places places_with(const Checkers& checkers, unsigned count) {
  // Eight places at a time: adding 128 - count raises a byte's top bit where there are enough
  // checkers; the multiplication gathers the eight top bits in the top byte. The last load overlaps
  // the one before.
  static_assert(std::endian::native == std::endian::little);
  const std::uint64_t raise = (128u - count) * 0x0101010101010101u;
  const auto eight = [&](std::size_t first) {
    std::uint64_t bytes;
    std::memcpy(&bytes, checkers.data() + first, 8);
    const std::uint64_t top = ((bytes + raise) & 0x8080808080808080u) >> 7;
    return static_cast<Places>((top * 0x0102040810204080u) >> 56);
  };
  return eight(0) | eight(8) << 8 | eight(16) << 16 | eight(18) << 18;
}

/// The same places seen from the other side: p becomes 25 - p.
constexpr Places from_other_side(Places places) {
  places = (places >> 1 & 0x55555555u) | (places & 0x55555555u) << 1;
  places = (places >> 2 & 0x33333333u) | (places & 0x33333333u) << 2;
  places = (places >> 4 & 0x0f0f0f0fu) | (places & 0x0f0f0f0fu) << 4;
  places = (places >> 8 & 0x00ff00ffu) | (places & 0x00ff00ffu) << 8;
  return (places >> 16 | places << 16) >> 6;
}

/// Points and bar with at least one checker.
inline Places occupied_places(const Checkers& checkers) {
  return places_with(checkers, 1) & ~(Places{1} << kOff);
}

/// The place of the checker that has farthest to go, 1..25; -1 without any.
inline int rearmost(const Checkers& checkers) {
  return std::bit_width(occupied_places(checkers)) - 1;
}

/// Whether the players have not passed each other yet. (Own place p is the opponent's 25 - p.)
inline bool can_meet(const Checkers& mine, const Checkers& opponent) {
  return rearmost(mine) + rearmost(opponent) > 25;
}

/// Own points the opponent does not hold with two or more checkers.
inline Places open_points(const Checkers& opponent) {
  return kPoints & ~from_other_side(places_with(opponent, 2));
}

/// Own points where the opponent has a single checker.
inline Places opponent_blots(const Checkers& opponent) {
  const Places single = places_with(opponent, 1) & ~places_with(opponent, 2) & kPoints;
  return from_other_side(single);
}

/// The phases of a game, as its players and GNU Backgammon distinguish them: figures about play are
/// given for each, because each is another skill.
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

/// The phase of a position in which no player has borne off all checkers. A player has crashed who
/// is left with at most six checkers besides dead ones: all on the ace point when there are
/// several, and on the deuce point all but one. (So GNU Backgammon chooses its networks.)
Phase phase_of(const Board& board);

/// Of the 36 rolls of the player of `mine`, those that hit at least one of the opponent's blots:
/// the one tactical fact that small networks are slow to learn. Checkers on the bar enter first,
/// with combination shots after the last has entered. An estimate in that it does not ask whether
/// the dice may have to be played otherwise. 0..36.
int hitting_rolls(const Checkers& mine, const Checkers& opponent);

}  // namespace senet::backgammon
