// A game that is only known when the program runs: a host's table of functions, as a Game.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "nn/network_spec.hpp"
#include "senet/game.hpp"
#include "senet/game_table.h"

namespace senet {

/// A host's table, whole, with a name of its own. What the host left 0 is filled in: three ways to
/// end, and a logit for each action.
struct GameTable {
  explicit GameTable(const senet_game_table& table);

  std::string name;
  senet_game_table functions;  // its name is the host's: not to be read
  std::array<float, SENET_MOST_OUTCOMES> outcome_values{};
  float value_range = 0;

  /// The reference network's shape for it.
  NetworkSpec spec() const;
};

/// Bytes of a position's or a move's text.
inline constexpr std::size_t kMostTableText = std::size_t{1} << 16;

/// A state of up to kBytes bytes with the table that understands it. A wide game is one of many
/// legal moves or of several logits an action, whose searches need more memory. What a table says
/// is taken for true but where that would harm us: numbers out of range are left out.
template <std::size_t kBytes, bool kIsWide>
class TableGame {
 public:
  static constexpr std::string_view kName = "a host's game";
  static constexpr std::size_t kMaxLegal = kIsWide ? SENET_MOST_LEGAL : 1024;
  static constexpr std::size_t kMaxPlies = 0xffff;
  static constexpr std::size_t kMaxChance = SENET_MOST_CHANCE;
  static constexpr std::size_t kFeatures = SENET_MOST_FEATURES;
  static constexpr std::size_t kMaxActive = SENET_MOST_FEATURES;
  static constexpr std::size_t kPolicyLogits = SENET_MOST_FEATURES;
  static constexpr std::size_t kLogitsPerAction = kIsWide ? SENET_MOST_LOGITS : 1;
  static constexpr std::size_t kMostOutcomes = SENET_MOST_OUTCOMES;
  static constexpr bool kHasAfterstates = true;

  /// Whether states of the table's game are of this type.
  static bool has_room_for(const GameTable& table) {
    return table.functions.state_size <= kBytes && table.functions.most_legal <= kMaxLegal &&
           table.functions.logits_per_action <= kLogitsPerAction;
  }

  /// Of no game: only to be assigned to.
  TableGame() = default;
  /// The start. `table`, which this type has room for, outlives all states.
  explicit TableGame(const GameTable& table) : table_(&table) {
    functions().start(user(), bytes_.data());
  }

  std::span<const float> outcome_values() const {
    return {table_->outcome_values.data(), functions().outcomes};
  }
  std::span<const std::uint8_t> outcome_mirror() const {
    return {functions().outcome_mirror, functions().outcomes};
  }
  float value_range() const { return table_->value_range; }
  std::size_t most_legal() const { return functions().most_legal; }
  std::size_t most_chance() const { return functions().most_chance; }
  bool has_dice() const { return functions().most_chance > 0; }
  bool has_afterstates() const { return functions().has_afterstates != 0; }
  bool has_sound_moves() const { return functions().sound != nullptr; }

  Turn turn() const {
    const senet_turn turn = functions().turn(user(), bytes_.data());
    if (turn == SENET_PLAYER_0) return Turn::kPlayer0;
    if (turn == SENET_PLAYER_1) return Turn::kPlayer1;
    return turn == SENET_CHANCE && has_dice() ? Turn::kChance : Turn::kOver;
  }
  Player viewer() const {
    const Turn now = turn();
    if (now == Turn::kChance) return functions().viewer(user(), bytes_.data()) == 1 ? 1 : 0;
    return now == Turn::kPlayer1 ? 1 : 0;
  }
  void legal(ActionList<kMaxLegal>& out) const { list(functions().legal, out); }
  void sound(ActionList<kMaxLegal>& out) const { list(functions().sound, out); }
  /// Outcomes all as likely, where the host's numbers are no distribution.
  std::size_t chance(std::span<float> probability) const {
    std::array<float, kMaxChance> said{};
    const std::uint32_t count = std::clamp(functions().chance(user(), bytes_.data(), said.data()),
                                           1u, functions().most_chance);
    const bool are_positive =
        std::all_of(said.begin(), said.begin() + count, [](float p) { return p > 0 && p <= 1; });
    for (std::uint32_t i = 0; i < count; ++i) {
      probability[i] = are_positive ? said[i] : 1 / static_cast<float>(count);
    }
    return count;
  }
  void play(Action action) { functions().play(user(), bytes_.data(), action); }
  std::uint8_t outcome() const {
    return static_cast<std::uint8_t>(
        std::min(functions().outcome(user(), bytes_.data()), functions().outcomes - 1));
  }
  std::uint64_t key() const { return functions().key(user(), bytes_.data()); }
  void encode(FeatureRow& row) const {
    std::array<std::uint16_t, kMostActive> feature;
    std::array<float, kMostActive> value;
    // What the host counts and does not write is no feature.
    std::fill_n(feature.begin(), functions().most_active, std::uint16_t{SENET_MOST_FEATURES});
    const std::uint32_t count =
        functions().encode(user(), bytes_.data(), feature.data(), value.data());
    for (std::uint32_t i = 0; i < std::min(count, functions().most_active); ++i) {
      if (feature[i] < functions().features && std::isfinite(value[i]))
        row.add(feature[i], value[i]);
    }
  }
  std::array<std::uint16_t, kLogitsPerAction> logits_of(Action action) const {
    std::array<std::uint16_t, kLogitsPerAction> logits;
    logits.fill(kNoLogit);
    if (functions().logits_of == nullptr) {
      logits[0] = action;
      return logits;
    }
    functions().logits_of(user(), action, logits.data());
    for (std::uint16_t& logit : logits) {
      if (logit >= functions().policy_logits) logit = kNoLogit;
    }
    if (logits[0] == kNoLogit) logits[0] = 0;
    return logits;
  }

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
  /// Needs a state: see other_from_text.
  static Result<TableGame> from_text(std::string_view) { return fail("of which game?"); }
  Result<TableGame> other_from_text(std::string_view text) const {
    TableGame other(*table_);
    if (functions().read(user(), {text.data(), text.size()}, other.bytes_.data())) return other;
    return fail(std::string(1, '"').append(text) + "\" is no position of " + table_->name);
  }

 private:
  static constexpr std::size_t kMostActive = SENET_MOST_ACTIVE;

  const senet_game_table& functions() const { return table_->functions; }
  void* user() const { return table_->functions.user; }
  /// What the host's function lists, of actions that there are; never nothing.
  void list(std::uint32_t (*function)(void*, const void*, senet_action*),
            ActionList<kMaxLegal>& out) const {
    out.resize(functions().most_legal);
    std::fill(out.begin(), out.end(), Action{0});
    const std::size_t count = function(user(), bytes_.data(), out.data());
    out.resize(std::min(count, out.size()));
    const auto unknown = [&](Action action) { return action >= functions().actions; };
    out.resize(
        static_cast<std::size_t>(std::remove_if(out.begin(), out.end(), unknown) - out.begin()));
    if (out.empty()) out.push_back(0);
  }
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

inline constexpr std::size_t kSmallState = 112;
static_assert(sizeof(TableGame<kSmallState, false>) == 128);
static_assert(StochasticGame<TableGame<kSmallState, false>> &&
              SoundMovesGame<TableGame<SENET_MOST_STATE, true>>);

}  // namespace senet
