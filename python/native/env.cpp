// senet.VecEnv: a batch of games whose arrays Python sees without a copy.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/native/arrays.hpp"
#include "python/native/env_table.hpp"
#include "python/native/module.hpp"
#include "python/native/vec_env.hpp"

namespace senet::python {
namespace {

using namespace nb::literals;

// Types in the stubs; an observation is an array or, if sparse, a tuple of three.
#define F32 "numpy.typing.NDArray[numpy.float32]"
#define BOOLS "numpy.typing.NDArray[numpy.bool_]"
#define I8 "numpy.typing.NDArray[numpy.int8]"
#define I32 "numpy.typing.NDArray[numpy.int32]"
#define U8 "numpy.typing.NDArray[numpy.uint8]"
#define U16 "numpy.typing.NDArray[numpy.uint16]"

constexpr std::string_view kDense = "dense", kSparse = "sparse";

using AnyArray = nb::ndarray<nb::ro>;

/// The array of any library, or NumPy's array of another object, such as a list.
AnyArray array_from(nb::handle object, const char* what) {
  AnyArray array;
  if (!nb::try_cast(object, array)) {
    const nb::object made = nb::module_::import_("numpy").attr("asarray")(object);
    if (!nb::try_cast(made, array)) {
      throw nb::type_error((std::string(what) + " must be an array of integers").c_str());
    }
  }
  if (array.device_type() != nb::device::cpu::value) {
    throw nb::type_error((std::string(what) + " must be in the CPU's memory").c_str());
  }
  return array;
}

/// Calls use(data) with the array's elements as their type. Raises TypeError unless they are
/// integers.
template <class Use>
auto with_integers(const AnyArray& array, Use&& use) {
  const nb::dlpack::dtype type = array.dtype();
  const void* const data = array.data();
  if (type.lanes == 1 && type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int)) {
    if (type.bits == 8) return use(static_cast<const std::int8_t*>(data));
    if (type.bits == 16) return use(static_cast<const std::int16_t*>(data));
    if (type.bits == 32) return use(static_cast<const std::int32_t*>(data));
    if (type.bits == 64) return use(static_cast<const std::int64_t*>(data));
  }
  if (type.lanes == 1 && type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt)) {
    if (type.bits == 8) return use(static_cast<const std::uint8_t*>(data));
    if (type.bits == 16) return use(static_cast<const std::uint16_t*>(data));
    if (type.bits == 32) return use(static_cast<const std::uint32_t*>(data));
    if (type.bits == 64) return use(static_cast<const std::uint64_t*>(data));
  }
  throw nb::type_error("actions must be integers of 8 to 64 bits");
}

StartSettings starts_of(const std::string& sources, std::uint32_t scramble_moves) {
  StartSettings starts;
  starts.sources = with_absolute_files(sources);
  starts.scramble_moves = scramble_moves;
  if (const auto checked = check_settings(starts); !checked) {
    raise_value_error(checked.error().reason());
  }
  const auto read = read_sources(starts.sources);
  if (read && has_source(*read, StartSource::Kind::kHard)) {
    raise_value_error("starts: hard positions come from the games of a run");
  }
  return starts;
}

EnvOptions options_of(std::int64_t count, std::uint64_t seed, std::int64_t threads,
                      std::string_view observation, StartSettings starts) {
  const auto check = [](const char* name, std::int64_t value, std::size_t most) {
    if (value < 1 || static_cast<std::uint64_t>(value) > most) {
      raise_value_error(std::string(name) + " must be 1 .. " + std::to_string(most) + ", not " +
                        std::to_string(value));
    }
    return static_cast<std::size_t>(value);
  };
  if (observation != kDense && observation != kSparse) {
    raise_value_error("observation must be \"dense\" or \"sparse\", not \"" +
                      std::string(observation) + "\"");
  }
  return {.count = check("n", count, AnyVecEnv::kMostGames),
          .seed = seed,
          .threads = check("threads", threads, AnyVecEnv::kMostThreads),
          .is_sparse = observation == kSparse,
          .starts = std::move(starts)};
}

