// senet.search(): the searches of many positions.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/lanes/machine.hpp"
#include "nn/network_spec.hpp"
#include "python/native/arrays.hpp"
#include "python/native/env_table.hpp"
#include "python/native/module.hpp"
#include "python/native/network.hpp"
#include "python/native/python_evaluator.hpp"
#include "python/native/search_table.hpp"

namespace senet::python {
namespace {

using namespace nb::literals;

constexpr std::uint32_t kMostVisits = 10'000'000;
constexpr std::size_t kMostRows = 4096;

/// What answers the batches of a call of search(), one evaluator for each thread.
struct Answerers {
  SharedWeights weights;  // outlive the evaluators
  std::vector<std::unique_ptr<Evaluator>> evaluators;
};

std::vector<AnyState> states_of(const nb::sequence& given) {
  std::vector<AnyState> states;
  states.reserve(nb::len(given));
  for (const nb::handle item : given) {
    const AnyState* state = nullptr;
    if (!nb::try_cast(item, state) || state == nullptr) {
      throw nb::type_error("states: an element is not a senet.State");
    }
    const std::string where = "states[" + std::to_string(states.size()) + "]";
    if (!is_decision(state->turn())) {
      raise_value_error(where + ": no player is to move in " + state->text());
    }
    if (!states.empty() && &state->game() != &states.front().game()) {
      raise_value_error(where + " is of another game than states[0]");
    }
    states.push_back(*state);
  }
  if (states.empty()) raise_value_error("states: there is none");
  return states;
}

void apply_settings(SearchSettings& settings, const nb::kwargs& given) {
  for (const auto& [key, value] : given) {
    auto name = nb::cast<std::string>(key);
    std::ranges::replace(name, '_', '-');
    const auto text = nb::isinstance<nb::bool_>(value)
                          ? std::string(nb::cast<bool>(value) ? "true" : "false")
                          : nb::cast<std::string>(nb::str(value));
    value_or_raise(apply_setting(settings, name, text));
  }
}

/// What the search evaluates.
Evaluates mode_of(const AnyGame& game, const PythonNetwork* network, nb::handle evaluator,
                  const std::optional<std::string>& mode) {
  std::optional<Evaluates> chosen;
  if (mode) {
    chosen = value_of<Evaluates>(*mode);
    if (!chosen)
      raise_value_error("mode: it must be one of position, afterstates, moves, playouts");
  }
  if (evaluator.is_none()) {
    if (chosen && *chosen != Evaluates::kPlayouts) {
      raise_value_error("mode: without an evaluator it can only be playouts");
    }
    return Evaluates::kPlayouts;
  }
  // A function has all answers that a game needs.
  const NetworkSpec spec = network != nullptr ? network->weights->spec() : reference_spec(game);
  return value_or_raise(resolve_evaluates(spec, modes_of(game), chosen));
}

Answerers answerers_for(const AnyGame& game, const PythonNetwork* network, nb::handle evaluator,
                        const SearchRequest& request, std::size_t threads, EvaluatorKind kind,
                        std::atomic<bool>& stop) {
  Answerers all;
  if (network == nullptr && !evaluator.is_none()) {
    for (std::size_t i = 0; i < threads; ++i) {
      all.evaluators.push_back(std::make_unique<PythonEvaluator>(
          nb::borrow<nb::callable>(evaluator), game, request.batch_rows,
          request.settings.evaluates == Evaluates::kPosition, stop));
    }
    return all;
  }
  if (network != nullptr) {
    all.weights = network->weights;
  } else {
    // Never asked for an answer.
    all.weights = std::make_shared<const Weights>(
        initial_network(spec_for_playouts(reference_spec(game)), 1));
    kind = EvaluatorKind::kHash;
  }
  for (std::size_t i = 0; i < threads; ++i) {
    all.evaluators.push_back(
        value_or_raise(make_evaluator(kind, *all.weights, request.batch_rows)));
  }
  return all;
}

/// Results of all positions, in arrays of this module's layout (senet.search).
struct Results {
  Results(std::size_t states, std::size_t width)
      : columns(width), visits(states * width), values(states), policy(states * width) {}

