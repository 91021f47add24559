// senet.load_game() and senet.add_game(): games from shared objects and games written in Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/host/game_object.hpp"
#include "games/kit.hpp"
#include "python/native/env_table_of.hpp"
#include "python/native/module.hpp"
#include "python/native/record_table_of.hpp"
#include "python/native/search_table_of.hpp"

namespace senet::python {
namespace {

using namespace nb::literals;

/// A game and the tables of this package. Never moves. `Owner` has a member `table`.
template <class Owner>
class OwnGame final : public OwnTables {
 public:
  OwnGame(Owner owner, std::string file) : owner_(std::move(owner)), file_(std::move(file)) {
    // Two types are enough here: each takes a minute to compile.
    using Small = TableGame<kSmallState, false>;
    if (Small::has_room_for(owner_.table)) {
      make<Small>();
      return;
    }
    make<TableGame<SENET_MOST_STATE, true>>();
  }
  OwnGame(const OwnGame&) = delete;
  OwnGame& operator=(const OwnGame&) = delete;

  const AnyGame& game() const override { return game_; }
  std::string_view file() const override { return file_; }
  const void* table(const std::type_info& type) const override {
    if (type == typeid(EnvTable)) return &env_;
    if (type == typeid(SearchTable)) return &search_;
    if (type == typeid(RecordTable)) return &record_;
    return nullptr;
  }

 private:
  template <Game G>
  void make() {
    game_ = AnyGame::of(*::new (start_.data()) G(owner_.table));
    game_.own_tables = this;
    env_ = EnvTable::of<G>();
    search_ = SearchTable::of<G>();
    record_ = RecordTable::of<G>();
  }