/// The Python class. Only one call at a time may use it: step() releases the interpreter lock.
class PyVecEnv {
 public:
  PyVecEnv(std::string_view game, const EnvOptions& options, bool copies)
      : env_(make(game_named(game), options)), copies_(copies) {
    const EnvShape& shape = env_->shape();
    const EnvArrays& arrays = *env_->arrays();
    const std::size_t n = shape.count;
    mask_ = view(arrays.mask, {n, shape.columns});
    player_ = view(arrays.player, {n});
    reward_ = view(arrays.reward, {n});
    done_ = view(arrays.done, {n});
    outcome_ = view(arrays.outcome, {n});
    // Steps rely on these two.
    legal_ = view<nb::ro>(arrays.legal, {n, shape.most_legal});
    legal_count_ = view<nb::ro>(arrays.legal_count, {n});
    sample_ = view(arrays.sample, {n});
    if (options.is_sparse) {
      indices_ = view(arrays.indices, {n, shape.most_active});
      values_ = view(arrays.values, {n, shape.most_active});
      counts_ = view(arrays.counts, {n});
      observation_ = nb::make_tuple(indices_, values_, counts_);
    } else {
      observation_ = view(arrays.dense, {n, shape.features});
    }
    after_reset_ = nb::make_tuple(observation_, mask_, player_);
    after_step_ = nb::make_tuple(observation_, mask_, player_, reward_, done_);
  }

  const AnyVecEnv& env() const { return *env_; }
  bool copies() const { return copies_; }

  nb::object observation() const {
    if (!env_->options().is_sparse) return given(observation_);
    return copies_ ? nb::make_tuple(given(indices_), given(values_), given(counts_)) : observation_;
  }
  nb::object mask() const { return given(mask_); }
  nb::object player() const { return given(player_); }
  nb::object reward() const { return given(reward_); }
  nb::object done() const { return given(done_); }
  nb::object outcome() const { return given(outcome_); }
  nb::object legal() const { return given(legal_); }
  nb::object legal_count() const { return given(legal_count_); }

  nb::object reset(std::optional<std::uint64_t> seed) {
    const Use use(user_);
    {
      nb::gil_scoped_release unlocked;
      env_->reset(seed);
    }
    return copies_ ? nb::make_tuple(observation(), mask(), player()) : after_reset_;
  }

  nb::object step(nb::handle actions) {
    const Use use(user_);
    require_whole();
    const AnyArray array = array_from(actions, "actions");
    const std::size_t n = env_->shape().count;
    if (array.ndim() != 1 || array.shape(0) != n) {
      raise_value_error("actions must have shape [" + std::to_string(n) + "], not " +
                        shape_text(array));
    }
    with_integers(array, [&](const auto* data) {
      const std::optional<std::size_t> row = env_->take(data, array.stride(0));
      if (row)
        refuse(*row, std::to_string(data[static_cast<std::ptrdiff_t>(*row) * array.stride(0)]));
    });
    {
      nb::gil_scoped_release unlocked;
      env_->step();
    }
    if (!copies_) return after_step_;
    return nb::make_tuple(observation(), mask(), player(), reward(), done());
  }

  nb::object sample() {
    const Use use(user_);
    require_whole();
    {
      nb::gil_scoped_release unlocked;
      env_->sample();
    }
    return given(sample_);
  }

  AnyState state(std::int64_t row) const {
    const Use use(user_);
    const auto n = static_cast<std::int64_t>(env_->shape().count);
    if (row < -n || row >= n) {
      throw nb::index_error(
          ("no game " + std::to_string(row) + " of " + std::to_string(n)).c_str());
    }
    return env_->state(static_cast<std::size_t>(row < 0 ? row + n : row));
  }

  std::vector<std::string> texts() const {
    const Use use(user_);
    return texts_of_rows();
  }
  std::vector<std::string> texts_of_rows() const {
    std::vector<std::string> texts;
    for (std::size_t row = 0; row < env_->shape().count; ++row) {
      texts.push_back(value_or_raise(env_->state(row).try_text()));
    }
    return texts;
  }

  void set_texts(const std::vector<std::string>& texts) {
    const Use use(user_);
    value_or_raise(without_lock([&] { return env_->set_texts(texts); }));
  }

