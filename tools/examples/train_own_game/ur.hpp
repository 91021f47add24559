// The Royal Game of Ur by Irving Finkel's rules, with four pieces per player: a race with dice in
// which captured pieces start again.
#pragma once

#include <senet/game.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// The path of each player. Squares 5 to 12 are shared. A piece that lands on + gives another roll;
/// a piece on 8 is safe:
///
///    4+ 3  2  1  start   home 14+ 13
///    5  6  7  8+ 9   10  11   12
///    4+ 3  2  1  start   home 14+ 13
class Ur {
 public:
  static constexpr std::string_view kName = "ur";
  static constexpr int kPieces = 4;
  static constexpr std::size_t kSquares = 14, kHome = 15, kPass = 15;
  static constexpr std::size_t kMaxLegal = kPieces, kMaxPlies = 1000, kMaxChance = 5;
  // The squares of the player to move and of the opponent, the waiting pieces of both, the pieces
  // at home of both, the roll.
  static constexpr std::size_t kFeatures = 2 * kSquares + 4 + kMaxChance;
  static constexpr std::size_t kMaxActive = 2 * kPieces + 4 + 1;
  static constexpr std::size_t kPolicyLogits = 16, kLogitsPerAction = 1;
  static constexpr std::array<float, 2> kOutcomeValues = {1, -1};  // won, lost
  static constexpr std::array<std::uint8_t, 2> kOutcomeMirror = {1, 0};
  static constexpr float kValueRange = 1;
  static constexpr bool kHasAfterstates = true;

  senet::Turn turn() const {
    if (home_[0] == kPieces || home_[1] == kPieces) return senet::Turn::kOver;
    if (roll_ == kNotThrown) return senet::Turn::kChance;
    return mover_ == 0 ? senet::Turn::kPlayer0 : senet::Turn::kPlayer1;
  }
  senet::Player viewer() const { return mover_; }

  /// An action is the square of the piece to move, 0 for a waiting piece, or kPass if no piece can
  /// move.
  void legal(senet::ActionList<kMaxLegal>& out) const {
    for (std::size_t from = 0; from <= kSquares; ++from) {
      if (can_move(from)) out.push_back(static_cast<senet::Action>(from));
    }
    if (out.empty()) out.push_back(kPass);
  }
  /// The sum of four dice with values 0 and 1.
  std::size_t chance(std::span<float> probability) const {
    constexpr std::array<float, kMaxChance> kSum = {1, 4, 6, 4, 1};
    for (std::size_t i = 0; i < kMaxChance; ++i) probability[i] = kSum[i] / 16;
    return kMaxChance;
  }
  void play(senet::Action action) {
    if (roll_ == kNotThrown) {
      roll_ = static_cast<std::uint8_t>(action);
      return;
    }
    const std::size_t to = action + std::size_t{roll_};
    roll_ = kNotThrown;
    bool again = false;
    if (action != kPass) {
      const senet::Player them = senet::other(mover_);
      on_[mover_] &= static_cast<std::uint16_t>(~bit(action));
      if (to == kHome) {
        ++home_[mover_];
      } else {
        on_[mover_] |= bit(to);
        if (is_shared(to)) on_[them] &= static_cast<std::uint16_t>(~bit(to));
      }
      again = to == 4 || to == kSafe || to == 14;
    }
    if (!again) mover_ = senet::other(mover_);
  }
  std::uint8_t outcome() const { return home_[0] == kPieces ? 0 : 1; }

  std::uint64_t key() const {
    const auto part = [](auto value, int at) { return std::uint64_t{value} << at; };
    return senet::mix(part(on_[0], 0) | part(on_[1], 16) | part(home_[0], 32) | part(home_[1], 36) |
                      part(roll_, 40) | part(mover_, 44));
  }
  void encode(senet::FeatureRow& row) const {
    const std::array<senet::Player, 2> sides = {mover_, senet::other(mover_)};
    for (std::size_t side = 0; side < 2; ++side) {
      const senet::Player player = sides[side];
      for (std::size_t square = 1; square <= kSquares; ++square) {
        if ((on_[player] & bit(square)) != 0) row.add(side * kSquares + square - 1, 1);
      }
      row.add(2 * kSquares + side, static_cast<float>(waiting(player)) / kPieces);
      row.add(2 * kSquares + 2 + side, static_cast<float>(home_[player]) / kPieces);
    }
    if (roll_ != kNotThrown) row.add(2 * kSquares + 4 + roll_, 1);
  }
  static std::array<std::uint16_t, 1> logits_of(senet::Action action) { return {action}; }