  const Owner owner_;
  const std::string file_;
  alignas(AnyState::kAlignment) std::array<std::byte, AnyState::kRoom> start_;
  AnyGame game_{};
  EnvTable env_{};
  SearchTable search_{};
  RecordTable record_{};
};

template <class Owner>
std::string add(Owner owner, const std::string& file) {
  auto game = std::make_unique<const OwnGame<Owner>>(std::move(owner), file);
  std::string name(game->game().name);
  value_or_raise(known_games().add(std::move(game)));
  return name;
}

std::string load_game(const std::filesystem::path& file) {
  auto object = value_or_raise(GameObject::open(file.string()));
  const std::string name = object.file;
  return add(std::move(object), name);
}

// -- Games written in Python.

/// A state in the table's bytes:
///
///   0        4
///   +--------+-------------------------------+------------------+
///   | length | the value as marshal writes it | zeros            |
///   +--------+-------------------------------+------------------+
///
/// Version 2 of marshal has no references, so the same value always has the same bytes. Equal
/// values of different types, such as 1 and True, do not.
constexpr int kMarshal = 2;
constexpr std::size_t kLength = 4;

/// The object's methods, found once, and what the game's numbers are. The table's `user`.
struct PythonRules {
  nb::object start, turn, legal, play, outcome, encode, chance, viewer;
  nb::object dumps, loads, literal;  // marshal.dumps, marshal.loads, ast.literal_eval
  std::size_t state_bytes = 0, features = 0, most_active = 0, actions = 0, most_legal = 0,
              most_chance = 0;
};

const PythonRules& rules_of(void* user) { return *static_cast<const PythonRules*>(user); }

[[noreturn]] void wrong(const char* method, const std::string& what) {
  raise_value_error(std::string(method) + ": " + what);
}

void write_state(const PythonRules& rules, const char* method, const nb::object& value, void* to) {
  const auto bytes = nb::cast<nb::bytes>(rules.dumps(value, kMarshal));
  const std::size_t size = bytes.size();
  if (size + kLength > rules.state_bytes) {
    wrong(method, "the state takes " + std::to_string(size) + " bytes: state_bytes is " +
                      std::to_string(rules.state_bytes - kLength));
  }
  std::memset(to, 0, rules.state_bytes);
  const auto length = static_cast<std::uint32_t>(size);
  std::memcpy(to, &length, kLength);
  std::memcpy(static_cast<std::byte*>(to) + kLength, bytes.c_str(), size);
}

nb::object read_state(const PythonRules& rules, const void* state) {
  std::uint32_t length;
  std::memcpy(&length, state, kLength);
  length = std::min<std::uint32_t>(length, static_cast<std::uint32_t>(rules.state_bytes - kLength));
  const auto* const bytes = static_cast<const char*>(state) + kLength;
  return rules.loads(nb::bytes(bytes, length));
}

/// What a method returned, as a T.
template <class T>
T returned(const char* method, const nb::object& value) {
  T typed;
  if (!nb::try_cast(value, typed)) {
    wrong(method, "it returned " + nb::cast<std::string>(nb::repr(value)));
  }
  return typed;
}

template <class T>
std::uint32_t copy(const char* method, const nb::object& value, std::size_t most, T* to) {
  const auto items = returned<std::vector<T>>(method, value);
  if (items.size() > most) {
    wrong(method, "it returned " + std::to_string(items.size()) + " items, more than " +
                      std::to_string(most));
  }
  std::ranges::copy(items, to);
  return static_cast<std::uint32_t>(items.size());
}

/// The features that a method returned: a list of indices, a dictionary of indices and values, or a
/// sequence of `features` numbers.
std::uint32_t write_features(const PythonRules& rules, const nb::object& value,
                             std::uint16_t* feature, float* number) {
  std::uint32_t count = 0;
  const auto add = [&](std::size_t index, float amount) {
    if (index >= rules.features) {
      wrong("encode", "feature " + std::to_string(index) + " is not below features");
    }
    if (count == rules.most_active) wrong("encode", "more features than most_active");
    feature[count] = static_cast<std::uint16_t>(index);
    number[count++] = amount;
  };
  if (nb::isinstance<nb::dict>(value)) {
    for (const auto& [index, amount] : nb::cast<nb::dict>(value)) {
      add(returned<std::size_t>("encode", nb::borrow(index)),
          returned<float>("encode", nb::borrow(amount)));
    }
    return count;
  }
  if (nb::isinstance<nb::list>(value)) {
    for (const nb::handle index : value) {
      add(returned<std::size_t>("encode", nb::borrow(index)), 1);
    }
    return count;
  }
  const auto dense = returned<std::vector<float>>("encode", value);
  if (dense.size() != rules.features) {
    wrong("encode", "it returned " + std::to_string(dense.size()) + " numbers, not " +
                        std::to_string(rules.features));
  }
  for (std::size_t i = 0; i < dense.size(); ++i) {
    if (dense[i] != 0) add(i, dense[i]);
  }
  return count;
}

/// An attribute as a number, or the default.
std::size_t number(const nb::object& game, const char* name, std::size_t otherwise) {
  if (!nb::hasattr(game, name)) return otherwise;
  const auto value = returned<std::uint64_t>(name, game.attr(name));
  constexpr std::uint64_t kMost = 1u << 16;  // above every limit of a table
  if (value > kMost) wrong(name, std::to_string(value) + " is too large");
  return value;
}

/// Whose turn it is in a state.
Turn turn_of(const PythonRules& rules, const nb::object& state) {
  const nb::object turn = rules.turn(state);
  Turn named;
  if (nb::try_cast(turn, named)) return named;
  const int number = returned<int>("turn", turn);
  if (number < 0 || number > static_cast<int>(Turn::kOver)) {
    wrong("turn", "it returned " + std::to_string(number));
  }
  return static_cast<Turn>(number);
}

/// Reads a state's text. False if it is not one: then one of the methods fails.
bool read_text(const PythonRules& rules, std::string_view text, void* state) {
  try {
    const nb::object words = nb::steal(
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "strict"));
    if (!words.is_valid()) throw nb::python_error();
    const nb::object value = rules.literal(words);
    switch (turn_of(rules, value)) {
      case Turn::kOver:
        returned<std::uint32_t>("outcome", rules.outcome(value));
        break;
      case Turn::kChance: {
        std::vector<float> chances(rules.most_chance);
        if (copy("chance", rules.chance(value), rules.most_chance, chances.data()) == 0)
          return false;
        break;
      }
      default: {
        std::vector<senet_action> legal(rules.most_legal);
        const auto count = copy("legal", rules.legal(value), rules.most_legal, legal.data());
        const auto is_action = [&](senet_action action) { return action < rules.actions; };
        if (count == 0 || !std::all_of(legal.begin(), legal.begin() + count, is_action))
          return false;
      }
    }
    if (turn_of(rules, value) != Turn::kOver) {
      std::vector<std::uint16_t> feature(rules.most_active);
      std::vector<float> number(rules.most_active);
      write_features(rules, rules.encode(value), feature.data(), number.data());
    }
    write_state(rules, "read", value, state);
    return true;
  } catch (const nb::python_error& error) {
    if (error.matches(PyExc_KeyboardInterrupt)) throw;
    return false;
  } catch (const std::exception&) {
    return false;
  }
}

/// A game and its table. The methods live as long as the interpreter.
struct PythonGame {
  std::unique_ptr<PythonRules> rules;
  GameTable table;
};

senet_game_table functions_of(PythonRules& rules) {
  senet_game_table table{};
  table.struct_size = sizeof table;
  table.state_size = static_cast<std::uint32_t>(rules.state_bytes);
  table.features = static_cast<std::uint32_t>(rules.features);
  table.most_active = static_cast<std::uint32_t>(rules.most_active);
  table.actions = static_cast<std::uint32_t>(rules.actions);
  table.most_legal = static_cast<std::uint32_t>(rules.most_legal);
  table.most_chance = static_cast<std::uint32_t>(rules.most_chance);
  table.user = &rules;
  table.start = [](void* user, void* state) {
    const nb::gil_scoped_acquire locked;
    write_state(rules_of(user), "start", rules_of(user).start(), state);
  };
  table.turn = [](void* user, const void* state) {
    const nb::gil_scoped_acquire locked;
    const PythonRules& own = rules_of(user);
    return static_cast<senet_turn>(turn_of(own, read_state(own, state)));
  };
  table.legal = [](void* user, const void* state, senet_action* to) {
    const nb::gil_scoped_acquire locked;
    const PythonRules& own = rules_of(user);
    return copy("legal", own.legal(read_state(own, state)), own.most_legal, to);
  };
  table.play = [](void* user, void* state, senet_action action) {
    const nb::gil_scoped_acquire locked;
    const PythonRules& own = rules_of(user);
    write_state(own, "play", own.play(read_state(own, state), action), state);
  };
  table.outcome = [](void* user, const void* state) {
    const nb::gil_scoped_acquire locked;
    const PythonRules& own = rules_of(user);
    return returned<std::uint32_t>("outcome", own.outcome(read_state(own, state)));
  };
  table.key = [](void* user, const void* state) {
    std::uint64_t key = 0;
    const auto* const bytes = static_cast<const std::byte*>(state);
    const std::size_t size = rules_of(user).state_bytes;
    for (std::size_t i = 0; i < size; i += sizeof key) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes + i, std::min(sizeof word, size - i));
      key = mix(key ^ word);
    }
    return key;
  };
  table.encode = [](void* user, const void* state, std::uint16_t* feature, float* value) {
    const nb::gil_scoped_acquire locked;
    const PythonRules& own = rules_of(user);
    return write_features(own, own.encode(read_state(own, state)), feature, value);
  };
  // The text of a state is its value in Python.
  table.text = [](void* user, const void* state, char* text, std::size_t room) {
    const nb::gil_scoped_acquire locked;
    const auto words = nb::cast<std::string>(nb::repr(read_state(rules_of(user), state)));
    std::memcpy(text, words.data(), std::min(words.size(), room));
    return words.size();
  };
  table.read = [](void* user, senet_text text, void* state) -> std::int32_t {
    const nb::gil_scoped_acquire locked;
    return read_text(rules_of(user), {text.data, text.size}, state);
  };
  if (rules.most_chance > 0) {
    table.chance = [](void* user, const void* state, float* probability) {
      const nb::gil_scoped_acquire locked;
      const PythonRules& own = rules_of(user);
      return copy("chance", own.chance(read_state(own, state)), own.most_chance, probability);
    };
    table.viewer = [](void* user, const void* state) {
      const nb::gil_scoped_acquire locked;
      const PythonRules& own = rules_of(user);
      return returned<std::uint32_t>("viewer", own.viewer(read_state(own, state)));
    };
  }
  return table;
}

