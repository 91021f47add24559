// Breakthrough (Dan Troyka, 2000) on a 5x5 board: a pawn moves straight or diagonally forward and
// captures diagonally; the first player to get a pawn to the far row wins.
#pragma once

#include <senet/game.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

/// Stored from the perspective of the player to move, whose pawns move up from row 0:
///
///   row 4   20 21 22 23 24        | own_ | theirs_ | mover_ |
///   ...                             25 bits each, bit index = square
///   row 0    0  1  2  3  4
class Breakthrough {
 public:
  static constexpr std::string_view kName = "breakthrough";
  static constexpr std::size_t kSide = 5, kSquares = kSide * kSide;
  static constexpr int kPawns = 10;
  static constexpr std::size_t kMaxLegal = 3 * kPawns, kMaxPlies = 80;
  static constexpr std::size_t kFeatures = 2 * kSquares, kMaxActive = 2 * kPawns;
  static constexpr std::size_t kPolicyLogits = 3 * kSquares, kLogitsPerAction = 1;
  static constexpr std::array<float, 2> kOutcomeValues = {1, -1};  // won, lost
  static constexpr std::array<std::uint8_t, 2> kOutcomeMirror = {1, 0};
  static constexpr float kValueRange = 1;
  static constexpr bool kHasAfterstates = false;

  senet::Turn turn() const {
    if (own_ == 0 || (theirs_ & kFirstRow) != 0) return senet::Turn::kOver;
    return mover_ == 0 ? senet::Turn::kPlayer0 : senet::Turn::kPlayer1;
  }
  senet::Player viewer() const { return mover_; }

  /// 3 * square + direction: 0 to the left, 1 straight, 2 to the right.
  void legal(senet::ActionList<kMaxLegal>& out) const {
    for (std::size_t square = 0; square < kSquares; ++square) {
      for (std::size_t direction = 0; direction < 3; ++direction) {
        const auto action = static_cast<senet::Action>(3 * square + direction);
        if ((own_ & bit(square)) != 0 && can_move(action)) out.push_back(action);
      }
    }
  }
  void play(senet::Action action) {
    const std::uint32_t to = bit(target(action));
    const std::uint32_t own = (own_ & ~bit(action / 3u)) | to, theirs = theirs_ & ~to;
    own_ = turned(theirs);
    theirs_ = turned(own);
    mover_ = senet::other(mover_);
  }
  /// The player who moved last has won.
  std::uint8_t outcome() const { return mover_ == 1 ? 0 : 1; }

  std::uint64_t key() const {
    return senet::mix(own_ | std::uint64_t{theirs_} << 25 | std::uint64_t{mover_} << 50);
  }
  void encode(senet::FeatureRow& row) const {
    for (std::size_t square = 0; square < kSquares; ++square) {
      if ((own_ & bit(square)) != 0) row.add(square, 1);
      if ((theirs_ & bit(square)) != 0) row.add(kSquares + square, 1);
    }
  }
  static std::array<std::uint16_t, 1> logits_of(senet::Action action) { return {action}; }

  /// The game is symmetric, so training uses every position twice.
  Breakthrough mirrored() const {
    Breakthrough image = *this;
    image.own_ = image.theirs_ = 0;
    for (std::size_t square = 0; square < kSquares; ++square) {
      if ((own_ & bit(square)) != 0) image.own_ |= bit(across(square));
      if ((theirs_ & bit(square)) != 0) image.theirs_ |= bit(across(square));
    }
    return image;
  }
  static senet::Action mirrored(senet::Action action) {
    return static_cast<senet::Action>(3 * across(action / 3u) + 2 - action % 3u);
  }

  /// The player to move and the 25 squares: "0:ooooo/ooooo/...../xxxxx/xxxxx" without the slashes.
  /// o is a pawn of the player to move.
  std::string text() const {
    std::string text = mover_ == 0 ? "0:" : "1:";
    for (std::size_t square = 0; square < kSquares; ++square) {
      text += (own_ & bit(square)) != 0 ? 'o' : (theirs_ & bit(square)) != 0 ? 'x' : '.';
    }
    return text;
  }
  static senet::Result<Breakthrough> from_text(std::string_view text) {
    Breakthrough read;
    read.own_ = read.theirs_ = 0;
    if (text.size() != 2 + kSquares || (text[0] != '0' && text[0] != '1') || text[1] != ':') {
      return senet::fail("a position must be the player to move, a colon and 25 squares");
    }
    read.mover_ = text[0] == '1';
    for (std::size_t square = 0; square < kSquares; ++square) {
      const char c = text[2 + square];
      if (c != 'o' && c != 'x' && c != '.') return senet::fail("a square must be o, x or .");
      if (c == 'o') read.own_ |= bit(square);
      if (c == 'x') read.theirs_ |= bit(square);
    }
    const auto too_many = [](std::uint32_t pawns) { return std::popcount(pawns) > kPawns; };
    if (too_many(read.own_) || too_many(read.theirs_)) return senet::fail("more than ten pawns");
    if (read.theirs_ == 0 || (read.own_ & turned(kFirstRow)) != 0) {
      return senet::fail("the player to move has already won");
    }
    return read;
  }
  std::string action_text(senet::Action action) const {
    return square_text(action / 3u) + square_text(target(action));
  }
  senet::Result<senet::Action> action_from_text(std::string_view text) const {
    senet::ActionList<kMaxLegal> actions;
    if (turn() != senet::Turn::kOver) legal(actions);
    for (const senet::Action action : actions) {
      if (action_text(action) == text) return action;
    }
    return senet::fail("not a legal move, such as b2b3");
  }

 private:
  static constexpr std::uint32_t kFirstRow = 0b11111;

  static constexpr std::uint32_t bit(std::size_t square) { return std::uint32_t{1} << square; }
  static constexpr std::size_t across(std::size_t square) {
    return square - square % kSide + (kSide - 1 - square % kSide);
  }
  /// The board from the other player's perspective: the rows in reverse order.
  static constexpr std::uint32_t turned(std::uint32_t pawns) {
    std::uint32_t seen = 0;
    for (std::size_t row = 0; row < kSide; ++row) {
      seen |= (pawns >> (kSide * row) & kFirstRow) << (kSide * (kSide - 1 - row));
    }
    return seen;
  }
  static std::size_t target(senet::Action action) { return action / 3u + kSide - 1 + action % 3u; }
  bool can_move(senet::Action action) const {
    const std::size_t column = action / 3u % kSide, direction = action % 3u;
    if ((column == 0 && direction == 0) || (column == kSide - 1 && direction == 2)) return false;
    const std::uint32_t blocked = direction == 1 ? own_ | theirs_ : own_;
    return (blocked & bit(target(action))) == 0;
  }
  static std::string square_text(std::size_t square) {
    return {static_cast<char>('a' + square % kSide), static_cast<char>('1' + square / kSide)};
  }

  std::uint32_t own_ = kFirstRow | kFirstRow << kSide;
  std::uint32_t theirs_ = turned(kFirstRow | kFirstRow << kSide);
  senet::Player mover_ = 0;
};
