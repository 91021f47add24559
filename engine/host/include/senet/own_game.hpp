// Adds your own game, a C++ type, to an engine: senet::api::add_game<MyGame>(engine).
// MyGame satisfies the concept of senet/game.hpp, like the built-in games.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

#include "senet/game.hpp"
#include "senet/game_table.h"
#include "senet/senet.hpp"

namespace senet::api {

/// A game that keeps to the limits of game_table.h.
template <class G>
concept TableSized = Game<G> && sizeof(G) <= SENET_MOST_STATE &&
                     alignof(G) <= 16 && G::kFeatures >= 1 &&
                     G::kFeatures <= SENET_MOST_FEATURES&& G::kMaxActive >= 1 &&
                     G::kMaxActive <= SENET_MOST_ACTIVE&& G::kMaxLegal >= 1 &&
                     G::kMaxLegal <= SENET_MOST_LEGAL&& G::kPolicyLogits >= 1 &&
                     G::kPolicyLogits <= SENET_MOST_FEATURES&& G::kLogitsPerAction >= 1 &&
                     G::kLogitsPerAction
                         <= SENET_MOST_LOGITS&& kMaxChance<G> <= SENET_MOST_CHANCE&& kOutcomes<G> <=
                         (kMayHaveOnePlayer<G> ? SENET_MOST_MOVES_LEFT + 1 : SENET_MOST_OUTCOMES);

namespace detail {

template <class G>
const G& game(const void* state) {
  return *static_cast<const G*>(state);
}
inline std::size_t write(const std::string& words, char* text, std::size_t room) {
  std::memcpy(text, words.data(), std::min(words.size(), room));
  return words.size();
}
inline std::string_view view(senet_text text) { return {text.data, text.size}; }
template <std::size_t kCapacity>
std::uint32_t write(const ActionList<kCapacity>& list, senet_action* actions) {
  std::copy(list.begin(), list.end(), actions);
  return static_cast<std::uint32_t>(list.size());
}

}  // namespace detail

/// The table of functions of G. Several threads call them at once; an exception ends the searches
/// that it interrupts with SENET_INTERNAL. Outcome values are those of the start position, and must
/// be whole numbers; like everything else, add_game() checks that.
template <TableSized G>
senet_game_table game_table() {
  using detail::game;
  static const G start{};
  senet_game_table table{};
  table.struct_size = static_cast<std::uint32_t>(sizeof table);
  table.state_size = static_cast<std::uint32_t>(sizeof(G));
  table.features = static_cast<std::uint32_t>(G::kFeatures);
  table.most_active = static_cast<std::uint32_t>(G::kMaxActive);
  table.actions = 65536;
  table.most_legal = static_cast<std::uint32_t>(G::kMaxLegal);
  table.name = detail::text(G::kName);
  table.start = [](void*, void* state) { ::new (state) G(); };
  table.turn = [](void*, const void* state) {
    return static_cast<senet_turn>(game<G>(state).turn());
  };
  table.legal = [](void*, const void* state, senet_action* actions) {
    ActionList<G::kMaxLegal> legal;
    game<G>(state).legal(legal);
    return detail::write(legal, actions);
  };
  table.play = [](void*, void* state, senet_action action) {
    static_cast<G*>(state)->play(action);
  };
  table.outcome = [](void*, const void* state) -> std::uint32_t {
    return game<G>(state).outcome();
  };
  table.key = [](void*, const void* state) -> std::uint64_t { return game<G>(state).key(); };
  table.encode = [](void*, const void* state, std::uint16_t* feature, float* value) {
    // If G writes more than kMaxActive features, the surplus stays here, and add_game() refuses G.
    std::array<std::uint16_t, G::kMaxActive + 64> indices;
    std::array<float, G::kMaxActive + 64> values;
    FeatureRow row(indices.data(), values.data(), indices.size());
    game<G>(state).encode(row);
    const std::size_t count = std::min<std::size_t>(row.count(), G::kMaxActive);
    std::copy_n(indices.begin(), count, feature);
    std::copy_n(values.begin(), count, value);
    return static_cast<std::uint32_t>(row.count());
  };
  table.text = [](void*, const void* state, char* text, std::size_t room) {
    return detail::write(game<G>(state).text(), text, room);
  };
  table.action_text = [](void*, const void* state, senet_action action, char* text,
                         std::size_t room) {
    return detail::write(game<G>(state).action_text(action), text, room);
  };
  table.read = [](void*, senet_text text, void* state) -> std::int32_t {
    const Result<G> read = read_state(start, detail::view(text));
    if (read) ::new (state) G(*read);
    return read.has_value();
  };
  table.read_action = [](void*, const void* state, senet_text text,
                         senet_action* action) -> std::int32_t {
    const Result<Action> read = game<G>(state).action_from_text(detail::view(text));
    if (read) *action = *read;
    return read.has_value();
  };
  const auto values = outcome_values(start);
  table.outcomes = static_cast<std::uint32_t>(values.size());
  for (std::size_t i = 0; i < std::min<std::size_t>(values.size(), SENET_MOST_OUTCOMES); ++i) {
    // Fractions and values out of range become 127, which add_game() refuses.
    const bool is_whole = values[i] >= -7 && values[i] <= 7 &&
                          values[i] == static_cast<float>(static_cast<int>(values[i]));
    table.outcome_values[i] = is_whole ? static_cast<std::int8_t>(values[i]) : std::int8_t{127};
    table.outcome_mirror[i] = outcome_mirror(start)[i];
  }
  table.player_count = static_cast<std::uint32_t>(player_count(start));
  table.has_afterstates = has_afterstates(start);
  table.policy_logits = static_cast<std::uint32_t>(G::kPolicyLogits);
  table.logits_per_action = static_cast<std::uint32_t>(G::kLogitsPerAction);
  table.logits_of = [](void*, senet_action action, std::uint16_t* logits) {
    const auto numbers = start.logits_of(action);
    std::copy(numbers.begin(), numbers.end(), logits);
  };
  if constexpr (StochasticGame<G>) {
    table.most_chance = has_dice(start) ? static_cast<std::uint32_t>(G::kMaxChance) : 0;
    table.chance = [](void*, const void* state, float* probability) {
      std::array<float, G::kMaxChance> probabilities;
      const std::size_t count = game<G>(state).chance(probabilities);
      std::copy_n(probabilities.begin(), std::min<std::size_t>(count, G::kMaxChance), probability);
      return static_cast<std::uint32_t>(count);
    };
    table.viewer = [](void*, const void* state) -> std::uint32_t {
      return game<G>(state).viewer();
    };
  }
  if constexpr (MirrorGame<G>) {
    if (has_mirror(start)) {
      table.mirror = [](void*, void* state) {
        G& typed = *static_cast<G*>(state);
        typed = typed.mirrored();
      };
      table.mirror_action = [](void*, senet_action action) -> senet_action {
        return start.mirrored(action);
      };
    }
  }
  if constexpr (BinaryFeaturesGame<G>) {
    if (has_feature_bits(start)) {
      table.feature_bits = [](void*, const void* state, std::uint64_t* words) {
        std::ranges::copy(game<G>(state).feature_bits(), words);
      };
    }
  }
  if constexpr (ScrambledGame<G>) {
    if (has_scrambles(start)) {
      table.solved = [](void*, void* state) { ::new (state) G(start.solved()); };
      table.as_start = [](void*, void* state) {
        G& typed = *static_cast<G*>(state);
        typed = typed.as_start();
      };
    }
  }
  if constexpr (SoundMovesGame<G>) {
    if (has_sound_moves(start)) {
      table.sound = [](void*, const void* state, senet_action* actions) {
        ActionList<G::kMaxLegal> sound;
        game<G>(state).sound(sound);
        return detail::write(sound, actions);
      };
    }
  }
  return table;
}

/// The game G for `senet --game-library` (senet/game_table.h), in one line of a shared object:
///   const senet_game_library senet_exported_game = senet::api::game_library<MyGame>("visits 50");
/// `recipe` outlives it. Compile the object with -fvisibility=hidden: otherwise the loader merges
/// the constants of types that have the same name in several objects.
template <TableSized G>
senet_game_library game_library(const char* recipe = nullptr) {
  static const senet_game_table table = game_table<G>();
  return {static_cast<std::uint32_t>(sizeof(senet_game_library)), SENET_GAME_LIBRARY_VERSION,
          &table, recipe};
}

/// Adds the game G to the engine, as G::kName (senet_engine_add_game).
template <TableSized G>
Result<void> try_add_game(Engine& engine) {
  const senet_game_table table = game_table<G>();
  return detail::call(senet_engine_add_game, engine.handle(), &table);
}
template <TableSized G>
void add_game(Engine& engine) {
  try_add_game<G>(engine).value();
}

}  // namespace senet::api
