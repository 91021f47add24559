// The C++ face of libsenet: owners and values over senet.h, in headers alone, so that your
// compiler and standard library need not be ours. C++20.
//
// Every function comes twice. try_open(...) returns a Result, which holds a value or an Error;
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
  return detail::ask<std::uint32_t>(senet_config_fit, &config, text(game));
}
inline std::uint32_t fit(const senet_config& config, std::string_view game) {
  return try_fit(config, game).value();
}

/// The most `sessions` of config.visits visits each that fit.
inline Result<std::uint32_t> try_fit_sessions(const senet_config& config, std::string_view game) {
  return detail::ask<std::uint32_t>(senet_config_fit_sessions, &config, text(game));
}
inline std::uint32_t fit_sessions(const senet_config& config, std::string_view game) {
  return try_fit_sessions(config, game).value();
}

/// When a search ends: at whichever comes first; 0: no such limit. Negative time, of a deadline
/// that has passed, allows one visit.
struct Limits {
  std::uint32_t visits = 0;  // of the root, those kept from the search before included
  std::chrono::microseconds time{0};
  float temperature = 0;  // the action is drawn with weights visits^(1/temperature); 0: the best
  bool noise = false;     // noise at the root, for games that shall differ
  int priority = 0;       // beside others: -1 gets half of the visits of 0, +1 twice as many
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
  /// Takes a handle over.
  explicit Model(senet_model* handle) : handle_(handle) {}
  /// Names the content, wherever it came from.
  std::uint64_t id() const { return senet_model_id(handle_.get()); }
  /// Lets go of it now: its id is 0 then, and an engine refuses it with SENET_BAD_ARGUMENT.
  void close() noexcept { handle_.reset(); }
  /// For functions of senet.h; stays this object's.
  const senet_model* handle() const { return handle_.get(); }

 private:
  std::unique_ptr<senet_model, detail::Closer<senet_model_release>> handle_;
};

/// One game. Goes before its engine.
class Session {
 public:
  /// Takes a handle over.
  explicit Session(senet_session* handle) : handle_(handle) {}

  /// The position from text (empty: the start), then these actions. SENET_BUSY while it searches,
  /// as with play().
  Result<void> try_set(std::string_view position, std::span<const senet_action> actions = {}) {
    return detail::call(senet_session_set, handle(), detail::text(position), actions.data(),
                        actions.size());
  }
  void set(std::string_view position, std::span<const senet_action> actions = {}) {
    try_set(position, actions).value();
  }

  /// Plays a legal move, or an outcome of chance on its turn; else SENET_BAD_ACTION.
  Result<void> try_play(senet_action action) {
    return detail::call(senet_session_play, handle(), action);
  }
  void play(senet_action action) { try_play(action).value(); }

  /// Whose turn it is.
  Result<senet_turn> try_turn() const {
    return detail::ask<senet_turn>(senet_session_turn, handle());
  }
  senet_turn turn() const { return try_turn().value(); }

  /// How a finished game ended, as player 0 sees it.
  Result<std::uint32_t> try_outcome() const {
    return detail::ask<std::uint32_t>(senet_session_outcome, handle());
  }
  std::uint32_t outcome() const { return try_outcome().value(); }

  /// The legal moves, ascending; none but on a player's turn.
  Result<std::vector<senet_action>> try_legal() const {
    return detail::read<std::vector<senet_action>>(senet_session_legal, handle());
  }
  std::vector<senet_action> legal() const { return try_legal().value(); }

  /// How probable each outcome of chance is, that of action 0 first; none but on its turn.
  Result<std::vector<float>> try_chance() const {
    return detail::read<std::vector<float>>(senet_session_chance, handle());
  }
  std::vector<float> chance() const { return try_chance().value(); }

  /// The position as one line, which try_set() reads.
  Result<std::string> try_text() const {
    return detail::read<std::string>(senet_session_text, handle());
  }
  std::string text() const { return try_text().value(); }

  /// The notation of a legal move or an outcome of chance; else SENET_BAD_ACTION.
  Result<std::string> try_action_text(senet_action action) const {
    return detail::read<std::string>(senet_session_action_text, handle(), action);
  }
  std::string action_text(senet_action action) const { return try_action_text(action).value(); }

  /// The action that a person means; SENET_BAD_ACTION when there is none here.
  Result<senet_action> try_read_action(std::string_view text) const {
    return detail::ask<senet_action>(senet_session_read_action, handle(), detail::text(text));
  }
  senet_action read_action(std::string_view text) const { return try_read_action(text).value(); }

