// A game that is only known when the program runs: a host's table of functions, as a Game.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "nn/network_spec.hpp"
#include "senet/game.hpp"
#include "senet/game_table.h"

namespace senet {

/// A host's table, whole, with a name of its own.
struct GameTable {
  std::string name;
  senet_game_table functions;

  /// The reference network's shape for it.
  NetworkSpec spec() const;
};

/// Bytes of a position's or a move's text.
inline constexpr std::size_t kMostTableText = std::size_t{1} << 16;

/// A state of up to kBytes bytes with the table that understands it. What a table says is taken for
/// true but where that would harm us: numbers out of range are left out.
template <std::size_t kBytes>
class TableGame {
 public:
  static constexpr std::string_view kName = "a host's game";
  static constexpr std::size_t kMaxLegal = SENET_MOST_LEGAL;
  static constexpr std::size_t kMaxPlies = 0xffff;
  static constexpr std::size_t kFeatures = 0xffff;
  static constexpr std::size_t kMaxActive = 0xffff;
  static constexpr std::size_t kPolicyLogits = 0xffff;
  static constexpr std::size_t kLogitsPerAction = 1;
  static constexpr std::array<float, 3> kOutcomeValues = {1.0f, 0.0f, -1.0f};
  static constexpr std::array<std::uint8_t, 3> kOutcomeMirror = {2, 1, 0};
  static constexpr float kValueRange = 1.0f;
  static constexpr bool kHasAfterstates = false;

  /// Of no game: only to be assigned to.
  TableGame() = default;
  /// The start. `table`, whose states have at most kBytes, outlives all states.
  explicit TableGame(const GameTable& table) : table_(&table) {
    functions().start(user(), bytes_.data());
  }

  Turn turn() const {
    const senet_turn turn = functions().turn(user(), bytes_.data());
    if (turn == SENET_PLAYER_0) return Turn::kPlayer0;
    return turn == SENET_PLAYER_1 ? Turn::kPlayer1 : Turn::kOver;
  }
  Player viewer() const { return turn() == Turn::kPlayer1 ? 1 : 0; }
  void legal(ActionList<kMaxLegal>& out) const {
    out.resize(functions().most_legal);
    const std::size_t count = functions().legal(user(), bytes_.data(), out.data());
    out.resize(std::min(count, out.size()));
    const auto unknown = [&](Action action) { return action >= functions().actions; };
    out.resize(
        static_cast<std::size_t>(std::remove_if(out.begin(), out.end(), unknown) - out.begin()));
    if (out.empty()) out.push_back(0);
  }
  void play(Action action) { functions().play(user(), bytes_.data(), action); }
  std::uint8_t outcome() const {
    return static_cast<std::uint8_t>(std::min(functions().outcome(user(), bytes_.data()), 2u));
  }
  std::uint64_t key() const { return functions().key(user(), bytes_.data()); }
  void encode(FeatureRow& row) const {
    std::array<std::uint16_t, kMostActive> feature;
    std::array<float, kMostActive> value;
    const std::uint32_t count =
        functions().encode(user(), bytes_.data(), feature.data(), value.data());
    for (std::uint32_t i = 0; i < std::min(count, functions().most_active); ++i) {
      if (feature[i] < functions().features && std::isfinite(value[i]))
        row.add(feature[i], value[i]);
    }
  }
  static std::array<std::uint16_t, 1> logits_of(Action action) { return {action}; }

  /// Errors when the host's function does not come to an end.
  Result<std::string> try_text() const {
    return written("text", [&](char* text, std::size_t room) {
      return functions().text(user(), bytes_.data(), text, room);
    });
  }
  Result<std::string> try_action_text(Action action) const {
    return written("action_text", [&](char* text, std::size_t room) {
      return functions().action_text(user(), bytes_.data(), action, text, room);
    });
  }
  /// The same for people: what is wrong takes its place.
  std::string text() const { return or_trouble(try_text()); }
  std::string action_text(Action action) const { return or_trouble(try_action_text(action)); }
  Result<Action> action_from_text(std::string_view text) const {
    Action action = 0;
    if (functions().read_action(user(), bytes_.data(), {text.data(), text.size()}, &action)) {
      return action;
    }
    return fail(std::string(1, '"').append(text) + "\" is no move of " + table_->name + " here");
  }
  /// Needs a state: see read_position.
  static Result<TableGame> from_text(std::string_view) { return fail("of which game?"); }
  /// Another state of the same game; the start from no text.
  Result<TableGame> other_from_text(std::string_view text) const {
    TableGame other(*table_);
    if (text.empty() || functions().read(user(), {text.data(), text.size()}, other.bytes_.data())) {
      return other;
    }
    return fail(std::string(1, '"').append(text) + "\" is no position of " + table_->name);
  }

 private:
  static constexpr std::size_t kMostActive = SENET_MOST_ACTIVE;

  const senet_game_table& functions() const { return table_->functions; }
  void* user() const { return table_->functions.user; }
  static std::string or_trouble(Result<std::string> text) {
    return text ? std::move(*text) : std::move(text.error().reason());
  }
  template <class Write>
  Result<std::string> written(std::string_view function, Write&& write) const {
    std::string text(255, '\0');
    for (int tries = 0; tries < 2; ++tries) {
      const std::size_t size = write(text.data(), text.size());
      const bool fits = size <= text.size();
      if (!fits && size > kMostTableText) {
        return fail(table_->name + ": " + std::string(function) + ": " + std::to_string(size) +
                    " bytes, more than " + std::to_string(kMostTableText));
      }
      text.resize(size);
      if (fits) return text;
    }
    return fail(table_->name + ": " + std::string(function) + ": longer each time it is written");
  }

  alignas(16) std::array<std::byte, kBytes> bytes_;
  const GameTable* table_ = nullptr;
};

using SmallTableGame = TableGame<112>;
using LargeTableGame = TableGame<SENET_MOST_STATE>;
static_assert(Game<SmallTableGame> && Game<LargeTableGame>);

/// A position of the game that `state` is of.
template <Game G>
Result<G> read_position(const G& state, std::string_view text) {
  static_cast<void>(state);
  if (text.empty()) return G{};
  return G::from_text(text);
}
template <std::size_t kBytes>
Result<TableGame<kBytes>> read_position(const TableGame<kBytes>& state, std::string_view text) {
  return state.other_from_text(text);
}

/// Texts of any game, which only a host's game can fail to write.
template <Game G>
Result<std::string> write_position(const G& state) {
  if constexpr (requires { state.try_text(); }) {
    return state.try_text();
  } else {
    return state.text();
  }
}
template <Game G>
Result<std::string> write_action(const G& state, Action action) {
  if constexpr (requires { state.try_action_text(action); }) {
    return state.try_action_text(action);
  } else {
    return state.action_text(action);
  }
}

}  // namespace senet
