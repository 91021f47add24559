// The C++ face of libsenet: owners and values over senet.h, in headers alone, so that your
// compiler and standard library need not be ours. C++20.
//
// Every function comes twice. try_open(...) returns an Result, which holds a value or an Error;
// open(...) is try_open(...).value(), which throws the Error. What senet.h says about threads,
// callbacks and lifetimes holds here too.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "senet/c_calls.hpp"
#include "senet/result.hpp"
#include "senet/senet.h"

namespace senet::api {

/// The defaults of senet.h, to be changed field by field.
inline senet_config default_config() {
  senet_config config;
  senet_config_init(&config, sizeof config);
  return config;
}

/// Words for a field of senet_config; they have to live for as long as it is used.
inline senet_text text(std::string_view words) { return detail::text(words); }

/// The largest `visits` for which this configuration's sessions, all of `game`, fit into its
/// memory; 0: not even one fits.
inline Result<std::uint32_t> try_fit(const senet_config& config, std::string_view game) {
  return detail::number([&](std::uint32_t* visits, senet_reason* why) {
    return senet_config_fit(&config, detail::text(game), visits, why);
  });
}
inline std::uint32_t fit(const senet_config& config, std::string_view game) {
  return try_fit(config, game).value();
}

/// The most `sessions` of config.visits visits each that fit.
inline Result<std::uint32_t> try_fit_sessions(const senet_config& config, std::string_view game) {
  return detail::number([&](std::uint32_t* sessions, senet_reason* why) {
    return senet_config_fit_sessions(&config, detail::text(game), sessions, why);
  });
}
inline std::uint32_t fit_sessions(const senet_config& config, std::string_view game) {
  return try_fit_sessions(config, game).value();
}

/// When a search ends: at whichever comes first; 0: no such limit. Negative time, of a deadline
/// that has passed, allows one visit.
struct Limits {
  std::uint32_t visits = 0;
  std::chrono::microseconds time{0};
  float temperature = 0;
  bool noise = false;
  int priority = 0;
};

/// What a search found; fields as in senet_result.
struct Found {
  senet_action action = 0;
  senet_ending ending = SENET_BY_VISITS;
  float value = 0;
  std::uint32_t visits = 0, evaluations = 0, depth = 0;
  std::uint64_t model = 0;
  std::vector<float> outcomes;
  std::vector<senet_choice> choices;
};

/// Weights that an engine has loaded. Goes before its engine.
class Model {
 public:
  explicit Model(senet_model* handle) : handle_(handle) {}
  std::uint64_t id() const { return senet_model_id(handle_.get()); }
  /// Lets go of it now; then it is no model any more.
  void close() noexcept { handle_.reset(); }
  const senet_model* handle() const { return handle_.get(); }

 private:
  std::unique_ptr<senet_model, detail::Closer<senet_model_release>> handle_;
};

/// One game. Goes before its engine.
class Session {
 public:
  explicit Session(senet_session* handle) : handle_(handle) {}

  /// The position from text (empty: the start), then these actions.
  Result<void> try_set(std::string_view position, std::span<const senet_action> actions = {}) {
    senet_reason why{};
    const senet_status status = senet_session_set(handle_.get(), detail::text(position),
                                                  actions.data(), actions.size(), &why);
    return detail::answer(status, why);
  }
  void set(std::string_view position, std::span<const senet_action> actions = {}) {
    try_set(position, actions).value();
  }

  Result<void> try_play(senet_action action) {
    senet_reason why{};
    const senet_status status = senet_session_play(handle_.get(), action, &why);
    return detail::answer(status, why);
  }
  void play(senet_action action) { try_play(action).value(); }

  Result<senet_turn> try_turn() const {
    senet_turn turn{};
    const senet_status status = senet_session_turn(handle_.get(), &turn);
    if (status != SENET_OK) return detail::error(status, {});
    return turn;
  }
  senet_turn turn() const { return try_turn().value(); }

  /// How a finished game ended, as player 0 sees it.
  Result<std::uint32_t> try_outcome() const {
    std::uint32_t outcome = 0;
    const senet_status status = senet_session_outcome(handle_.get(), &outcome);
    if (status != SENET_OK) return detail::error(status, {});
    return outcome;
  }
  std::uint32_t outcome() const { return try_outcome().value(); }

  Result<std::vector<senet_action>> try_legal() const {
    return detail::read_list<senet_action>(
        [&](senet_action* actions, std::size_t room, std::size_t* count) {
          return senet_session_legal(handle_.get(), actions, room, count);
        });
  }
  std::vector<senet_action> legal() const { return try_legal().value(); }

