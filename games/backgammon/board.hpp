// The backgammon board: the places of both players' checkers, simple properties, and GNU
// Backgammon's position id.
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

/// Place of the checkers borne off; as the source of a step: none.
inline constexpr std::uint8_t kOff = 0;
inline constexpr std::uint8_t kBar = 25;  // place of the checkers on the bar
inline constexpr int kCheckers = 15;

/// The number of checkers of one player on each place, from that player's own perspective: [0]
/// borne off, [1..24] points (1..6 the player's home), [25] on the bar. The sum is 15. The other
/// player's point p is own point 25 - p.
using Checkers = std::array<std::uint8_t, 26>;

/// Both players' checkers, each from its own perspective.
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

/// A roll from two dice in any order; none unless both are 1..6.
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

/// The board with [0] of both players set so that each has 15 checkers. Fails as check() does.
Result<Board> with_borne_off(Board board);

/// Fails when the board cannot occur in a game: a player does not have exactly 15 checkers, both
/// players are on one point, both have borne off all checkers, or both are on the bar against
/// closed boards (neither could ever move).
Result<void> check(const Board& board);

inline constexpr std::string_view kStartPositionId = "4HPwATDgc/ABMA";
inline constexpr std::size_t kPositionIdLength = 14;

/// GNU Backgammon's position id of a valid board: 14 characters that encode all checkers.
///
/// 80 bits: first the player not on roll, then the player on roll; for each the points 1..24 and
/// the bar, each as a 1 per checker followed by a 0; the remaining bits are 0. Ten bytes, lowest
/// bit first, in base64 without padding. (GNU Backgammon manual, "Technical description of the
/// Position ID".)
std::string position_id(const Board& board);

/// Reads a position id. Fails when the text is not an id or its board is impossible (see check()).
Result<Board> board_from_position_id(std::string_view text);

/// The pip count: the sum of the checkers' places, with 25 for the bar. 0..375.
int pips(const Checkers& checkers);

/// A set of places of one player's board: bit p is place p (0..25).
using Places = std::uint32_t;

inline constexpr Places kPoints = 0x1fffffe;       // 1..24
inline constexpr Places kHome = 0x7e;              // 1..6
inline constexpr Places kOutsideHome = 0x3ffff80;  // 7..24 and the bar