  nb::object states() const {
    const Use use(user_);
    const std::size_t n = env_->shape().count, bytes = env_->state_bytes();
    auto rows = std::make_unique<std::vector<std::byte>>(n * bytes);
    env_->write_states(rows->data());
    void* const data = rows->data();
    nb::capsule owner(
        rows.get(), [](void* kept) noexcept { delete static_cast<std::vector<std::byte>*>(kept); });
    rows.release();
    return nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(data, {n, bytes}, owner));
  }

  void set_states(nb::handle states) {
    const Use use(user_);
    const AnyArray array = array_from(states, "states");
    const std::size_t n = env_->shape().count, bytes = env_->state_bytes();
    if (array.dtype() != nb::dtype<std::uint8_t>()) throw nb::type_error("states must be uint8");
    if (array.ndim() != 2 || array.shape(0) != n || array.shape(1) != bytes) {
      raise_value_error("states must have shape [" + std::to_string(n) + ", " +
                        std::to_string(bytes) + "], not " + shape_text(array));
    }
    // Rows may be apart, or in another order of memory.
    std::vector<std::byte> rows(n * bytes);
    const auto* const from = static_cast<const std::byte*>(array.data());
    for (std::size_t row = 0; row < n; ++row) {
      for (std::size_t i = 0; i < bytes; ++i) {
        rows[row * bytes + i] = from[static_cast<std::ptrdiff_t>(row) * array.stride(0) +
                                     static_cast<std::ptrdiff_t>(i) * array.stride(1)];
      }
    }
    value_or_raise(without_lock([&] { return env_->read_states(rows.data()); }));
  }

  nb::dict pickled() const {
    nb::dict state;
    state["game"] = std::string(env_->game().name);
    state["n"] = env_->options().count;
    state["seed"] = env_->options().seed;
    state["threads"] = env_->options().threads;
    state["observation"] = env_->options().is_sparse ? kSparse : kDense;
    state["copy"] = copies_;
    state["starts"] = env_->options().starts.sources;
    state["scramble_moves"] = env_->options().starts.scramble_moves;
    const Use use(user_);
    state["texts"] = texts_of_rows();
    const AnyVecEnv::Counters counters = env_->counters();
    state["draws"] = counters.draws;
    state["is_new"] = counters.is_new;
    state["games"] = counters.games;
    state["plies"] = counters.plies;
    return state;
  }

  void restore(const nb::dict& state) {
    const AnyVecEnv::Counters counters{
        .draws = nb::cast<std::uint64_t>(state["draws"]),
        .is_new = nb::cast<bool>(state["is_new"]),
        .games = nb::cast<std::vector<std::uint32_t>>(state["games"]),
        .plies = nb::cast<std::vector<std::uint32_t>>(state["plies"])};
    const auto texts = nb::cast<std::vector<std::string>>(state["texts"]);
    value_or_raise(without_lock([&] { return env_->restore(texts, counters); }));
  }

 private:
  using Use = OneUser::Use;

  /// A game written in Python needs the lock on the environment's own threads.
  template <class Call>
  static Result<void> without_lock(Call&& call) {
    const nb::gil_scoped_release unlocked;
    return call();
  }
  void require_whole() const {
    if (env_->is_broken()) {
      throw std::runtime_error("the game failed in an earlier call: reset the environment first");
    }
  }

  static std::unique_ptr<AnyVecEnv> make(const AnyGame& game, const EnvOptions& options) {
    const EnvTable& table = table_for<EnvTable>(game);
    const nb::gil_scoped_release unlocked;
    return table.make(game, options);
  }

  /// A NumPy array of memory that it shares with the environment, and that it keeps alive.
  template <class... Access, class T>
  nb::object view(const ZeroedArray<T>& memory, std::initializer_list<std::size_t> shape) const {
    auto kept = std::make_unique<std::shared_ptr<EnvArrays>>(env_->arrays());
    nb::capsule owner(kept.get(), [](void* pointer) noexcept {
      delete static_cast<std::shared_ptr<EnvArrays>*>(pointer);
    });
    kept.release();
    return nb::cast(nb::ndarray<nb::numpy, T, Access...>(memory.data(), shape, owner));
  }

  nb::object given(const nb::object& array) const {
    return copies_ ? nb::object(array.attr("copy")()) : array;
  }

  [[noreturn]] void refuse(std::size_t row, const std::string& column) const {
    const EnvShape& shape = env_->shape();
    const std::string count = std::to_string(env_->arrays()->legal_count[row]);
    raise_value_error("environment " + std::to_string(row) + ": action " + column + " is not " +
                      (shape.columns_are_actions ? "legal" : "one of the " + count + " columns") +
                      " in " + env_->state(row).text());
  }

  std::unique_ptr<AnyVecEnv> env_;
  bool copies_;
  OneUser user_;
  nb::object observation_, indices_, values_, counts_;
  nb::object mask_, player_, reward_, done_, outcome_, legal_, legal_count_, sample_;
  nb::object after_reset_, after_step_;
};

}  // namespace