  /// How probable each outcome of chance is, that of action 0 first; none but on its turn.
  Result<std::vector<float>> try_chance() const {
    return detail::read_list<float>(
        [&](float* probabilities, std::size_t room, std::size_t* count) {
          return senet_session_chance(handle_.get(), probabilities, room, count);
        });
  }
  std::vector<float> chance() const { return try_chance().value(); }

  Result<std::string> try_text() const {
    return detail::read_text([&](char* text, std::size_t room, std::size_t* size) {
      return senet_session_text(handle_.get(), text, room, size);
    });
  }
  std::string text() const { return try_text().value(); }

  Result<std::string> try_action_text(senet_action action) const {
    return detail::read_text([&](char* text, std::size_t room, std::size_t* size) {
      return senet_session_action_text(handle_.get(), action, text, room, size);
    });
  }
  std::string action_text(senet_action action) const { return try_action_text(action).value(); }

  Result<senet_action> try_read_action(std::string_view text) const {
    senet_action action = 0;
    senet_reason why{};
    const senet_status status =
        senet_session_read_action(handle_.get(), detail::text(text), &action, &why);
    if (status != SENET_OK) return detail::error(status, why);
    return action;
  }
  senet_action read_action(std::string_view text) const { return try_read_action(text).value(); }

  /// Begins a search and returns at once.
  Result<void> try_begin_search(const Limits& limits, senet_done done = nullptr,
                                void* user = nullptr) {
    senet_limits told = SENET_LIMITS_INIT;
    told.visits = limits.visits;
    told.time_us = detail::microseconds(limits.time, 1);
    told.temperature = limits.temperature;
    told.noise = limits.noise ? 1 : 0;
    told.priority = limits.priority;
    senet_reason why{};
    const senet_status status = senet_session_search(handle_.get(), &told, done, user, &why);
    return detail::answer(status, why);
  }
  void begin_search(const Limits& limits, senet_done done = nullptr, void* user = nullptr) {
    try_begin_search(limits, done, user).value();
  }

  /// The same with anything that can be called: done(), as senet_done is. It is moved or copied:
  /// what it holds lives until the call has returned, on the thread that ended the search;
  /// what it refers to is yours to keep until then. What it throws is lost. When no search begins
  /// it is not called.
  template <detail::Callable Done>
  Result<void> try_begin_search(const Limits& limits, Done&& done) {
    using Kept = std::decay_t<Done>;
    auto kept = std::make_unique<Kept>(std::forward<Done>(done));
    auto begun = try_begin_search(limits, detail::call_and_delete<Kept>, kept.get());
    // The call may be over already: it has what was kept.
    if (begun) static_cast<void>(kept.release());
    return begun;
  }
  template <detail::Callable Done>
  void begin_search(const Limits& limits, Done&& done) {
    try_begin_search(limits, std::forward<Done>(done)).value();
  }

  void stop() noexcept { senet_session_stop(handle_.get()); }

  /// Whether the search is over and told of; false: it is still going on after that time. An error
  /// in a callback.
  Result<bool> try_wait(std::chrono::microseconds time) const {
    const senet_status status = senet_session_wait(handle_.get(), detail::microseconds(time));
    if (status == SENET_TIMEOUT) return false;
    if (status != SENET_OK) return detail::error(status, {});
    return true;
  }
  bool wait(std::chrono::microseconds time) const { return try_wait(time).value(); }
  /// The same without an end.
  Result<void> try_wait() const {
    return detail::answer(senet_session_wait(handle_.get(), UINT64_MAX));
  }
  void wait() const { try_wait().value(); }

  Result<Found> try_result() const {
    senet_result told = SENET_RESULT_INIT;
    Found found;
    for (;;) {
      const senet_status status =
          senet_session_result(handle_.get(), &told, found.choices.data(), found.choices.size());
      if (status != SENET_OK) return detail::error(status, {});
      if (found.choices.size() == told.choice_count) break;
      found.choices.resize(told.choice_count);
    }
    found.action = told.action;
    found.ending = told.ending;
    found.value = told.value;
    found.visits = told.visits;
    found.evaluations = told.evaluations;
    found.depth = told.depth;
    found.model = told.model;
    found.outcomes.assign(told.outcomes, told.outcomes + told.outcome_count);
    return found;
  }
  Found result() const { return try_result().value(); }

  /// Searches and waits for the result. Not in a callback.
  Result<Found> try_search(const Limits& limits) {
    if (Result<void> begun = try_begin_search(limits); !begun) return begun.error();
    if (Result<void> waited = try_wait(); !waited) return waited.error();
    return try_result();
  }
  Found search(const Limits& limits) { return try_search(limits).value(); }

