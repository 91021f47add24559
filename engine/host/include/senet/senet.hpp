// The C++20 interface of libsenet: RAII classes and values on top of senet.h. Header-only, so your
// program may use another compiler and standard library than the library was built with.
//
// Functions that can fail come in pairs: try_x(...) returns a Result, which holds a value or an
// Error; x(...) is try_x(...).value(), which throws the Error. The rules of senet.h about threads,
// callbacks and lifetimes apply.
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

/// A senet_config with the defaults of senet.h.
inline senet_config default_config() {
  senet_config config;
  senet_config_init(&config, sizeof config);
  return config;
}

/// A text field of senet_config. Does not copy: `words` must outlive its use.
inline senet_text text(std::string_view words) { return detail::text(words); }

/// The largest `visits` with which config.sessions sessions, all of `game`, fit into config.memory;
/// 0 if not even one visit fits.
inline Result<std::uint32_t> try_fit(const senet_config& config, std::string_view game) {
  return detail::ask<std::uint32_t>(senet_config_fit, &config, text(game));
}
inline std::uint32_t fit(const senet_config& config, std::string_view game) {
  return try_fit(config, game).value();
}

/// The largest `sessions` that fit with config.visits each.
inline Result<std::uint32_t> try_fit_sessions(const senet_config& config, std::string_view game) {
  return detail::ask<std::uint32_t>(senet_config_fit_sessions, &config, text(game));
}
inline std::uint32_t fit_sessions(const senet_config& config, std::string_view game) {
  return try_fit_sessions(config, game).value();
}

/// A search ends at the first limit that it reaches; 0: no limit. A negative time (a deadline that
/// has passed) allows one visit.
struct Limits {
  std::uint32_t visits = 0;  // of the root, including those kept from the previous search
  std::chrono::microseconds time{0};
  float temperature = 0;  // the action is drawn with weights visits^(1/temperature); 0: the best
  bool noise = false;     // noise at the root, so that games differ
  int priority = 0;       // against other sessions: -1 gets half the visits of 0, +1 twice as many
  std::uint32_t level = 0;  // of Model::levels(), 1 the weakest: plays below full strength
  std::uint32_t depth = 0;  // of the longest line, in moves that are not forced
  std::uint32_t lines = 0;  // continuations in the result, at most senet_config.lines
  /// Called during a search, about every progress_every: see senet_progress. Gets the `user` of
  /// begin_search(limits, done, user); in the other calls its `user` means nothing.
  senet_progress progress = nullptr;
  std::chrono::microseconds progress_every = std::chrono::seconds(1);
  /// Settings for this search: "c-puct=2 leaves=4" (senet_limits.search).
  std::string_view search = {};
};

/// The result of a search; fields as in senet_result.
struct Found {
  senet_action action = 0;
  senet_ending ending = SENET_BY_VISITS;
  float value = 0;
  std::uint32_t visits = 0, evaluations = 0, depth = 0;
  std::uint64_t model = 0;
  std::vector<float> outcomes;
  std::vector<senet_choice> choices;
  /// The expected continuations of the first choices, each beginning with the choice.
  std::vector<std::vector<senet_action>> lines;
};

/// Weights that an engine has loaded. Must be destroyed before its engine.
class Model {
 public:
  /// Takes ownership of the handle.
  explicit Model(senet_model* handle) : handle_(handle) {}
  /// A hash of the weights, independent of their source.
  std::uint64_t id() const { return senet_model_id(handle_.get()); }
  /// The name of the game that the model plays, valid while the model is open.
  std::string_view game() const {
    const senet_text game = senet_model_game(handle_.get());
    return {game.data, game.size};
  }
  /// The shape of its network.
  Result<senet_model_shape> try_shape() const {
    senet_model_shape shape = SENET_MODEL_SHAPE_INIT;
    const auto asked = detail::call(senet_model_get_shape, handle(), &shape);
    return asked ? Result<senet_model_shape>(shape) : asked.error();
  }
  senet_model_shape shape() const { return try_shape().value(); }
  /// The levels of strength, the weakest first; may be empty.
  Result<std::vector<senet_level>> try_levels() const {
    return detail::read<std::vector<senet_level>>(senet_model_levels, handle());
  }
  std::vector<senet_level> levels() const { return try_levels().value(); }
  /// Releases the weights now. After that the id is 0, the game is empty and Engine::use() fails
  /// with SENET_BAD_ARGUMENT.
  void close() noexcept { handle_.reset(); }
  /// For functions of senet.h; still owned by this object.
  const senet_model* handle() const { return handle_.get(); }