std::string add_game(const nb::object& game) {
  auto rules = std::make_unique<PythonRules>();
  const auto method = [&](const char* name) {
    if (!nb::hasattr(game, name)) {
      throw nb::attribute_error(("the game has no " + std::string(name)).c_str());
    }
    return nb::object(game.attr(name));
  };
  const nb::module_ marshal = nb::module_::import_("marshal");
  rules->literal = nb::module_::import_("ast").attr("literal_eval");
  rules->dumps = marshal.attr("dumps");
  rules->loads = marshal.attr("loads");
  rules->start = method("start");
  rules->turn = method("turn");
  rules->legal = method("legal");
  rules->play = method("play");
  rules->outcome = method("outcome");
  rules->encode = method("encode");
  const auto required = [&](const char* name) {
    method(name);
    return number(game, name, 0);
  };
  rules->features = required("features");
  rules->actions = required("actions");
  constexpr std::size_t kUsual = kSmallState - kLength;
  rules->state_bytes = number(game, "state_bytes", kUsual) + kLength;
  rules->most_legal = number(game, "most_legal", rules->actions);
  rules->most_active =
      number(game, "most_active", std::min<std::size_t>(rules->features, SENET_MOST_ACTIVE));
  rules->most_chance = number(game, "most_chance", 0);
  if (rules->most_chance > 0) {
    rules->chance = method("chance");
    rules->viewer = method("viewer");
  }
  senet_game_table table = functions_of(*rules);
  const auto name = returned<std::string>("name", method("name"));
  table.name = {name.data(), name.size()};
  table.player_count = static_cast<std::uint32_t>(number(game, "player_count", 2));
  if (table.player_count == 1) {
    const std::size_t most = number(game, "most_moves_left", SENET_MOST_MOVES_LEFT);
    if (most < 1 || most > SENET_MOST_MOVES_LEFT) {
      raise_value_error("most_moves_left must be 1 .. " + std::to_string(SENET_MOST_MOVES_LEFT));
    }
    table.outcomes = static_cast<std::uint32_t>(most + 1);
  } else if (nb::hasattr(game, "outcome_values")) {
    const auto values = returned<std::vector<int>>("outcome_values", game.attr("outcome_values"));
    const auto mirror =
        returned<std::vector<std::uint8_t>>("outcome_mirror", method("outcome_mirror"));
    if (values.size() != mirror.size() || values.empty() || values.size() > SENET_MOST_OUTCOMES) {
      raise_value_error("outcome_values and outcome_mirror must have the same length, 2 .. " +
                        std::to_string(SENET_MOST_OUTCOMES));
    }
    table.outcomes = static_cast<std::uint32_t>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      table.outcome_values[i] = static_cast<std::int8_t>(std::clamp(values[i], -128, 127));
      table.outcome_mirror[i] = mirror[i];
    }
  }
  GameTable complete(table);
  value_or_raise(check_table(complete));
  PythonRules* const own = rules.get();
  std::string added = add(PythonGame{std::move(rules), std::move(complete)}, "");
  // When the interpreter ends, it frees what the methods refer to.
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([own] {
    for (nb::object* const held :
         {&own->start, &own->turn, &own->legal, &own->play, &own->outcome, &own->encode,
          &own->chance, &own->viewer, &own->dumps, &own->loads, &own->literal}) {
      *held = nb::none();
    }
  }));
  return added;
}

}  // namespace