  /// Ends its search and the session: senet_session_close. What is called then fails with
  /// SENET_BAD_ARGUMENT.
  void close() noexcept { handle_.reset(); }
  senet_session* handle() const { return handle_.get(); }

 private:
  std::unique_ptr<senet_session, detail::Closer<senet_session_close>> handle_;
};

/// Threads, batches and a bound of memory. Outlives its models and sessions.
class Engine {
 public:
  static Result<Engine> try_open(const senet_config& config) {
    senet_engine* handle = nullptr;
    senet_reason why{};
    const senet_status status = senet_engine_open(&config, &handle, &why);
    if (status != SENET_OK) return detail::error(status, why);
    return Engine(handle);
  }
  explicit Engine(const senet_config& config = default_config())
      : Engine(try_open(config).value()) {}

  Result<Model> try_load(std::string_view path) {
    senet_model* handle = nullptr;
    senet_reason why{};
    const senet_status status = senet_model_open(handle_.get(), detail::text(path), &handle, &why);
    if (status != SENET_OK) return detail::error(status, why);
    return Model(handle);
  }
  Model load(std::string_view path) { return try_load(path).value(); }

  Result<Model> try_load(std::span<const std::byte> weights) {
    senet_model* handle = nullptr;
    senet_reason why{};
    const senet_status status =
        senet_model_from_memory(handle_.get(), weights.data(), weights.size(), &handle, &why);
    if (status != SENET_OK) return detail::error(status, why);
    return Model(handle);
  }
  Model load(std::span<const std::byte> weights) { return try_load(weights).value(); }

  /// The network that is linked in, for games that have one.
  Result<Model> try_builtin(std::string_view game) {
    senet_model* handle = nullptr;
    senet_reason why{};
    const senet_status status =
        senet_model_builtin(handle_.get(), detail::text(game), &handle, &why);
    if (status != SENET_OK) return detail::error(status, why);
    return Model(handle);
  }
  Model builtin(std::string_view game) { return try_builtin(game).value(); }

  /// Fresh weights, which know nothing.
  Result<Model> try_untrained(std::string_view game, std::uint64_t seed = 1) {
    senet_model* handle = nullptr;
    senet_reason why{};
    const senet_status status =
        senet_model_untrained(handle_.get(), detail::text(game), seed, &handle, &why);
    if (status != SENET_OK) return detail::error(status, why);
    return Model(handle);
  }
  Model untrained(std::string_view game, std::uint64_t seed = 1) {
    return try_untrained(game, seed).value();
  }

  /// Searches of the model's game that begin from now on are answered by it.
  Result<void> try_use(const Model& model) {
    senet_reason why{};
    const senet_status status = senet_engine_use(handle_.get(), model.handle(), &why);
    return detail::answer(status, why);
  }
  void use(const Model& model) { try_use(model).value(); }

  Result<Session> try_open_session(std::string_view game) {
    senet_session* handle = nullptr;
    senet_reason why{};
    const senet_status status =
        senet_session_open(handle_.get(), detail::text(game), &handle, &why);
    if (status != SENET_OK) return detail::error(status, why);
    return Session(handle);
  }
  Session open_session(std::string_view game) { return try_open_session(game).value(); }

  /// Without workers: searches on this thread; returns how many searches are under way.
  Result<std::uint32_t> try_poll(std::chrono::microseconds budget) {
    std::uint32_t searches = 0;
    const std::uint64_t time = std::min<std::uint64_t>(detail::microseconds(budget), UINT32_MAX);
    const senet_status status =
        senet_poll(handle_.get(), static_cast<std::uint32_t>(time), &searches);
    if (status != SENET_OK) return detail::error(status, {});
    return searches;
  }
  std::uint32_t poll(std::chrono::microseconds budget) { return try_poll(budget).value(); }

  /// Ends all searches, then the engine: senet_engine_close. What is called then fails with
  /// SENET_BAD_ARGUMENT. In a callback of this engine it answers SENET_BAD_STATE and changes
  /// nothing; an Engine that is destroyed there is never closed.
  senet_status close() noexcept {
    const senet_status status = senet_engine_close(handle_.get());
    if (status == SENET_OK) static_cast<void>(handle_.release());
    return status;
  }
  std::uint64_t memory() const { return senet_engine_memory(handle_.get()); }
  senet_engine* handle() const { return handle_.get(); }

 private:
  explicit Engine(senet_engine* handle) : handle_(handle) {}
  std::unique_ptr<senet_engine, detail::Closer<senet_engine_close>> handle_;
};

}  // namespace senet::api