  /// Thread-safe for different rows.
  void write(std::size_t row, const AnyState& state, const EnvShape& shape,
             std::span<const Choice> choices, float value) {
    values[row] = value;
    double targets = 0;
    for (const Choice& choice : choices) targets += choice.target;
    std::vector<Action> legal;
    if (!shape.columns_are_actions) state.legal(legal);
    for (const Choice& choice : choices) {
      const std::size_t at = row * columns + column_of(shape, legal, choice.action);
      visits[at] = choice.visits;
      policy[at] = targets > 0 ? static_cast<float>(choice.target / targets) : 0;
    }
    // A search of one visit has no target yet: its best move.
    if (targets == 0) policy[row * columns + column_of(shape, legal, choices.front().action)] = 1;
  }

  std::size_t columns;
  std::vector<std::uint32_t> visits;
  std::vector<float> values, policy;
};

/// The cores that this process may use.
int usable_cores() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 2;
}

/// Calls work(i) on a separate thread for each i, without the interpreter lock, and waits. Only the
/// calling thread, Python's main thread, can see signals such as Ctrl-C. If a signal's handler
/// raises, sets `stop`, waits for the threads, and throws what it raised.
void run_threads(std::size_t count, std::atomic<bool>& stop,
                 const std::function<void(std::size_t)>& work) {
  std::mutex mutex;
  std::condition_variable ended;
  std::size_t running = count;
  std::exception_ptr raised;
  {
    const nb::gil_scoped_release unlocked;
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        work(i);
        const std::lock_guard lock(mutex);
        --running;
        ended.notify_one();
      });
    }
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::milliseconds(100), [&] { return running == 0; })) {
      lock.unlock();
      {
        const nb::gil_scoped_acquire locked;
        if (!raised && PyErr_CheckSignals() != 0) {
          raised = std::make_exception_ptr(nb::python_error());
          stop.store(true);
        }
      }
      lock.lock();
    }
  }
  if (raised) std::rethrow_exception(raised);
}

nb::tuple search(const nb::sequence& given, const nb::object& evaluator, std::uint32_t visits,
                 std::size_t batch, std::optional<std::size_t> lanes,
                 std::optional<std::size_t> threads, const std::optional<std::string>& mode,
                 bool noise, std::uint64_t seed, const std::string& kind_name,
                 const nb::kwargs& settings) {
  const std::vector<AnyState> states = states_of(given);
  const AnyGame& game = states.front().game();
  const PythonNetwork* network = nullptr;
  if (!nb::try_cast(evaluator, network)) network = nullptr;
  if (network == nullptr && !evaluator.is_none() && PyCallable_Check(evaluator.ptr()) == 0) {
    throw nb::type_error("evaluator: it is neither a senet.Network nor callable nor None");
  }
  if (network != nullptr) {
    const auto fits = check_contract(network->weights->spec(), reference_spec(game));
    if (!fits) raise_value_error("evaluator: " + fits.error().reason());
  }
  if (visits < 1 || visits > kMostVisits) raise_value_error("visits must be 1 .. 10000000");
  if (batch < 1 || batch > kMostRows) raise_value_error("batch must be 1 .. 4096");
  const auto kind = value_of<EvaluatorKind>(kind_name);
  if (!kind) raise_value_error("kind: there is no evaluator called " + kind_name);

  SearchRequest request;
  request.settings.policy_temperature = kPlayersPolicyTemperature;
  request.settings.reuse_tree = false;
  apply_settings(request.settings, settings);
  request.settings.evaluates = mode_of(game, network, evaluator, mode);
  value_or_raise(check_search(request.settings));
  request.budget = {.visits = visits, .noise = noise};
  request.seed = seed;
  request.batch_rows = batch;
  // With a function, two threads: while Python answers the batch of one, the other gathers.
  const bool is_function = network == nullptr && !evaluator.is_none();
  const std::size_t usual = is_function && usable_cores() > 1 ? 2 : 1;
  const std::size_t sides = std::clamp<std::size_t>(threads.value_or(usual), 1,
                                                    std::min<std::size_t>(states.size(), 256));
  const std::size_t each = (states.size() + sides - 1) / sides;
  request.lanes = std::clamp<std::size_t>(
      lanes.value_or(batch / std::min<std::size_t>(batch, request.settings.leaves)), 1, each);
  const SearchTable& table = table_for<SearchTable>(game);
  value_or_raise(check_memory(sides, request.lanes, table.bytes(game, request), 0));

  std::atomic<bool> stop{false};
  const Answerers answerers = answerers_for(game, network, evaluator, request, sides, *kind, stop);
  const EnvShape shape = table_for<EnvTable>(game).shape(game, 1);
  Results results(states.size(), shape.columns);
  std::vector<std::exception_ptr> thrown(sides);
  run_threads(sides, stop, [&](std::size_t i) {
    const std::size_t begin = states.size() * i / sides, end = states.size() * (i + 1) / sides;
    try {
      table.run(
          game, *answerers.evaluators[i], request, std::span(states).subspan(begin, end - begin),
          begin,
          [&](std::size_t row, std::span<const Choice> choices, float value) {
            results.write(begin + row, states[begin + row], shape, choices, value);
          },
          [&stop] { return !stop.load(std::memory_order_relaxed); });
    } catch (...) {
      thrown[i] = std::current_exception();
      stop.store(true);
    }
  });
  for (const std::exception_ptr& error : thrown) {
    if (error) std::rethrow_exception(error);
  }
  const std::size_t rows = states.size(), columns = results.columns;
  return nb::make_tuple(array_of(std::move(results.visits), rows, columns),
                        array_of(std::move(results.values), rows),
                        array_of(std::move(results.policy), rows, columns));
}

}  // namespace