  /// Begins a search and returns at once.
  Result<void> try_begin_search(const Limits& limits, senet_done done = nullptr,
                                void* user = nullptr) {
    senet_limits c = SENET_LIMITS_INIT;
    c.visits = limits.visits;
    c.time_us = detail::microseconds(limits.time, 1);
    c.temperature = limits.temperature;
    c.noise = limits.noise ? 1 : 0;
    c.priority = limits.priority;
    return detail::call(senet_session_search, handle(), &c, done, user);
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

  /// Asks the search to end with what it has, at least one visit. Any thread, at any time.
  void stop() noexcept { senet_session_stop(handle_.get()); }

  /// Whether the search has ended and its callback has returned; false: not within that time. An
  /// error in a callback.
  Result<bool> try_wait(std::chrono::microseconds time) const {
    const auto waited = detail::call(senet_session_wait, handle(), detail::microseconds(time));
    if (waited || waited.error().status() == SENET_TIMEOUT) return waited.has_value();
    return waited.error();
  }
  bool wait(std::chrono::microseconds time) const { return try_wait(time).value(); }
  /// The same without an end.
  Result<void> try_wait() const { return detail::call(senet_session_wait, handle(), UINT64_MAX); }
  void wait() const { try_wait().value(); }

  /// Of the last search: SENET_BUSY during one, SENET_BAD_STATE before the first and when the
  /// position has changed, and what ended it if it failed.
  Result<Found> try_result() const {
    senet_result c = SENET_RESULT_INIT;
    Found found;
    do {
      found.choices.resize(c.choice_count);
      const auto asked = detail::call(senet_session_result, handle(), &c, found.choices.data(),
                                      found.choices.size());
      if (!asked) return asked.error();
    } while (found.choices.size() != c.choice_count);
    found.action = c.action;
    found.ending = c.ending;
    found.value = c.value;
    found.visits = c.visits;
    found.evaluations = c.evaluations;
    found.depth = c.depth;
    found.model = c.model;
    found.outcomes.assign(c.outcomes, c.outcomes + c.outcome_count);
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
  /// For functions of senet.h; stays this object's.
  senet_session* handle() const { return handle_.get(); }

 private:
  std::unique_ptr<senet_session, detail::Closer<senet_session_close>> handle_;
};

/// Threads, batches and a bound of memory. Outlives its models and sessions.
class Engine {
 public:
  /// Takes a handle over.
  explicit Engine(senet_engine* handle) : handle_(handle) {}
  static Result<Engine> try_open(const senet_config& config) {
    return detail::open<Engine, senet_engine>(senet_engine_open, &config);
  }
  explicit Engine(const senet_config& config = default_config())
      : Engine(try_open(config).value()) {}

  /// Weights from a safetensors file: SENET_NO_FILE, SENET_BAD_MODEL, SENET_NO_MEMORY.
  Result<Model> try_load(std::string_view path) {
    return detail::open<Model, senet_model>(senet_model_open, handle(), detail::text(path));
  }
  Model load(std::string_view path) { return try_load(path).value(); }

  /// The same from the bytes of such a file, which are copied.
  Result<Model> try_load(std::span<const std::byte> weights) {
    return detail::open<Model, senet_model>(senet_model_from_memory, handle(), weights.data(),
                                            weights.size());
  }
  Model load(std::span<const std::byte> weights) { return try_load(weights).value(); }

  /// The network that is linked in, for games that have one.
  Result<Model> try_builtin(std::string_view game) {
    return detail::open<Model, senet_model>(senet_model_builtin, handle(), detail::text(game));
  }
  Model builtin(std::string_view game) { return try_builtin(game).value(); }

  /// Fresh weights, which know nothing.
  Result<Model> try_untrained(std::string_view game, std::uint64_t seed = 1) {
    return detail::open<Model, senet_model>(senet_model_untrained, handle(), detail::text(game),
                                            seed);
  }
  Model untrained(std::string_view game, std::uint64_t seed = 1) {
    return try_untrained(game, seed).value();
  }

  /// Searches of the model's game that begin from now on are answered by it.
  Result<void> try_use(const Model& model) {
    return detail::call(senet_engine_use, handle(), model.handle());
  }
  void use(const Model& model) { try_use(model).value(); }

  /// At the start of the game; a model of the game must be in use.
  Result<Session> try_open_session(std::string_view game) {
    return detail::open<Session, senet_session>(senet_session_open, handle(), detail::text(game));
  }
  Session open_session(std::string_view game) { return try_open_session(game).value(); }

  /// Without workers: searches on this thread; returns how many searches are under way.
  Result<std::uint32_t> try_poll(std::chrono::microseconds budget) {
    const std::uint64_t time = std::min<std::uint64_t>(detail::microseconds(budget), UINT32_MAX);
    return detail::ask<std::uint32_t>(senet_poll, handle(), static_cast<std::uint32_t>(time));
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
  /// Bytes promised so far; never more than senet_config.memory.
  std::uint64_t memory() const { return senet_engine_memory(handle_.get()); }
  /// For functions of senet.h; stays this object's.
  senet_engine* handle() const { return handle_.get(); }

 private:
  std::unique_ptr<senet_engine, detail::Closer<senet_engine_close>> handle_;
};

}  // namespace senet::api
