// Defaults for the parts of a game that need no thought: struct MyGame :
// senet::GameDefaults<MyGame>.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "senet/game.hpp"

namespace senet {

/// A text of a position for programs, not for people: its bytes in hexadecimal, '-', and a checksum
/// of 8 hexadecimal digits. So only texts of positions can be read, not what people type.
///
///   01000000ff00-1c9e00f7
inline std::string text_of_bytes(std::span<const std::byte> bytes);
/// Reads such a text into `bytes`. False, without writing, if it has another length, another
/// checksum or another character.
inline bool read_bytes(std::string_view text, std::span<std::byte> bytes);

/// An action's number, and the number in a text; fails if the text is not one.
inline std::string text_of_action(Action action) { return std::to_string(action); }
inline Result<Action> read_action_number(std::string_view text);

/// What a game G inherits so that it needs to define only
///
///   kName, kMaxLegal, kFeatures, kMaxActive, kPolicyLogits
///   turn, legal, play, outcome, encode    and, with dice, kMaxChance, chance and viewer
///
/// senet/game.hpp explains them. A game whose features are all 0 or 1 may define feature_bits in
/// place of encode. G replaces any default by a member of the same name: three ways to end (won,
/// drawn, lost), a logit for each action, short texts, and a key that is a hash of the state's
/// bytes. That key needs a type in which equal states have equal bytes: no padding, no
/// floating-point member, and no byte left over from a former move.
template <class G>
struct GameDefaults {
  static constexpr std::size_t kMaxPlies = 0xffff;
  static constexpr std::size_t kLogitsPerAction = 1;
  static constexpr bool kHasAfterstates = false;
  static constexpr std::array<float, 3> kOutcomeValues{1, 0, -1};
  static constexpr std::array<std::uint8_t, 3> kOutcomeMirror{2, 1, 0};
  static constexpr float kValueRange = 1;

  /// Not for games with dice: on a chance turn, only G knows who is about to roll.
  Player viewer() const {
    static_assert(
        !requires { G::kMaxChance; }, "a game with dice needs its own viewer()");
    return self().turn() == Turn::kPlayer1 ? 1 : 0;
  }
  static std::array<std::uint16_t, 1> logits_of(Action action) { return {action}; }
  void encode(FeatureRow& row) const {
    static_assert(
        requires { self().feature_bits(); }, "a game needs encode() or feature_bits()");
    std::size_t first = 0;  // of a word
    for (std::uint64_t word : self().feature_bits()) {
      for (; word != 0; word &= word - 1) {
        row.add(first + static_cast<std::size_t>(std::countr_zero(word)), 1);
      }
      first += 64;
    }
  }
  std::uint64_t key() const {
    static_assert(std::has_unique_object_representations_v<G>,
                  "the default key() needs a type without padding and floating-point members");
    std::uint64_t key = sizeof(G);
    std::span<const std::byte> rest = bytes();
    while (!rest.empty()) {
      std::uint64_t word = 0;
      const std::span<const std::byte> part = rest.first(std::min(rest.size(), sizeof word));
      std::memcpy(&word, part.data(), part.size());
      key = mix(key ^ word);
      rest = rest.subspan(part.size());
    }
    return key;
  }

  std::string text() const { return text_of_bytes(bytes()); }
  static Result<G> from_text(std::string_view text) {
    G state;
    if (read_bytes(text, std::as_writable_bytes(std::span(&state, 1)))) return state;
    return fail(std::string(1, '"').append(text) + "\" is not a position");
  }
  static std::string action_text(Action action) { return text_of_action(action); }
  /// Legal actions, and outcomes of a chance turn.
  Result<Action> action_from_text(std::string_view text) const {
    const Result<Action> action = read_action_number(text);
    if (action && has(*action)) return action;
    return fail(std::string(1, '"').append(text) + "\" is not a move here");
  }

 private:
  const G& self() const { return static_cast<const G&>(*this); }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(&self(), 1)); }
  bool has(Action action) const {
    const Turn turn = self().turn();
    if constexpr (requires { G::kMaxChance; }) {
      std::array<float, G::kMaxChance> probabilities;
      if (turn == Turn::kChance) return action < self().chance(probabilities);
    }
    if (!is_decision(turn)) return false;
    ActionList<G::kMaxLegal> legal;
    self().legal(legal);
    return std::find(legal.begin(), legal.end(), action) != legal.end();
  }
};

/// The outcomes of a game of one player who tries to reach its end in few moves: i moves are left,
/// i < kMost, or kMost or more. A type of such a game inherits them.
template <std::size_t kMost>
struct MovesLeft {
  static_assert(kMost >= 1 && kMost < 255);

  static constexpr int kPlayerCount = 1;
  static constexpr std::array<float, kMost + 1> kOutcomeValues = [] {
    std::array<float, kMost + 1> values;
    for (std::size_t i = 0; i <= kMost; ++i) values[i] = 0.0f - static_cast<float>(i);
    return values;
  }();
  static constexpr std::array<std::uint8_t, kMost + 1> kOutcomeMirror = [] {
    std::array<std::uint8_t, kMost + 1> same;
    for (std::size_t i = 0; i <= kMost; ++i) same[i] = static_cast<std::uint8_t>(i);
    return same;
  }();
  static constexpr float kValueRange = kMost;
  /// A finished game.
  static constexpr std::uint8_t kSolved = 0, kUnsolved = kMost;

  /// Of a base without members, for types whose own comparison is defaulted.
  friend constexpr bool operator==(const MovesLeft&, const MovesLeft&) = default;
};

// -- Implementation.

namespace defaults_detail {

inline void append_hex(std::string& text, std::byte byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  text += kDigits[std::to_integer<unsigned>(byte) >> 4];
  text += kDigits[std::to_integer<unsigned>(byte) & 15];
}
/// The byte of two hexadecimal digits, in lower case; -1 for other characters.
inline int hex_byte(char high, char low) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  return digit(high) < 0 || digit(low) < 0 ? -1 : digit(high) * 16 + digit(low);
}
inline std::string checksum(std::span<const std::byte> bytes) {
  std::uint64_t sum = bytes.size();
  for (const std::byte byte : bytes) sum = mix(sum ^ std::to_integer<std::uint64_t>(byte));
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8)
    append_hex(text, static_cast<std::byte>(sum >> shift));
  return text;
}

}  // namespace defaults_detail

inline std::string text_of_bytes(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) defaults_detail::append_hex(text, byte);
  return text + '-' + defaults_detail::checksum(bytes);
}

inline bool read_bytes(std::string_view text, std::span<std::byte> bytes) {
  const std::size_t digits = 2 * bytes.size();
  if (text.size() != digits + 9 || text[digits] != '-') return false;
  std::string read;  // first here: `bytes` stays as it is on failure
  for (std::size_t i = 0; i < digits; i += 2) {
    const int byte = defaults_detail::hex_byte(text[i], text[i + 1]);
    if (byte < 0) return false;
    read += static_cast<char>(byte);
  }
  const auto as_bytes = std::as_bytes(std::span(read));
  if (defaults_detail::checksum(as_bytes) != text.substr(digits + 1)) return false;
  std::copy(as_bytes.begin(), as_bytes.end(), bytes.begin());
  return true;
}

inline Result<Action> read_action_number(std::string_view text) {
  Action action = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, action);
  if (error == std::errc() && rest == end) return action;
  return fail("not an action's number");
}

}  // namespace senet
