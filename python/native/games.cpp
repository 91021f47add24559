// senet.games(), senet.Game and senet.State: the rules of a game, one position at a time.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "games/any_game.hpp"
#include "games/perft.hpp"
#include "python/native/arrays.hpp"
#include "python/native/env_table.hpp"
#include "python/native/module.hpp"

namespace senet::python {
namespace {

using namespace nb::literals;

AnyState state_of(const AnyGame& game, const std::optional<std::string>& text) {
  return text ? value_or_raise(AnyState::from_text(game, *text)) : AnyState(game);
}

std::vector<float> floats(std::span<const float> values) { return {values.begin(), values.end()}; }

nb::tuple tuple_of(std::span<const float> values) { return nb::tuple(nb::cast(floats(values))); }

/// Counts without the interpreter lock. Looks for signals, such as Ctrl-C, ten times a second.
std::uint64_t perft(const GameHandle& game, int depth, const std::optional<std::string>& text,
                    bool by_chance) {
  if (depth < 0) raise_value_error("depth must be at least 0");
  const AnyState state = text ? state_of(*game.any, text) : game.any->perft_start(*game.any);
  using Clock = std::chrono::steady_clock;
  std::optional<Leaves> leaves;
  {
    nb::gil_scoped_release unlocked;
    Clock::time_point next = Clock::now() + std::chrono::milliseconds(100);
    leaves = game.any->perft(state.bytes(), depth, [&next] {
      const Clock::time_point now = Clock::now();
      if (now < next) return true;
      next = now + std::chrono::milliseconds(100);
      nb::gil_scoped_acquire locked;
      return PyErr_CheckSignals() == 0;
    });
  }
  if (!leaves) throw nb::python_error();
  return by_chance ? leaves->by_chance : leaves->each_once;
}

std::vector<Action> legal_actions(const AnyState& state) {
  std::vector<Action> legal;
  state.legal(legal);
  return legal;
}

std::vector<float> roll_chances(const AnyState& state) {
  std::vector<float> chances;
  state.chance(chances);
  return chances;
}

struct Features {
  std::vector<std::uint16_t> indices;
  std::vector<float> values;
};

Features features_of(const AnyState& state) {
  if (state.turn() == Turn::kOver) raise_value_error("a finished position has no features");
  const std::size_t room = state.game().most_active;
  Features features{std::vector<std::uint16_t>(room), std::vector<float>(room)};
  const std::size_t count =
      table_for<EnvTable>(state.game()).encode(state.bytes(), features.indices, features.values);
  features.indices.resize(count);
  features.values.resize(count);
  return features;
}

std::vector<float> dense_features(const AnyState& state) {
  const Features features = features_of(state);
  std::vector<float> dense(state.game().features);
  for (std::size_t i = 0; i < features.indices.size(); ++i) {
    dense[features.indices[i]] = features.values[i];
  }
  return dense;
}

void bind_game(nb::module_& module) {
  nb::class_<GameHandle>(module, "Game", R"(The rules of a game and its numbers.

Args:
    name: one of senet.games().

Raises:
    ValueError: unknown name. The message lists the known games.)")
      .def(
          "__init__",
          [](GameHandle* self, std::string_view name) { new (self) GameHandle{&game_named(name)}; },
          "name"_a)
      .def_prop_ro("name", [](const GameHandle& game) { return std::string(game.any->name); })
      .def_prop_ro(
          "features", [](const GameHandle& game) { return game.any->features; },
          "Width of the network's input.")
      .def_prop_ro(
          "most_active", [](const GameHandle& game) { return game.any->most_active; },
          "Maximum number of features of a position that are not zero.")
      .def_prop_ro(
          "policy_logits", [](const GameHandle& game) { return game.any->policy_logits; },
          "Width of the network's policy head.")
      .def_prop_ro(
          "most_legal", [](const GameHandle& game) { return game.any->most_legal; },
          "Maximum number of legal actions of a position.")
      .def_prop_ro(
          "most_chance", [](const GameHandle& game) { return game.any->most_chance; },
          "Maximum number of outcomes of a chance turn; 0 without dice.")
      .def_prop_ro(
          "outcome_values",
          [](const GameHandle& game) { return tuple_of(game.any->outcome_values); },
          nb::sig("def outcome_values(self) -> tuple[float, ...]"),
          "The value of each outcome of a game for one player, in points.")
      .def_prop_ro(
          "outcome_mirror",
          [](const GameHandle& game) {
            return nb::tuple(nb::cast(std::vector<int>(game.any->outcome_mirror.begin(),
                                                       game.any->outcome_mirror.end())));
          },
          nb::sig("def outcome_mirror(self) -> tuple[int, ...]"),
          "The index of each outcome from the other player's view.")
      .def_prop_ro(
          "value_range", [](const GameHandle& game) { return game.any->value_range; },
          "Maximum magnitude of a value, in points.")
      .def_prop_ro(
          "player_count", [](const GameHandle& game) { return game.any->player_count; },
          "1 or 2. With one, outcome i means that i moves are left, and its value is -i.")
      .def_prop_ro("has_dice", [](const GameHandle& game) { return game.any->has_dice; })
      .def_prop_ro(
          "has_afterstates", [](const GameHandle& game) { return game.any->has_afterstates; },
          "Whether networks can evaluate the positions that the legal actions lead to.")
      .def_prop_ro(
          "start", [](const GameHandle& game) { return AnyState(*game.any).text(); },
          "The start position as text.")
      .def(
          "state",
          [](const GameHandle& game, const std::optional<std::string>& text) {
            return state_of(*game.any, text);
          },
          "text"_a = nb::none(), R"(A position, by default the start.

Raises:
    ValueError: the text is not a position of the game. The message gives the reason.)")
      .def("perft", &perft, "depth"_a, "text"_a = nb::none(), nb::kw_only(), "by_chance"_a = false,
           R"(Number of ways to play exactly `depth` moves.

Only players' moves count towards the depth. A roll before a move multiplies the number of ways.

Args:
    depth: at least 0.
    text: position to start from. Default: the start before any roll.
    by_chance: in a game with dice, weight every roll by its probability, so that the least likely
        roll of a turn has weight 1. Otherwise every roll has weight 1.

Releases the interpreter lock; Ctrl-C stops it.

Raises:
    ValueError: negative depth, or the text is not a position of the game.)")
      .def("__repr__",
           [](const GameHandle& game) {
             return "senet.Game('" + std::string(game.any->name) + "')";
           })
      .def("__eq__",
           [](const GameHandle& game, nb::handle other) {
             return nb::isinstance<GameHandle>(other) &&
                    nb::cast<const GameHandle&>(other).any == game.any;
           })
      .def("__hash__", [](const GameHandle& game) { return std::hash<const void*>()(game.any); })
      .def("__reduce__", [](nb::handle self) {
        return nb::make_tuple(self.type(),
                              nb::make_tuple(nb::cast<const GameHandle&>(self).any->name));
      });
}

void bind_state(nb::module_& module) {
  nb::enum_<Turn>(module, "Turn", "Whose turn it is.")
      .value("PLAYER_0", Turn::kPlayer0)
      .value("PLAYER_1", Turn::kPlayer1)
      .value("CHANCE", Turn::kChance, "The dice are about to be rolled.")
      .value("OVER", Turn::kOver, "The game has ended.");

  nb::class_<AnyState>(module, "State", R"(A position of a game, for walking through games by hand.

play() changes it; copy() makes an independent one. Two states are equal if they are the same
position of the same game; put `key` in sets and dictionaries. For many games at
once, VecEnv is far faster.

Args:
    game: the name of a game.
    text: a position in the game's notation. Default: the start.

Raises:
    ValueError: unknown game, or the text is not a position of the game.)")
      .def(
          "__init__",
          [](AnyState* self, std::string_view game, const std::optional<std::string>& text) {
            new (self) AnyState(state_of(game_named(game), text));
          },
          "game"_a, "text"_a = nb::none())
      .def_prop_ro("game", [](const AnyState& state) { return GameHandle{&state.game()}; })
      .def_prop_ro("text", &AnyState::text, "The position in the game's notation.")
      .def_prop_ro("turn", &AnyState::turn)
      .def_prop_ro("is_over", [](const AnyState& state) { return state.turn() == Turn::kOver; })
      .def_prop_ro(
          "player", [](const AnyState& state) { return int{state.viewer()}; },
          "The player to move or, on a chance turn, the player about to roll: 0 or 1.")
      .def_prop_ro(
          "key",
          [](const AnyState& state) {
            return table_for<EnvTable>(state.game()).key(state.bytes());
          },
          "A 64-bit number that is equal for equal positions, and different for different ones "
          "except for rare collisions.")
      .def_prop_ro(
          "outcome",
          [](const AnyState& state) -> std::optional<int> {
            if (state.turn() != Turn::kOver) return std::nullopt;
            return state.outcome();
          },
          "Index into Game.outcome_values from player 0's view; None until the game has ended.")
      .def(
          "value",
          [](const AnyState& state, int player) {
            if (player != 0 && player != 1) raise_value_error("player must be 0 or 1");
            if (state.turn() != Turn::kOver) raise_value_error("the game has not ended");
            return final_value(state, static_cast<Player>(player));
          },
          "player"_a, R"(The points of a finished game for a player.

Raises:
    ValueError: the game has not ended, or player is neither 0 nor 1.)")
      .def("legal", &legal_actions,
           "The legal actions, ascending. Empty on a chance turn and in a finished game.")
      .def("chances", &roll_chances,
           "The probability of each outcome of a chance turn, by action; otherwise empty.")
      .def(
          "play",
          [](AnyState& state, std::int64_t action) {
            check_action(state, action);
            state.play(static_cast<Action>(action));
          },
          "action"_a, R"(Plays a legal action or, on a chance turn, one of its outcomes.

Raises:
    ValueError: the action is not legal. The position is then unchanged.)")
      .def(
          "action_text",
          [](const AnyState& state, std::int64_t action) {
            check_action(state, action);
            return value_or_raise(state.try_action_text(static_cast<Action>(action)));
          },
          "action"_a, R"(A legal action, or an outcome of a chance turn, in the game's notation.

Raises:
    ValueError: the action is not legal.)")
      .def(
          "action_from_text",
          [](const AnyState& state, std::string_view text) {
            return value_or_raise(state.action_from_text(text));
          },
          "text"_a, R"(The legal action that a text names.

Raises:
    ValueError: the text names no legal action. The message gives the reason.)")
      .def(
          "features",
          [](const AnyState& state) {
            std::vector<float> dense = dense_features(state);
            const std::size_t size = dense.size();
            return array_of(std::move(dense), size);
          },
          R"(The network's input, from the view of `player`: a new array [Game.features] f32.

Raises:
    ValueError: the game has ended.)")
      .def(
          "sparse_features",
          [](const AnyState& state) {
            Features features = features_of(state);
            const std::size_t count = features.indices.size();
            return std::tuple(array_of(std::move(features.indices), count),
                              array_of(std::move(features.values), count));
          },
          R"(The features that are not zero: indices [count] u16 and values [count] f32, new arrays.

Raises:
    ValueError: the game has ended.)")
      .def("drawing", &AnyState::drawing, "The board as lines of text for people.")
      .def("copy", [](const AnyState& state) { return state; })
      .def("__copy__", [](const AnyState& state) { return state; })
      .def(
          "__deepcopy__", [](const AnyState& state, nb::handle) { return state; }, "memo"_a)
      .def("__str__", &AnyState::text)
      .def("__repr__",
           [](const AnyState& state) {
             return "senet.State('" + std::string(state.game().name) + "', '" + state.text() + "')";
           })
      .def("__eq__",
           [](const AnyState& state, nb::handle other) {
             if (!nb::isinstance<AnyState>(other)) return false;
             const auto& second = nb::cast<const AnyState&>(other);
             const auto key = table_for<EnvTable>(state.game()).key;
             return &state.game() == &second.game() && key(state.bytes()) == key(second.bytes());
           })
      .def("__reduce__", [](nb::handle self) {
        const auto& state = nb::cast<const AnyState&>(self);
        return nb::make_tuple(self.type(),
                              nb::make_tuple(state.game().name, value_or_raise(state.try_text())));
      });
  // play() changes a state; its key serves sets and dictionaries.
  module.attr("State").attr("__hash__") = nb::none();
}

}  // namespace

void check_action(const AnyState& state, std::int64_t action) {
  bool is_legal = false;
  if (state.turn() == Turn::kChance) {
    is_legal = action >= 0 && action < static_cast<std::int64_t>(roll_chances(state).size());
  } else if (action >= 0 && action <= 0xffff) {
    const std::vector<Action> legal = legal_actions(state);
    is_legal = std::ranges::binary_search(legal, static_cast<Action>(action));
  }
  if (!is_legal) {
    raise_value_error("action " + std::to_string(action) + " is not legal in " + state.text());
  }
}

void bind_games(nb::module_& module) {
  module.def(
      "games",
      [] {
        std::vector<std::string> names;
        for (const AnyGame* const game : known_games().all()) names.emplace_back(game->name);
        return names;
      },
      "The names of the games.");
  bind_game(module);
  bind_state(module);
}

}  // namespace senet::python
