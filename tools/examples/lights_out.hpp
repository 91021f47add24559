// Lights Out on a board of 5 x 5: a game of one player as a program or a shared object may have it,
// with the public headers only. docs/puzzles.md is about such games.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "senet/game.hpp"
#include "senet/game_defaults.hpp"

/// Pressing a lamp switches it and its neighbours above, below, left and right; the player wants
/// all lamps to be off.
///
/// A lamp is bit 5 * row + column, and its action has the same number:
///
///      row 0 |  0  1  2  3  4
///          1 |  5  6  7  8  9
///          2 | 10 11 12 13 14
///          3 | 15 16 17 18 19
///          4 | 20 21 22 23 24
///
/// A position as text: rows from the top, X for a lamp that is on, then the number of presses left:
/// "X---X/-----/--X--/-----/X---X 40". An action is the number of its lamp.
class LightsOut : public senet::GameDefaults<LightsOut>, public senet::MovesLeft<15> {
 public:
  using MovesLeft::kOutcomeMirror;
  using MovesLeft::kOutcomeValues;
  using MovesLeft::kValueRange;
  static constexpr std::string_view kName = "lights_out";
  static constexpr std::size_t kSide = 5, kLamps = kSide * kSide;
  static constexpr std::size_t kMaxLegal = kLamps, kMaxPlies = 40, kPolicyLogits = kLamps;
  static constexpr std::size_t kFeatures = kLamps, kMaxActive = kLamps;  // the lamps that are on
  static constexpr bool kHasAfterstates = true;

  /// All lamps are on, which takes 15 presses, the most.
  LightsOut() = default;
  /// All lamps are off: where a scramble begins.
  static LightsOut solved() { return LightsOut(0, kMaxPlies); }
  LightsOut as_start() const { return LightsOut(lit_, kMaxPlies); }

  senet::Turn turn() const {
    return lit_ == 0 || presses_left_ == 0 ? senet::Turn::kOver : senet::Turn::kPlayer0;
  }
  static void legal(senet::ActionList<kMaxLegal>& out) {
    for (senet::Action lamp = 0; lamp < kLamps; ++lamp) out.push_back(lamp);
  }
  void play(senet::Action lamp) {
    const std::uint32_t own = 1u << lamp;
    const std::size_t column = lamp % kSide;
    const std::uint32_t left = column > 0 ? own >> 1 : 0, right = column < 4 ? own << 1 : 0;
    lit_ ^= (own | own << kSide | own >> kSide | left | right) & kAll;
    --presses_left_;
  }
  std::uint8_t outcome() const { return lit_ == 0 ? kSolved : kUnsolved; }
  senet::FeatureBits<kFeatures> feature_bits() const { return {lit_}; }

  std::string text() const {
    std::string text;
    for (std::size_t lamp = 0; lamp < kLamps; ++lamp) {
      if (lamp > 0 && lamp % kSide == 0) text += '/';
      text += (lit_ >> lamp & 1) != 0 ? 'X' : '-';
    }
    return text + ' ' + std::to_string(presses_left_);
  }
  static senet::Result<LightsOut> from_text(std::string_view text) {
    constexpr std::size_t kBoard = kLamps + kSide - 1;
    const auto refuse = [text](const char* reason) {
      return senet::fail(std::string(1, '"').append(text).append("\": ").append(reason));
    };
    if (text.size() < kBoard + 2 || text[kBoard] != ' ') {
      return refuse("not five rows of lamps and the number of presses left");
    }
    LightsOut state(0, 0);
    for (std::size_t i = 0; i < kBoard; ++i) {
      const bool is_end = i % (kSide + 1) == kSide;
      if (is_end ? text[i] != '/' : text[i] != 'X' && text[i] != '-') {
        return refuse("a row is five of X and -, and a slash follows");
      }
      if (text[i] == 'X') state.lit_ |= 1u << (i - i / (kSide + 1));
    }
    const char* const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data() + kBoard + 1, end, state.presses_left_);
    if (error != std::errc() || read != end || state.presses_left_ > kMaxPlies) {
      return refuse("not a number of presses left, 0 .. 40");
    }
    for (const std::uint32_t quiet : kQuiet) {
      if (std::popcount(state.lit_ & quiet) % 2 != 0) return refuse("no presses solve it");
    }
    return state;
  }

  /// Swaps left and right.
  LightsOut mirrored() const {
    LightsOut mirror(0, presses_left_);
    for (senet::Action lamp = 0; lamp < kLamps; ++lamp) {
      mirror.lit_ |= (lit_ >> lamp & 1) << mirrored(lamp);
    }
    return mirror;
  }
  static senet::Action mirrored(senet::Action lamp) {
    return static_cast<senet::Action>(lamp + kSide - 1 - 2 * (lamp % kSide));
  }

  std::uint32_t lit() const { return lit_; }

 private:
  static constexpr std::uint32_t kAll = (1u << kLamps) - 1;
  /// Presses of these lamps switch nothing. So a position can be solved only if it has an even
  /// number of their lamps on (Anderson and Feil 1998, "Turning lights out with linear algebra").
  static constexpr std::uint32_t kQuiet[] = {0b10101'10101'00000'10101'10101,
                                             0b11011'00000'11011'00000'11011};

  LightsOut(std::uint32_t lit, std::size_t presses_left)
      : lit_(lit), presses_left_(static_cast<std::uint32_t>(presses_left)) {}

  std::uint32_t lit_ = kAll;
  std::uint32_t presses_left_ = kMaxPlies;
};
