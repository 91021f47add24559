// The 2x2x2 cube: a game of one player, who turns it until it is solved.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "games/list/cube2.hpp"
#include "senet/game.hpp"
#include "senet/game_defaults.hpp"

namespace senet {

/// The 2x2x2 cube. The corner at the back of the bottom left (DBL) never moves, so that the turns
/// of the faces up, right and front reach all 3,674,160 states, and turning the whole cube gives no
/// others. A move is a quarter turn in either direction or a half turn.
///
/// Positions of the other corners, with the axes of their stickers in the order of orientations:
///
///     0 URF   1 UFL   2 ULB   3 UBR   4 DFR   5 DLF   6 DRB
///
/// A byte for each position has the corner that is there, bits 0-2, and its orientation 0 .. 2,
/// bits 4-5: how often it is turned clockwise. Byte 7 has the number of moves that may still be
/// made.
///
///     bit 63         56 55         48            8 7          0
///        | moves left | position 6 |  ...         | position 0 |
///
/// Action 3 * face + turns - 1: face 0 up, 1 right, 2 front; 1 to 3 clockwise quarter turns.
///
/// Notation. A move is "U", "U2" (half) or "U'" (anticlockwise), the same for R and F. A position
/// is the corner and the orientation at each position, and the number of moves left:
/// "0123456/1010211 40".
class Cube2 : public MovesLeft<15> {
 public:
  static constexpr std::string_view kName = "cube2";
  static constexpr std::size_t kCorners = 7;
  static constexpr std::size_t kMaxLegal = 9;
  static constexpr std::size_t kMaxPlies = 40;
  static constexpr std::size_t kPolicyLogits = kMaxLegal;  // one per action
  static constexpr std::size_t kLogitsPerAction = 1;
  static constexpr bool kHasAfterstates = true;
  static constexpr bool kEncodesImage = true;

  /// The positions by the faces of their stickers, in the order of orientations; DBL is the last.
  static constexpr std::array<std::string_view, kCorners + 1> kPositions = {
      "URF", "UFL", "ULB", "UBR", "DFR", "DLF", "DRB", "DBL"};

  /// What may be at a position: 3 * corner + orientation.
  static constexpr std::size_t kTurnedCorners = 3 * kCorners;
  static constexpr std::size_t kPairs = kCorners * (kCorners - 1) / 2;
  /// Features, 0 or 1, of one of the cube's six images: rotations about the diagonal through URF
  /// and DBL and their mirror images, which all take as many moves. The image is always the one
  /// that has the least bytes, so that a network has 612,630 cubes to learn instead of 3,674,160.
  /// What is at each position, and for each pair of positions i < j what is at both: the first
  /// layer, which costs little because few features are set, then knows most of what decides the
  /// distance.
  ///
  ///     0                147                               9408
  ///     | 7 positions x 21 | 21 pairs (0,1) (0,2) .. (5,6) x 21 x 21 |
  static constexpr std::size_t kFeatures = kTurnedCorners * (kCorners + kPairs * kTurnedCorners);
  static constexpr std::size_t kMaxActive = kCorners + kPairs;

  /// One of the 2,644 positions that take 11 moves, the most.
  Cube2() : Cube2(kHardest, kMaxPlies) {}
  /// The solved cube, which a scramble begins with: moves can be made from here.
  static Cube2 solved() { return Cube2(kSolvedCube, kMaxPlies); }
  /// The same cube with kMaxPlies moves left.
  Cube2 as_start() const { return Cube2(bytes_ << 8 >> 8, kMaxPlies); }

  /// The game is over when the cube is solved or no move is left.
  Turn turn() const { return is_solved() || moves_left() == 0 ? Turn::kOver : Turn::kPlayer0; }
  static Player viewer() { return 0; }
  static void legal(ActionList<kMaxLegal>& out) {
    for (Action action = 0; action < kMaxLegal; ++action) out.push_back(action);
  }
  void play(Action action) {
    const FaceTurn& turn = kTurns[action];
    const std::uint64_t moved = (rotated(bytes_, turn.shift[0]) & turn.taken[0]) |
                                (rotated(bytes_, turn.shift[1]) & turn.taken[1]) |
                                (rotated(bytes_, turn.shift[2]) & turn.taken[2]) |
                                (rotated(bytes_, turn.shift[3]) & turn.taken[3]);
    // Orientations are added modulo 3: those above 2 have bit 6 after adding 1.
    const std::uint64_t turned = ((bytes_ & turn.stay) | moved) + turn.twist;
    const std::uint64_t above = (turned + kOneEach) & (kOneEach << 2);
    bytes_ = turned - (above >> 1) - (above >> 2) - kOneMove;
  }
  std::uint8_t outcome() const { return is_solved() ? kSolved : kUnsolved; }
  /// Exact: different states have different keys.
  std::uint64_t key() const { return mix(bytes_); }
  void encode(FeatureRow& row) const;
  /// The action in the image that encode() describes.
  std::array<std::uint16_t, kLogitsPerAction> logits_of(Action action) const;