void bind_env(nb::module_& module) {
  nb::class_<PyVecEnv>(module, "VecEnv", R"(A batch of games that are played in step.

    env = senet.VecEnv(game, 1024)
    obs, mask, player = env.reset()
    while training:
        obs, mask, player, reward, done = env.step(choose(obs, mask))

Every step plays one move in each of the n games, for the player whose turn it is. Dice are rolled
by the environment. When a game ends, `reward` and `done` report it, and `obs`, `mask` and `player`
already describe the start of the next game in that row.

Arrays, one row per game. They belong to the environment, which overwrites them in every call; do
not write to them. NumPy, torch.from_dlpack and jax.dlpack.from_dlpack share their memory.

    obs          [n, features] f32      the position from the view of the player to move
    mask         [n, columns] bool      the legal columns
    player       [n] i8                 the player to move, 0 or 1
    reward       [n] f32                points of the player who made the last move of a game that
                                        has just ended, otherwise 0; in a game of one player -1 for
                                        each move
    done         [n] bool               whether the move ended the game
    outcome      [n] i8                 index into Game.outcome_values from player 0's view if the
                                        move ended the game, otherwise -1
    legal        [n, most_legal] u16    the legal actions, ascending, then 0xffff
    legal_count  [n] i32                number of legal actions

The actions of step() are columns. If `columns_are_actions`, column j is action j, and the network
has a policy logit for each. Otherwise column j is the j-th legal action, `legal[i, j]`.

The same seed plays the same games for the same actions, for any number of threads. One call at a
time may use an environment; step(), reset() and sample() release the interpreter lock.

Args:
    game: one of senet.games().
    n: number of games.
    seed: of dice and of sample(), 0 .. 2**64 - 1.
    threads: processor threads of a step. Worth it for thousands of games.
    observation: "dense", or "sparse": then obs is a tuple
        indices  [n, most_active] u16   features that are not zero, then `features`
        values   [n, most_active] f32   their values, then 0
        count    [n] i32                number of features that are not zero
    copy: return copies of the arrays, which later calls do not change.
    starts: where games start: "game", "scrambles" (games of one player), "file:FILE" with a
        position on each line, or several with their shares, "scrambles@0.9,game@0.1".
    scramble_moves: most random moves of a scramble, 1 .. 1000.

Raises:
    ValueError: unknown game, a number out of range, or starts that do not suit the game.)")
      .def(
          "__init__",
          [](PyVecEnv* self, std::string_view game, std::int64_t n, std::uint64_t seed,
             std::int64_t threads, std::string_view observation, bool copy,
             const std::string& starts, std::uint32_t scramble_moves) {
            new (self) PyVecEnv(
                game, options_of(n, seed, threads, observation, starts_of(starts, scramble_moves)),
                copy);
          },
          "game"_a, "n"_a, "seed"_a = 0, "threads"_a = 1, "observation"_a = "dense",
          "copy"_a = false, "starts"_a = "game", "scramble_moves"_a = 20,
          nb::sig("def __init__(self, game: str, n: int, seed: int = 0, threads: int = 1, "
                  "observation: str = 'dense', copy: bool = False, starts: str = 'game', "
                  "scramble_moves: int = 20) -> None"))
      .def("reset", &PyVecEnv::reset,
           nb::sig("def reset(self, seed: int | None = None) -> tuple[typing.Any, " BOOLS ", " I8
                   "]"),
           "seed"_a = nb::none(),
           R"(Starts new games. Returns (obs, mask, player).

Args:
    seed: starts the first games of this seed. Without it, the first reset keeps the games that the
        environment was made with, and later ones start the next game in every row.)")
      .def("step", &PyVecEnv::step,
           nb::sig("def step(self, actions: typing.Any) -> tuple[typing.Any, " BOOLS ", " I8
                   ", " F32 ", " BOOLS "]"),
           "actions"_a,
           R"(Plays a move in every game. Returns (obs, mask, player, reward, done).

Args:
    actions: [n] legal columns, integers of 8 to 64 bits: an array of NumPy, PyTorch, JAX or
        anything else that supports DLPack or the buffer protocol, or a sequence.

Raises:
    ValueError: another shape, or a column that is not legal. The message names the row, the column
        and the position. No game has changed.
    TypeError: not integers, or not in the CPU's memory.
    RuntimeError: another call is using the environment, or the game failed in an earlier one and the
        environment has not been reset.)")
      .def("sample", &PyVecEnv::sample, nb::sig("def sample(self) -> " I32),
           R"(Draws a uniformly random legal column for every game: [n] i32.

Depends only on the seed and on the number of calls since the last reset with a seed. The array
belongs to the environment, and the next call overwrites it.)")
      .def("state", &PyVecEnv::state, "i"_a, "The position of game i, as an independent State.")
      .def(
          "action_text",
          [](const PyVecEnv& self, std::int64_t row, std::int64_t action) {
            const AnyState state = self.state(row);
            check_action(state, action);
            return value_or_raise(state.try_action_text(static_cast<Action>(action)));
          },
          "i"_a, "action"_a, R"(A legal action of game i in the game's notation.

Args:
    action: its number. If columns are not actions, that of column j is legal[i, j].

Raises:
    ValueError: the action is not legal.)")
      .def("texts", &PyVecEnv::texts, "The positions of all games as text.")
      .def("set_texts", &PyVecEnv::set_texts, "texts"_a,
           R"(Starts the next game in every row at one of these positions.

The arrays then describe them; where the dice are about to be rolled, they are.

Raises:
    ValueError: not n texts, or one that is not a position or whose game has ended. The message
        names it. No game has changed.)")
      .def("states", &PyVecEnv::states, nb::sig("def states(self) -> " U8),
           R"(The positions and the numbers of their games and plies: a new array [n, bytes] u8.

set_states() of an environment of the same game and build reads it. For storage use texts().)")
      .def("set_states", &PyVecEnv::set_states,
           nb::sig("def set_states(self, states: typing.Any) -> None"), "states"_a,
           R"(Continues at what states() returned, [n, bytes] u8.

With the same seed, the same games follow.

Raises:
    ValueError: another shape, or a row that states() did not make. No game has changed.
    TypeError: not u8.)")
      .def_prop_ro("game", [](const PyVecEnv& self) { return GameHandle{&self.env().game()}; })
      .def_prop_ro(
          "n", [](const PyVecEnv& self) { return self.env().options().count; }, "Number of games.")
      .def_prop_ro("seed", [](const PyVecEnv& self) { return self.env().options().seed; })
      .def_prop_ro("threads", [](const PyVecEnv& self) { return self.env().options().threads; })
      .def_prop_ro(
          "observation",
          [](const PyVecEnv& self) {
            return std::string(self.env().options().is_sparse ? kSparse : kDense);
          },
          "\"dense\" or \"sparse\".")
      .def_prop_ro("copy", &PyVecEnv::copies)
      .def_prop_ro("features", [](const PyVecEnv& self) { return self.env().shape().features; })
      .def_prop_ro(
          "columns", [](const PyVecEnv& self) { return self.env().shape().columns; },
          "Number of columns of the mask.")
      .def_prop_ro(
          "columns_are_actions",
          [](const PyVecEnv& self) { return self.env().shape().columns_are_actions; },
          "Whether column j is action j; otherwise it is the j-th legal action.")
      .def_prop_ro("obs", &PyVecEnv::observation, nb::sig("def obs(self) -> typing.Any"))
      .def_prop_ro("mask", &PyVecEnv::mask, nb::sig("def mask(self) -> " BOOLS))
      .def_prop_ro("player", &PyVecEnv::player, nb::sig("def player(self) -> " I8))
      .def_prop_ro("reward", &PyVecEnv::reward, nb::sig("def reward(self) -> " F32))
      .def_prop_ro("done", &PyVecEnv::done, nb::sig("def done(self) -> " BOOLS))
      .def_prop_ro("outcome", &PyVecEnv::outcome, nb::sig("def outcome(self) -> " I8))
      .def_prop_ro("legal", &PyVecEnv::legal, nb::sig("def legal(self) -> " U16))
      .def_prop_ro("legal_count", &PyVecEnv::legal_count, nb::sig("def legal_count(self) -> " I32))
      .def("__len__", [](const PyVecEnv& self) { return self.env().options().count; })
      .def("__repr__",
           [](const PyVecEnv& self) {
             return "senet.VecEnv('" + std::string(self.env().game().name) + "', " +
                    std::to_string(self.env().options().count) + ")";
           })
      .def("__getstate__", &PyVecEnv::pickled)
      .def("__setstate__", [](PyVecEnv& self, const nb::dict& state) {
        const EnvOptions options = options_of(
            nb::cast<std::int64_t>(state["n"]), nb::cast<std::uint64_t>(state["seed"]),
            nb::cast<std::int64_t>(state["threads"]), nb::cast<std::string>(state["observation"]),
            starts_of(nb::cast<std::string>(state["starts"]),
                      nb::cast<std::uint32_t>(state["scramble_moves"])));
        new (&self)
            PyVecEnv(nb::cast<std::string>(state["game"]), options, nb::cast<bool>(state["copy"]));
        self.restore(state);
      });
}

}  // namespace senet::python