void bind_own_games(nb::module_& module) {
  module.def("load_game", &load_game, "file"_a, R"(Adds the game of a shared object.

It is then a game like those of senet.games(): VecEnv, State, search and Records take its name. The
object is that of `senet --game-library`; docs/adding-a-game.md shows how to write one.

Args:
    file: the shared object.

Returns:
    The name of the game.

Raises:
    ValueError: the file cannot be loaded, exports no game, breaks a rule, or its name is taken.)");
  module.def("add_game", &add_game, "game"_a, R"(Adds a game written in Python.

It is slow, some ten thousand moves a second: for trying out rules, and for games that are small.

Args:
    game: an object with the attributes
            name      of the game
            features  width of the network's input
            actions   every action is below this
        and six methods. A state is None, a number, a string, bytes, or a tuple or list of them; it
        is copied, never changed. The same position must always be the same value of the same types
        (True is not 1).
            start()              the first state
            turn(state)          0 or 1: the player to move; Turn.CHANCE; Turn.OVER
            legal(state)         the legal actions, ascending, at least one
            play(state, action)  the next state, after an action or an outcome of a chance turn
            outcome(state)       of a finished game for player 0: 0 won, 1 drawn, 2 lost; of one
                                 player 0 won, otherwise most_moves_left
            encode(state)        features for the player to move: a list of those that are 1, a
                                 dictionary of indices and values, or a tuple of all
        A game with dice also has `most_chance`, chance(state), the probabilities of the outcomes,
        and viewer(state), the player to move or about to roll. Optional attributes: most_legal,
        most_active, state_bytes (108: largest state, in marshal's format), outcome_values and
        outcome_mirror; player_count (1: the player tries to end the game in few moves) and
        most_moves_left (31: more moves have the same value).

Returns:
    The name of the game.

Raises:
    AttributeError: a method or an attribute is missing.
    ValueError: in random play, a method contradicts the rules above. The message names it.)");
}

}  // namespace senet::python