void bind_search(nb::module_& module) {
  module.def("search", &search, "states"_a, "evaluator"_a.none(), "visits"_a = 800, nb::kw_only(),
             "batch"_a = 256, "lanes"_a = nb::none(), "threads"_a = nb::none(),
             "mode"_a = nb::none(), "noise"_a = false, "seed"_a = 0, "kind"_a = "fused",
             "settings"_a,
             R"(Searches many positions side by side; their trees share batches.

Args:
    states: senet.State objects of one game, in each of which a player is to move.
    evaluator: a senet.Network; None for random games in its place; or a function
        (obs, mask) -> (logits, outcomes) of NumPy arrays, PyTorch or JAX:
            obs       [n, features] f32, from the view of the player to move
            mask      [n, policy_logits] bool, the logits that are read; None if the search
                      evaluates afterstates, for which logits may be None too
            logits    [n, policy_logits] f32, before softmax
            outcomes  [n, outcomes] f32, probabilities in the order of Game.outcome_values
        obs and mask are valid during the call, which may change them. Its exceptions end the search
        and come through. The function runs on other threads than the caller's, and two calls
        overlap if it releases the interpreter lock: what is set for a thread, such as
        torch.no_grad(), belongs inside it.
    visits: of each search.
    batch: maximum rows n of an evaluation.
    lanes: searches in progress at the same time in each thread; by default as many as fill a
        batch with their `leaves`.
    threads: by default 1; with a function 2 if Python may use two cores, so that one thread gathers
        while Python answers the other. Results do not depend on threads, lanes and batch if the
        evaluator answers each row the same in every batch.
    mode: "position", "afterstates" (the positions that the moves lead to, before dice), "moves"
        (all at once, with a dueling network) or "playouts". By default what the network was trained
        for; in a game with afterstates, these.
    noise: whether to add Dirichlet noise at the root, drawn from `seed`.
    kind: how a network is evaluated: "fused", "int8" (8 bits), "reference" (double precision).
    settings: settings of the search by name, as in `senet match --help`: c_puct=1.5, leaves=4,
        policy_temperature=1.0, ...

Returns:
    visits [states, columns] u32, values [states] f32 for the player to move in points, and
    policy [states, columns] f32, the policy target. Columns are those of VecEnv's mask.

Raises:
    ValueError, TypeError: an argument, or an answer of the function, is not as described.)");
}

}  // namespace senet::python
