// The bear-off database: what is known about games in which all checkers are home.
//
// Two-sided, for at most 6 checkers of each player: the probability of winning with best play,
// exact to the precision of its numbers. Both players have borne off a checker, so there are no
// gammons. It is a sum over the 21 rolls r:
//
//   win(a, b) = sum of  P(r) * max over plays a -> a' with r of  1 - win(b, a')
//   win(a, no checkers left) = 0              a: the player on roll, b: the opponent
//
// One-sided, for all 15 checkers: the distribution of the number of rolls until the last checker is
// off and, for 15 checkers, until the first one is (which saves the gammon), each with the plays
// that minimise its mean. The players' numbers of rolls are independent, so with A and B those of
// the player on roll and of the opponent until the last checker, and F, G until the first:
//
//   win = P(A <= B)    win gammon = P(A <= G)    lose gammon = P(B < F)
//
// This is an approximation: a player who is behind should take risks, and one who can still lose a
// gammon has two aims at once. Backgammons are impossible, as no checker is in the winner's home.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "games/backgammon/board.hpp"
#include "games/backgammon/home_board.hpp"

namespace senet {
class Backgammon;
}

namespace senet::backgammon {

/// A distribution of a number of rolls, in 1/65535; the sum is exactly 65535. Its first entry is
/// for `first` rolls.
///
///   0     1     2       4             32
///   +-----+-----+-------+-- ... --+
///   |first|  0  |share 0|     share 14|
///   +-----+-----+-------+-- ... --+
struct RollShares {
  static constexpr std::size_t kEntries = 15;

  std::uint8_t first;
  std::uint8_t unused;
  std::array<std::uint16_t, kEntries> shares;
};
static_assert(sizeof(RollShares) == 32 && alignof(RollShares) == 2);

/// The same for the number of rolls until the first checker is off: share i is of i + 1 rolls.
using FirstOffShares = std::array<std::uint16_t, 8>;
static_assert(sizeof(FirstOffShares) == 16);

/// A view of the database's bytes: a Tablebase in the sense of senet/game.hpp.
///
///   0           1,736,448       1,984,512            3,692,064 bytes
///   +------------+----------------+--------------------+
///   | last off   | first off      | two-sided          |
///   | RollShares | FirstOffShares | u16, win * 65535   |
///   | x 54,264   | x 15,504       | x 924 x 924        |
///   +------------+----------------+--------------------+
///     by index     by index - 38,760  [on roll][waiting], by index
class BearoffDatabase {
 public:
  /// Of the layout and of how the bytes are computed.
  static constexpr std::uint32_t kVersion = 1;
  /// Maximum number of checkers of each player in the two-sided part.
  static constexpr std::size_t kTwoSided = 6;

 private:
  static constexpr std::size_t kPositions = home_positions(kCheckers);
  static constexpr std::size_t kFirstOfAll = home_positions(kCheckers - 1);
  static constexpr std::size_t kFewPositions = home_positions(kTwoSided);

  static constexpr std::size_t kFirstOffAt = kPositions * sizeof(RollShares);
  static constexpr std::size_t kTwoSidedAt =
      kFirstOffAt + (kPositions - kFirstOfAll) * sizeof(FirstOffShares);

 public:
  static constexpr std::size_t kBytes =
      kTwoSidedAt + kFewPositions * kFewPositions * sizeof(std::uint16_t);
  static_assert(kFirstOffAt == 1'736'448 && kTwoSidedAt == 1'984'512 && kBytes == 3'692'064);
  /// Memory that build() takes besides, at most.
  static constexpr std::size_t kBuildBytes = std::size_t{12} << 20;

  /// Computes the database in a fraction of a second. `out`: kBytes bytes, aligned to 2.
  static void build(std::span<std::byte> out);

  /// `bytes`, which build() has filled, outlives the view.
  explicit BearoffDatabase(std::span<const std::byte> bytes) : bytes_(bytes.data()) {}

  /// Whether the database knows the state: a player is about to roll, and all checkers are home. If
  /// so writes its expected outcomes, for the player on roll.
  bool find(const Backgammon& state, std::span<float> outcomes) const;

  /// Whether the two-sided part contains the board: at most kTwoSided checkers each, all home.
  static bool is_two_sided(const Board& board);
  /// The probability that the player on roll wins; 0 or 1 in finished games. Requires
  /// is_two_sided(board).
  double win(const Board& board) const;

  /// The distribution of the rolls until the last checker is off. Requires are_home(checkers).
  const RollShares& until_last_off(const Checkers& checkers) const;
  /// The same until the first checker is off. Requires also that none is off.
  const FirstOffShares& until_first_off(const Checkers& checkers) const;

 private:
  template <class Entry>
  const Entry& entry(std::size_t part, std::size_t number) const {
    return reinterpret_cast<const Entry*>(bytes_ + part)[number];
  }

  const std::byte* bytes_;
};

}  // namespace senet::backgammon