/// Places with at least `count` (1..15) checkers.
inline Places places_with(const Checkers& checkers, unsigned count) {
  // Eight places at a time: adding 128 - count sets a byte's top bit if it has enough checkers; the
  // multiplication gathers the eight top bits in the top byte. The last load overlaps the previous
  // one.
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

/// A set of places of each player, from that player's own perspective. One operation on the word
/// serves both players. A shift to lower places moves bits of the second player to 26..31 at most,
/// where an intersection with a set of places removes them.
///
///   0       26    32          58    64
///   +-------+-----+-----------+-----+
///   | first |  0  |  second   |  0  |
///   +-------+-----+-----------+-----+
using BothPlaces = std::uint64_t;

constexpr BothPlaces both(Places first, Places second) { return first | BothPlaces{second} << 32; }

/// The set of player 0 (the first) or 1.
constexpr Places places_of(BothPlaces places, std::size_t player) {
  return static_cast<Places>(places >> (32 * player));
}

/// Both sets as seen from the other side: place p of one player becomes place 25 - p of the other.
/// This is a reversal of all bits, except for where it begins.
constexpr BothPlaces from_other_side(BothPlaces places) {
  places = (places >> 1 & 0x5555555555555555u) | (places & 0x5555555555555555u) << 1;
  places = (places >> 2 & 0x3333333333333333u) | (places & 0x3333333333333333u) << 2;
  places = (places >> 4 & 0x0f0f0f0f0f0f0f0fu) | (places & 0x0f0f0f0f0f0f0f0fu) << 4;
  places = (places >> 8 & 0x00ff00ff00ff00ffu) | (places & 0x00ff00ff00ff00ffu) << 8;
  places = (places >> 16 & 0x0000ffff0000ffffu) | (places & 0x0000ffff0000ffffu) << 16;
  return std::rotl(places, 32) >> 6;
}

/// The same places from the other player's perspective: p becomes 25 - p.
constexpr Places from_other_side(Places places) {
  return places_of(from_other_side(both(places, 0)), 1);
}

/// Points and bar with at least one checker.
inline Places occupied_places(const Checkers& checkers) {
  return places_with(checkers, 1) & ~(Places{1} << kOff);
}

/// The place of the rearmost checker, 1..25; -1 if all are borne off.
inline int rearmost(const Checkers& checkers) {
  return std::bit_width(occupied_places(checkers)) - 1;
}

/// Whether there is still contact: the players have not passed each other yet. (One player's place
/// p is the other player's place 25 - p.)
inline bool can_meet(const Checkers& mine, const Checkers& opponent) {
  return rearmost(mine) + rearmost(opponent) > 25;
}

/// Points, from our perspective, that the opponent does not block with two or more checkers.
inline Places open_points(const Checkers& opponent) {
  return kPoints & ~from_other_side(places_with(opponent, 2));
}

/// Points, from our perspective, where the opponent has a single checker.
inline Places opponent_blots(const Checkers& opponent) {
  const Places single = places_with(opponent, 1) & ~places_with(opponent, 2) & kPoints;
  return from_other_side(single);
}

/// The phases of a game that players and GNU Backgammon distinguish. Playing strength is reported
/// for each phase, because each requires different skills.
enum class Phase : std::uint8_t {
  kContact,  // checkers can still be hit
  kCrashed,  // the same, but a player has hardly any checkers left to move freely
  kRace,     // the players have passed each other
  kBearoff,  // ... and all checkers are home
};

inline constexpr std::array<std::string_view, 4> kPhaseNames = {"contact", "crashed", "race",
                                                                "bearoff"};

inline std::string_view name_of(Phase phase) {
  return kPhaseNames[static_cast<std::size_t>(phase)];
}

/// The phase of a position in which no player has borne off all checkers. A player has crashed when
/// at most six checkers are neither borne off nor dead. Dead are all checkers on the ace point if
/// there are at least two, and all but one on the deuce point. (GNU Backgammon's criterion for
/// choosing its network.)
Phase phase_of(const Board& board);

/// The blots that a player could hit with a roll now: tactical facts that small networks are slow
/// to learn.
struct Shots {
  int rolls = 0;       // of 36, that hit a blot
  int pips = 0;        // sum over the 36 rolls of what the opponent loses by the most costly hit
  Places targets = 0;  // blots that some roll hits, from our perspective
  std::array<std::uint8_t, 25> on{};  // rolls that hit each of them; 0 elsewhere
};

/// What decides the shots of both players.
struct BothSides {
  BothPlaces occupied;                 // points and bar with at least one checker
  BothPlaces held;                     // ... with at least two
  std::array<std::uint8_t, 2> on_bar;  // checkers
};

inline BothSides both_sides(const Checkers& first, const Checkers& second) {
  constexpr BothPlaces kOn = ~both(1u << kOff, 1u << kOff);
  return {.occupied = both(places_with(first, 1), places_with(second, 1)) & kOn,
          .held = both(places_with(first, 2), places_with(second, 2)) & kOn,
          .on_bar = {first[kBar], second[kBar]}};
}

/// The shots of either player, if it were to roll. Checkers on the bar enter first; combination
/// shots are possible after the last has entered. These are upper bounds: they ignore the rules
/// that can force the dice to be played otherwise.
std::array<Shots, 2> shots_of(const BothSides& sides);

inline constexpr int kFirstContained = 13;

/// For each place from kFirstContained to the bar, the number of rolls, of 36, that a lone checker
/// there can play in full against these points of the opponent, from the opponent's perspective; of
/// doubles, the first two steps. Then 36.
std::array<std::uint8_t, 16> free_rolls(Places opponent_points);

}  // namespace senet::backgammon