  /// "0-00" and the 14 squares of each player, o for a piece. The first four characters are the
  /// player to move or to roll, the roll or -, and the pieces at home of both players.
  std::string text() const {
    std::string text = {digit(mover_), roll_ == kNotThrown ? '-' : digit(roll_), digit(home_[0]),
                        digit(home_[1])};
    for (const std::uint16_t on : on_) {
      for (std::size_t square = 1; square <= kSquares; ++square) {
        text += (on & bit(square)) != 0 ? 'o' : '.';
      }
    }
    return text;
  }
  static senet::Result<Ur> from_text(std::string_view text) {
    if (text.size() != 4 + 2 * kSquares) {
      return senet::fail("a position must be the player, the roll, two counts and 28 squares");
    }
    const auto is_below = [](char c, int end) { return c >= '0' && c < '0' + end; };
    if (!is_below(text[0], 2) || !(text[1] == '-' || is_below(text[1], kMaxChance)) ||
        !is_below(text[2], kPieces + 1) || !is_below(text[3], kPieces + 1)) {
      return senet::fail("the player must be 0 or 1, the roll - or 0 to 4, pieces at home 0 to 4");
    }
    Ur read;
    read.mover_ = static_cast<senet::Player>(text[0] - '0');
    if (text[1] != '-') read.roll_ = static_cast<std::uint8_t>(text[1] - '0');
    for (std::size_t player = 0; player < 2; ++player) {
      read.home_[player] = static_cast<std::uint8_t>(text[2 + player] - '0');
      for (std::size_t square = 1; square <= kSquares; ++square) {
        const char c = text[4 + player * kSquares + square - 1];
        if (c != 'o' && c != '.') return senet::fail("a square must be o or .");
        if (c != 'o') continue;
        read.on_[player] |= bit(square);
        if (player == 1 && is_shared(square) && (read.on_[0] & bit(square)) != 0) {
          return senet::fail("there are two pieces on one square");
        }
      }
      if (read.waiting(static_cast<senet::Player>(player)) < 0) {
        return senet::fail("a player has more than four pieces");
      }
    }
    if (read.home_[0] == kPieces && read.home_[1] == kPieces) {
      return senet::fail("both players have won");
    }
    if (read.turn() == senet::Turn::kOver && text[1] != '-') {
      return senet::fail("the game is over: the roll must be -");
    }
    return read;
  }
  std::string action_text(senet::Action action) const {
    if (roll_ == kNotThrown) return std::to_string(action);
    if (action == kPass) return "pass";
    return std::to_string(action) + "-" + std::to_string(action + roll_);
  }
  senet::Result<senet::Action> action_from_text(std::string_view text) const {
    senet::ActionList<kMaxChance> actions = {0, 1, 2, 3, 4};
    if (senet::is_decision(turn())) {
      senet::ActionList<kMaxLegal> moves;
      legal(moves);
      actions.clear();
      for (const senet::Action move : moves) actions.push_back(move);
    }
    for (const senet::Action action : actions) {
      if (action_text(action) == text && turn() != senet::Turn::kOver) return action;
    }
    return senet::fail("neither a roll nor a legal move, such as 0-3");
  }

 private:
  static constexpr std::size_t kSafe = 8;
  static constexpr std::uint8_t kNotThrown = 5;

  static constexpr std::uint16_t bit(std::size_t square) {
    return static_cast<std::uint16_t>(1u << square);
  }
  static constexpr bool is_shared(std::size_t square) { return square >= 5 && square <= 12; }
  static char digit(int value) { return static_cast<char>('0' + value); }
  int waiting(senet::Player player) const {
    return kPieces - home_[player] - std::popcount(on_[player]);
  }
  bool can_move(std::size_t from) const {
    const bool is_there = from == 0 ? waiting(mover_) > 0 : (on_[mover_] & bit(from)) != 0;
    const std::size_t to = from + roll_;
    if (!is_there || roll_ == 0 || to > kHome) return false;
    if (to == kHome) return true;
    if ((on_[mover_] & bit(to)) != 0) return false;
    return to != kSafe || (on_[senet::other(mover_)] & bit(to)) == 0;
  }

  std::array<std::uint16_t, 2> on_{};   // of each player; bit index = square
  std::array<std::uint8_t, 2> home_{};  // pieces at home of each player
  std::uint8_t roll_ = kNotThrown;
  senet::Player mover_ = 0;
};