  std::string text() const;
  /// Reads a position as text() writes it; without the number of moves left, it is kMaxPlies. Also
  /// "startpos", and a scramble: moves from the solved cube, such as "U R2 F'". Fails on states
  /// that no moves reach.
  static Result<Cube2> from_text(std::string_view text);
  static std::string action_text(Action action);
  Result<Action> action_from_text(std::string_view text) const;

  bool is_solved() const { return (bytes_ << 8) == (kSolvedCube << 8); }
  std::uint32_t moves_left() const { return static_cast<std::uint32_t>(bytes_ >> 56); }
  /// What is at a position.
  unsigned corner(std::size_t position) const { return bytes_ >> (8 * position) & 7; }
  unsigned orientation(std::size_t position) const { return bytes_ >> (8 * position + 4) & 3; }

  friend bool operator==(const Cube2& a, const Cube2& b) { return a.bytes_ == b.bytes_; }

 private:
  /// What a turn does to the bytes: position i gets what was at position i - shift / 8.
  struct FaceTurn {
    std::uint64_t stay;                  // positions that keep their corner
    std::array<std::uint64_t, 4> taken;  // positions with the shift of the same index
    std::array<std::uint8_t, 4> shift;   // in bits
    std::uint64_t twist;                 // added to the orientations
  };
  static constexpr std::uint64_t kSolvedCube = 0x06'05'04'03'02'01'00;
  static constexpr std::uint64_t kHardest = 0x16'15'24'03'12'01'10;
  static constexpr std::uint64_t kOneEach = 0x10'10'10'10'10'10'10;
  static constexpr std::uint64_t kOneMove = std::uint64_t{1} << 56;

  static constexpr std::uint64_t rotated(std::uint64_t bytes, unsigned bits) {
    return bytes << bits | bytes >> ((64 - bits) & 63);
  }
  static constexpr std::array<FaceTurn, kMaxLegal> turns();
  static const std::array<FaceTurn, kMaxLegal> kTurns;

  Cube2(std::uint64_t cube, std::size_t moves_left) : bytes_(cube | moves_left * kOneMove) {}

  std::uint64_t bytes_;
};

static_assert(sizeof(Cube2) == 8);

constexpr std::array<Cube2::FaceTurn, Cube2::kMaxLegal> Cube2::turns() {
  // Where a clockwise quarter turn takes the corner of each position from, and how it twists it.
  struct QuarterTurn {
    std::array<std::uint8_t, kCorners> from, twist;
  };
  constexpr std::array<QuarterTurn, 3> kQuarters = {{
      {{3, 0, 1, 2, 4, 5, 6}, {0, 0, 0, 0, 0, 0, 0}},  // up
      {{4, 1, 2, 0, 6, 5, 3}, {2, 0, 0, 1, 1, 0, 2}},  // right
      {{1, 5, 2, 3, 0, 4, 6}, {1, 2, 0, 0, 2, 1, 0}},  // front
  }};
  std::array<FaceTurn, kMaxLegal> turns{};
  for (std::size_t action = 0; action < kMaxLegal; ++action) {
    QuarterTurn all{{0, 1, 2, 3, 4, 5, 6}, {}};
    for (std::size_t quarter = 0; quarter <= action % 3; ++quarter) {
      const QuarterTurn before = all;
      const QuarterTurn& one = kQuarters[action / 3];
      for (std::size_t i = 0; i < kCorners; ++i) {
        all.from[i] = before.from[one.from[i]];
        all.twist[i] = static_cast<std::uint8_t>((before.twist[one.from[i]] + one.twist[i]) % 3);
      }
    }
    FaceTurn& turn = turns[action];
    turn.stay = std::uint64_t{0xff} << 56;
    std::size_t shifts = 0;
    for (std::size_t i = 0; i < kCorners; ++i) {
      const std::uint64_t byte = std::uint64_t{0xff} << 8 * i;
      turn.twist += static_cast<std::uint64_t>(all.twist[i]) << (8 * i + 4);
      if (all.from[i] == i) {
        turn.stay |= byte;
        continue;
      }
      const auto shift = static_cast<std::uint8_t>((8 * (i + 8 - all.from[i])) % 64);
      std::size_t k = 0;
      while (k < shifts && turn.shift[k] != shift) ++k;
      if (k == shifts) turn.shift[shifts++] = shift;
      turn.taken[k] |= byte;
    }
  }
  return turns;
}
constexpr std::array<Cube2::FaceTurn, Cube2::kMaxLegal> Cube2::kTurns = Cube2::turns();

}  // namespace senet
