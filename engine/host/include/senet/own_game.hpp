// A game of yours as a C++ type: senet::api::add_game<MyGame>(engine), and the engine plays it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "senet/game_table.h"
#include "senet/senet.hpp"

namespace senet::api {

/// Where a game writes its legal moves, ascending.
class Moves {
 public:
  explicit Moves(senet_action* moves, std::uint32_t most) : moves_(moves), most_(most) {}
  /// What is more than kMaxLegal is not written, and refused by add_game.
  void push_back(senet_action move) {
    if (count_ < most_) moves_[count_] = move;
    ++count_;
  }
  std::uint32_t count() const { return count_; }

 private:
  senet_action* moves_;
  std::uint32_t most_, count_ = 0;
};

/// Where a game describes its position: features that are not 0.
class Features {
 public:
  Features(std::uint16_t* feature, float* value, std::uint32_t most)
      : feature_(feature), value_(value), most_(most) {}
  /// What is more than kMaxActive is not written, and refused by add_game; so is a feature that is
  /// not below kFeatures.
  void add(std::size_t feature, float value) {
    if (count_ < most_) {
      feature_[count_] = static_cast<std::uint16_t>(std::min(feature, kNone));
      value_[count_] = value;
    }
    ++count_;
  }
  std::uint32_t count() const { return count_; }

 private:
  // A number that no game has a feature for.
  static constexpr std::size_t kNone = SENET_MOST_FEATURES;
  static_assert(kNone == std::numeric_limits<std::uint16_t>::max());

  std::uint16_t* feature_;
  float* value_;
  std::uint32_t most_, count_ = 0;
};

template <auto kNumber, auto kMost>
concept OneTo = (kNumber >= 1) && (kNumber <= kMost);

/// A game as a value: the state of a game, which copying copies. A default-constructed one is the
/// start. What the constants and functions mean stands at senet_game_table's fields.
template <class G>
concept Game = std::is_trivially_copyable_v<G> && std::default_initializable<G> &&
                   sizeof(G) <= SENET_MOST_STATE
               && alignof(G) <= 16 &&
               requires(G g, const G& c, senet_action a, Moves& moves, Features& features,
                        std::string_view text) {
  { G::kName } -> std::convertible_to<std::string_view>;
  { G::kFeatures } -> std::convertible_to<std::uint32_t>;
  { G::kMaxActive } -> std::convertible_to<std::uint32_t>;
  { G::kActions } -> std::convertible_to<std::uint32_t>;
  { G::kMaxLegal } -> std::convertible_to<std::uint32_t>;
  requires OneTo<G::kFeatures, SENET_MOST_FEATURES>;
  requires OneTo<G::kMaxActive, SENET_MOST_ACTIVE>;
  requires OneTo<G::kActions, SENET_MOST_FEATURES>;
  requires OneTo<G::kMaxLegal, SENET_MOST_LEGAL>;
  { c.turn() } -> std::same_as<senet_turn>;
  c.legal(moves);
  g.play(a);
  { c.outcome() } -> std::convertible_to<std::uint32_t>;
  { c.key() } -> std::convertible_to<std::uint64_t>;
  c.encode(features);
  { c.text() } -> std::convertible_to<std::string>;
  { c.action_text(a) } -> std::convertible_to<std::string>;
  { G::from_text(text) } -> std::same_as<std::optional<G>>;
  { c.action_from_text(text) } -> std::same_as<std::optional<senet_action>>;
};

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

}  // namespace detail

/// The table of a game. A function that throws ends what was under way with SENET_INTERNAL.
template <Game G>
senet_game_table game_table() {
  using detail::game;
  senet_game_table table{};
  table.struct_size = static_cast<std::uint32_t>(sizeof table);
  table.state_size = static_cast<std::uint32_t>(sizeof(G));
  table.features = G::kFeatures;
  table.most_active = G::kMaxActive;
  table.actions = G::kActions;
  table.most_legal = G::kMaxLegal;
  table.name = detail::text(G::kName);
  table.start = [](void*, void* state) { ::new (state) G(); };
  table.turn = [](void*, const void* state) { return game<G>(state).turn(); };
  table.legal = [](void*, const void* state, senet_action* actions) {
    Moves moves(actions, G::kMaxLegal);
    game<G>(state).legal(moves);
    return moves.count();
  };
  table.play = [](void*, void* state, senet_action action) {
    static_cast<G*>(state)->play(action);
  };
  table.outcome = [](void*, const void* state) -> std::uint32_t {
    return game<G>(state).outcome();
  };
  table.key = [](void*, const void* state) -> std::uint64_t { return game<G>(state).key(); };
  table.encode = [](void*, const void* state, std::uint16_t* feature, float* value) {
    Features features(feature, value, G::kMaxActive);
    game<G>(state).encode(features);
    return features.count();
  };
  table.text = [](void*, const void* state, char* text, std::size_t room) {
    return detail::write(game<G>(state).text(), text, room);
  };
  table.action_text = [](void*, const void* state, senet_action action, char* text,
                         std::size_t room) {
    return detail::write(game<G>(state).action_text(action), text, room);
  };
  table.read = [](void*, senet_text text, void* state) -> std::int32_t {
    const std::optional<G> read = G::from_text(detail::view(text));
    if (read) ::new (state) G(*read);
    return read.has_value();
  };
  table.read_action = [](void*, const void* state, senet_text text,
                         senet_action* action) -> std::int32_t {
    const std::optional<senet_action> read = game<G>(state).action_from_text(detail::view(text));
    if (read) *action = *read;
    return read.has_value();
  };
  return table;
}

/// The engine knows the game G from now on, as G::kName.
template <Game G>
Result<void> try_add_game(Engine& engine) {
  const senet_game_table table = game_table<G>();
  senet_reason why{};
  const senet_status status = senet_engine_add_game(engine.handle(), &table, &why);
  return detail::answer(status, why);
}
template <Game G>
void add_game(Engine& engine) {
  try_add_game<G>(engine).value();
}

}  // namespace senet::api
