// Hosts' games for tests: built-in games under other names, and a race with dice.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "senet/own_game.hpp"

namespace senet {

/// The built-in game G as a host's game own_NAME, with a state that is kPadding bytes larger.
template <Game G, std::size_t kPadding = 0>
class Own : public G {
  static constexpr auto kLetters = [] {
    std::array<char, 4 + G::kName.size()> letters{'o', 'w', 'n', '_'};
    std::ranges::copy(G::kName, letters.begin() + 4);
    return letters;
  }();

 public:
  static constexpr std::string_view kName{kLetters.data(), kLetters.size()};

  Own() = default;
  explicit Own(const G& state) : G(state) {}
  static Result<Own> from_text(std::string_view text) {
    const Result<G> read = G::from_text(text);
    if (!read) return read.error();
    return Own(*read);
  }

 private:
  std::array<std::byte, kPadding> padding_{};
};

/// Each player has two runners with twelve squares to go. A die, which shows 1, 2 or 3 with
/// probability 3/6, 2/6 or 1/6, moves one of them. The player who first has both home wins: 1
/// point, 3 if the opponent has no runner home, 7 if none of them has passed the middle.
/// own_race_in_c.c is the same game in C.
///
/// An action is the square of the runner that moves, or the die minus one.
struct Race {
  static constexpr std::string_view kName = "race";
  static constexpr std::uint8_t kHome = 12;
  static constexpr std::size_t kMaxLegal = 2, kMaxPlies = 48, kMaxChance = 3;
  static constexpr std::size_t kFeatures = 2 * (kHome + 1) + 3, kMaxActive = 5;
  static constexpr std::size_t kPolicyLogits = kHome, kLogitsPerAction = 1;
  static constexpr std::array<float, 6> kOutcomeValues{1, 3, 7, -1, -3, -7};
  static constexpr std::array<std::uint8_t, 6> kOutcomeMirror{3, 4, 5, 0, 1, 2};
  static constexpr float kValueRange = 7;
  static constexpr bool kHasAfterstates = true;

  using Runners = std::array<std::uint8_t, 2>;  // squares, the runner that is behind first
  std::array<Runners, 2> runners{};
  std::uint8_t mover = 0;
  std::uint8_t die = 0;  // 0: about to roll

  bool is_home(Player player) const { return runners[player][0] == kHome; }
  Turn turn() const {
    if (is_home(0) || is_home(1)) return Turn::kOver;
    if (die == 0) return Turn::kChance;
    return mover == 0 ? Turn::kPlayer0 : Turn::kPlayer1;
  }
  Player viewer() const { return mover; }
  void legal(ActionList<kMaxLegal>& out) const {
    const auto [behind, ahead] = runners[mover];
    out.push_back(behind);
    if (ahead != behind && ahead < kHome) out.push_back(ahead);
  }
  std::size_t chance(std::span<float> p) const {
    p[0] = 3.0f / 6, p[1] = 2.0f / 6, p[2] = 1.0f / 6;
    return 3;
  }
  void play(Action action) {
    if (die == 0) {
      die = static_cast<std::uint8_t>(action + 1);
      return;
    }
    Runners& own = runners[mover];
    std::uint8_t& runner = own[action == own[0] ? 0 : 1];
    runner = std::min<std::uint8_t>(kHome, static_cast<std::uint8_t>(runner + die));
    std::ranges::sort(own);
    mover = other(mover);
    die = 0;
  }
  std::uint8_t outcome() const {
    const Player winner = is_home(0) ? 0 : 1;
    const auto [behind, ahead] = runners[other(winner)];
    const int worth = ahead == kHome ? 0 : ahead > kHome / 2 ? 1 : 2;
    return static_cast<std::uint8_t>(3 * winner + worth);
  }
  std::uint64_t key() const {
    std::uint64_t all = die * 2u + mover;
    for (const Runners& of : runners) all = (all * 16 + of[0]) * 16 + of[1];
    return mix(all);
  }
  void encode(FeatureRow& row) const {
    for (const Player player : {mover, other(mover)}) {
      const std::size_t first = player == mover ? 0 : kHome + 1;
      const auto [behind, ahead] = runners[player];
      row.add(first + behind, behind == ahead ? 2.0f : 1.0f);
      if (ahead != behind) row.add(first + ahead, 1);
    }
    if (die > 0) row.add(2 * (kHome + 1) + die - 1u, 1);
  }
  static std::array<std::uint16_t, 1> logits_of(Action action) { return {action}; }

  /// "aa bm 0 3": the runners' squares, a to m, the player and the die.
  std::string text() const {
    std::string text;
    for (const Runners& of : runners) {
      for (const std::uint8_t square : of) text += static_cast<char>('a' + square);
      text += ' ';
    }
    return text + static_cast<char>('0' + mover) + ' ' + static_cast<char>('0' + die);
  }
  static Result<Race> from_text(std::string_view text) {
    Race read;
    if (text.size() != 9) return fail("nine characters");
    for (std::size_t i = 0; i < 4; ++i) {
      read.runners[i / 2][i % 2] = static_cast<std::uint8_t>(text[i + i / 2] - 'a');
    }
    read.mover = static_cast<std::uint8_t>(text[6] - '0');
    read.die = static_cast<std::uint8_t>(text[8] - '0');
    for (const auto& [behind, ahead] : read.runners) {
      if (behind > ahead || ahead > kHome) return fail("squares must be a .. m and ascending");
    }
    const bool has_both = read.is_home(0) && read.is_home(1);
    if (has_both || read.mover > 1 || read.die > 3 || read.text() != text) {
      return fail("at most one winner, player 0 or 1, and a die 0 .. 3");
    }
    return read;
  }
  std::string action_text(Action action) const {
    return std::string(1, static_cast<char>((die == 0 ? '1' : 'a') + action));
  }
  Result<Action> action_from_text(std::string_view text) const {
    ActionList<kMaxLegal> moves;
    if (die > 0) legal(moves);
    for (Action action = 0; action < kHome; ++action) {
      const bool is_there = die == 0 ? action < 3 : std::ranges::count(moves, action) > 0;
      if (is_there && action_text(action) == text) return action;
    }
    return fail("no action here");
  }
};
static_assert(StochasticGame<Race> && api::TableSized<Race>);

/// The same game as a table of functions in C.
extern "C" senet_game_table race_in_c(void);

}  // namespace senet