 private:
  std::unique_ptr<senet_model, detail::Closer<senet_model_release>> handle_;
};

/// One game that is played or analysed. Must be destroyed before its engine.
class Session {
 public:
  /// Takes ownership of the handle.
  explicit Session(senet_session* handle) : handle_(handle) {}

  /// Sets the position from text (empty: the start), then plays the actions. Fails with SENET_BUSY
  /// during a search, like play().
  Result<void> try_set(std::string_view position, std::span<const senet_action> actions = {}) {
    return detail::call(senet_session_set, handle(), detail::text(position), actions.data(),
                        actions.size());
  }
  void set(std::string_view position, std::span<const senet_action> actions = {}) {
    try_set(position, actions).value();
  }

  /// Another session of the same game at this position, which can undo as far as this one. Its tree
  /// is empty. Also during a search.
  Result<Session> try_clone() const {
    return detail::open<Session, senet_session>(senet_session_clone, handle());
  }
  Session clone() const { return try_clone().value(); }

  /// Plays a legal move, or a chance outcome on a chance turn; else SENET_BAD_ACTION.
  Result<void> try_play(senet_action action) {
    return detail::call(senet_session_play, handle(), action);
  }
  void play(senet_action action) { try_play(action).value(); }
  /// Takes back the last action; SENET_BAD_STATE if there is none.
  Result<void> try_undo() { return detail::call(senet_session_undo, handle()); }
  void undo() { try_undo().value(); }

  /// Whose turn it is.
  Result<senet_turn> try_turn() const {
    return detail::ask<senet_turn>(senet_session_turn, handle());
  }
  senet_turn turn() const { return try_turn().value(); }

  /// How a finished game ended, from player 0's perspective: an index into the game's ways to end.
  Result<std::uint32_t> try_outcome() const {
    return detail::ask<std::uint32_t>(senet_session_outcome, handle());
  }
  std::uint32_t outcome() const { return try_outcome().value(); }

  /// The legal moves, ascending; empty unless a player is to move.
  Result<std::vector<senet_action>> try_legal() const {
    return detail::read<std::vector<senet_action>>(senet_session_legal, handle());
  }
  std::vector<senet_action> legal() const { return try_legal().value(); }

  /// The probabilities of the chance outcomes, by action; empty unless it is chance's turn.
  Result<std::vector<float>> try_chance() const {
    return detail::read<std::vector<float>>(senet_session_chance, handle());
  }
  std::vector<float> chance() const { return try_chance().value(); }

  /// The position as one line, which set() parses.
  Result<std::string> try_text() const {
    return detail::read<std::string>(senet_session_text, handle());
  }
  std::string text() const { return try_text().value(); }

  /// The notation of a legal move or a chance outcome; else SENET_BAD_ACTION.
  Result<std::string> try_action_text(senet_action action) const {
    return detail::read<std::string>(senet_session_action_text, handle(), action);
  }
  std::string action_text(senet_action action) const { return try_action_text(action).value(); }

  /// Parses the notation of an action; SENET_BAD_ACTION if it is not a legal one.
  Result<senet_action> try_read_action(std::string_view text) const {
    return detail::ask<senet_action>(senet_session_read_action, handle(), detail::text(text));
  }
  senet_action read_action(std::string_view text) const { return try_read_action(text).value(); }

  /// Begins a search and returns immediately.
  Result<void> try_begin_search(const Limits& limits, senet_done done = nullptr,
                                void* user = nullptr) {
    senet_limits c = SENET_LIMITS_INIT;
    c.visits = limits.visits;
    c.time_us = detail::microseconds(limits.time, 1);
    c.temperature = limits.temperature;
    c.noise = limits.noise ? 1 : 0;
    c.priority = limits.priority;
    c.level = limits.level;
    c.depth = limits.depth;
    c.lines = limits.lines;
    c.progress_us = detail::microseconds(limits.progress_every);
    c.progress = limits.progress;
    c.search = detail::text(limits.search);
    return detail::call(senet_session_search, handle(), &c, done, user);
  }
  void begin_search(const Limits& limits, senet_done done = nullptr, void* user = nullptr) {
    try_begin_search(limits, done, user).value();
  }

  /// The same with a callable that takes no arguments, called like a senet_done. It is moved or
  /// copied in, and destroyed after the call, on the thread that ended the search. Objects that it
  /// refers to must live until then. Exceptions from it are dropped. It is not called if the search
  /// does not begin.
  template <detail::Callable Done>
  Result<void> try_begin_search(const Limits& limits, Done&& done) {
    using Kept = std::decay_t<Done>;
    auto kept = std::make_unique<Kept>(std::forward<Done>(done));
    auto begun = try_begin_search(limits, detail::call_and_delete<Kept>, kept.get());
    // The callback deletes it, and may have done so already.
    if (begun) static_cast<void>(kept.release());
    return begun;
  }
  template <detail::Callable Done>
  void begin_search(const Limits& limits, Done&& done) {
    try_begin_search(limits, std::forward<Done>(done)).value();
  }

  /// Asks the search to end with the result so far, after one visit at least. Any thread, any time.
  void stop() noexcept { senet_session_stop(handle_.get()); }

  /// Waits until the search has ended and its callback has returned; false if that takes longer
  /// than `time`. SENET_BAD_STATE in a callback.
  Result<bool> try_wait(std::chrono::microseconds time) const {
    const auto waited = detail::call(senet_session_wait, handle(), detail::microseconds(time));
    if (waited || waited.error().status() == SENET_TIMEOUT) return waited.has_value();
    return waited.error();
  }
  bool wait(std::chrono::microseconds time) const { return try_wait(time).value(); }
  /// The same without a timeout.
  Result<void> try_wait() const { return detail::call(senet_session_wait, handle(), UINT64_MAX); }
  void wait() const { try_wait().value(); }

  /// The result of the last search. SENET_BUSY while one runs, SENET_BAD_STATE before the first and
  /// after the position has changed, and the search's own error if it failed.
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
    for (;;) {
      auto line =
          detail::read<std::vector<senet_action>>(senet_session_line, handle(), found.lines.size());
      if (!line) break;  // there are no more
      found.lines.push_back(std::move(*line));
    }
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

  /// What the model in use expects of the position, without a search. Any thread, any time.
  Result<senet_expectation> try_evaluate() const {
    return detail::ask<senet_expectation>(senet_session_evaluate, handle());
  }
  senet_expectation evaluate() const { return try_evaluate().value(); }

  /// Ends the search and the session (senet_session_close). Later calls fail with
  /// SENET_BAD_ARGUMENT.
  void close() noexcept { handle_.reset(); }
  /// For functions of senet.h; still owned by this object.
  senet_session* handle() const { return handle_.get(); }

 private:
  std::unique_ptr<senet_session, detail::Closer<senet_session_close>> handle_;
};

/// Threads, batches and the memory bound. Must outlive its models and sessions.
class Engine {
 public:
  /// Takes ownership of the handle.
  explicit Engine(senet_engine* handle) : handle_(handle) {}
  static Result<Engine> try_open(const senet_config& config) {
    return detail::open<Engine, senet_engine>(senet_engine_open, &config);
  }
  explicit Engine(const senet_config& config = default_config())
      : Engine(try_open(config).value()) {}

  /// The names of all games, valid while the engine is open.
  std::vector<std::string_view> games() const {
    std::vector<std::string_view> names;
    for (const senet_text& name :
         detail::read<std::vector<senet_text>>(senet_engine_games, handle()).value()) {
      names.emplace_back(name.data, name.size);
    }
    return names;
  }

  /// Reads weights from a safetensors file. SENET_NO_FILE, SENET_BAD_MODEL, SENET_NO_MEMORY.
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

  /// The network that is linked in; SENET_NO_FILE for games that have none.
  Result<Model> try_builtin(std::string_view game) {
    return detail::open<Model, senet_model>(senet_model_builtin, handle(), detail::text(game));
  }
  Model builtin(std::string_view game) { return try_builtin(game).value(); }

  /// Untrained weights, drawn from `seed`.
  Result<Model> try_untrained(std::string_view game, std::uint64_t seed = 1) {
    return detail::open<Model, senet_model>(senet_model_untrained, handle(), detail::text(game),
                                            seed);
  }
  Model untrained(std::string_view game, std::uint64_t seed = 1) {
    return try_untrained(game, seed).value();
  }

  /// No network: random games value positions (senet_model_playouts).
  Result<Model> try_playouts(std::string_view game) {
    return detail::open<Model, senet_model>(senet_model_playouts, handle(), detail::text(game));
  }
  Model playouts(std::string_view game) { return try_playouts(game).value(); }

  /// Publishes the model: searches of its game that begin from now on use it (senet_engine_use).
  Result<void> try_use(const Model& model) {
    return detail::call(senet_engine_use, handle(), model.handle());
  }
  void use(const Model& model) { try_use(model).value(); }

  /// Opens a session at the start of the game. A model of the game must be in use, unless the game
  /// has no built-in network: then playouts().
  Result<Session> try_open_session(std::string_view game) {
    return detail::open<Session, senet_session>(senet_session_open, handle(), detail::text(game));
  }
  Session open_session(std::string_view game) { return try_open_session(game).value(); }

  /// What the model in use expects of positions, given as texts, without a search
  /// (senet_engine_evaluate). Any thread.
  Result<std::vector<senet_expectation>> try_evaluate(std::string_view game,
                                                      std::span<const senet_text> positions) {
    std::vector<senet_expectation> expected(positions.size());
    const auto asked = detail::call(senet_engine_evaluate, handle(), detail::text(game),
                                    positions.data(), positions.size(), expected.data());
    if (!asked) return asked.error();
    return expected;
  }
  std::vector<senet_expectation> evaluate(std::string_view game,
                                          std::span<const senet_text> positions) {
    return try_evaluate(game, positions).value();
  }

  /// Without workers: searches on this thread for about `budget` (senet_poll). Returns the number
  /// of running searches.
  Result<std::uint32_t> try_poll(std::chrono::microseconds budget) {
    const std::uint64_t time = std::min<std::uint64_t>(detail::microseconds(budget), UINT32_MAX);
    return detail::ask<std::uint32_t>(senet_poll, handle(), static_cast<std::uint32_t>(time));
  }
  std::uint32_t poll(std::chrono::microseconds budget) { return try_poll(budget).value(); }

  /// Ends all searches, then the engine (senet_engine_close). Later calls fail with
  /// SENET_BAD_ARGUMENT. In a callback of this engine it does nothing and returns SENET_BAD_STATE;
  /// an Engine that is destroyed there is never closed.
  senet_status close() noexcept {
    const senet_status status = senet_engine_close(handle_.get());
    if (status == SENET_OK) static_cast<void>(handle_.release());
    return status;
  }
  /// Bytes reserved so far; at most senet_config.memory.
  std::uint64_t memory() const { return senet_engine_memory(handle_.get()); }
  /// For functions of senet.h; still owned by this object.
  senet_engine* handle() const { return handle_.get(); }

 private:
  std::unique_ptr<senet_engine, detail::Closer<senet_engine_close>> handle_;
};

}  // namespace senet::api
