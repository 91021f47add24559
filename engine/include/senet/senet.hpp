// The C++ face of libsenet: owners and values over senet.h, in this header alone, so that your
// compiler and standard library need not be ours. C++20.
//
// Every function comes twice. try_open(...) returns an Answer, which holds a value or an Error;
// open(...) is try_open(...).value(), which throws the Error. What senet.h says about threads,
// callbacks and lifetimes holds here too.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "senet/senet.h"

namespace senet::api {

/// What went wrong: a kind for programs, a sentence for people.
class Error : public std::exception {
 public:
  Error(senet_status status, std::string reason) : status_(status), reason_(std::move(reason)) {}
  senet_status status() const { return status_; }
  const std::string& reason() const { return reason_; }
  const char* what() const noexcept override { return reason_.c_str(); }

 private:
  senet_status status_;
  std::string reason_;
};

/// A value, or the error there is instead.
template <class T>
class [[nodiscard]] Answer {
 public:
  Answer(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Answer(Error error) : content_(std::in_place_index<1>, std::move(error)) {}
  explicit operator bool() const { return content_.index() == 0; }
  /// Throws the error when there is no value.
  T& value() & { return throw_error(), std::get<0>(content_); }
  const T& value() const& { return throw_error(), std::get<0>(content_); }
  T value() && { return throw_error(), std::get<0>(std::move(content_)); }
  /// Only without a value.
  const Error& error() const { return std::get<1>(content_); }

 private:
  void throw_error() const {
    if (content_.index() == 1) throw std::get<1>(content_);
  }
  std::variant<T, Error> content_;
};

/// Nothing, or an error.
template <>
class [[nodiscard]] Answer<void> {
 public:
  Answer() = default;
  Answer(Error error) : error_(std::move(error)) {}
  explicit operator bool() const { return !error_; }
  void value() const {
    if (error_) throw *error_;
  }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

namespace detail {

inline senet_text text(std::string_view words) { return {words.data(), words.size()}; }
inline Error error(senet_status status, const senet_reason& why) {
  return {status, why.text[0] != '\0' ? why.text : senet_status_name(status)};
}
inline Answer<void> answer(senet_status status, const senet_reason& why = {}) {
  if (status == SENET_OK) return {};
  return error(status, why);
}

/// Calls read(buffer, room, &size) until the buffer has room for all of it.
template <class Read>
Answer<std::string> read_text(Read&& read) {
  std::string text(63, '\0');
  for (;;) {
    std::size_t size = 0;
    const senet_status status = read(text.data(), text.size() + 1, &size);
    text.resize(size);
    if (status == SENET_OK) return text;
    if (status != SENET_NO_ROOM) return error(status, {});
  }
}

/// Microseconds for C: what is negative is `least`.
inline std::uint64_t microseconds(std::chrono::microseconds time, std::uint64_t least = 0) {
  return time.count() < 0 ? least : static_cast<std::uint64_t>(time.count());
}

template <auto kClose>
struct Closer {
  template <class Handle>
  void operator()(Handle* handle) const {
    kClose(handle);
  }
};

}  // namespace detail

/// The defaults of senet.h, to be changed field by field.
inline senet_config default_config() {
  senet_config config;
  senet_config_init(&config, sizeof config);
  return config;
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
  const senet_model* handle() const { return handle_.get(); }

 private:
  std::unique_ptr<senet_model, detail::Closer<senet_model_release>> handle_;
};

/// One game. Goes before its engine.
class Session {
 public:
  explicit Session(senet_session* handle) : handle_(handle) {}

  /// The position from text (empty: the start), then these actions.
  Answer<void> try_set(std::string_view position, std::span<const senet_action> actions = {}) {
    senet_reason why{};
    const senet_status status = senet_session_set(handle_.get(), detail::text(position),
                                                  actions.data(), actions.size(), &why);
    return detail::answer(status, why);
  }
  void set(std::string_view position, std::span<const senet_action> actions = {}) {
    try_set(position, actions).value();
  }

  Answer<void> try_play(senet_action action) {
    senet_reason why{};
    const senet_status status = senet_session_play(handle_.get(), action, &why);
    return detail::answer(status, why);
  }
  void play(senet_action action) { try_play(action).value(); }

  Answer<senet_turn> try_turn() const {
    senet_turn turn{};
    const senet_status status = senet_session_turn(handle_.get(), &turn);
    if (status != SENET_OK) return detail::error(status, {});
    return turn;
  }
  senet_turn turn() const { return try_turn().value(); }

  /// How a finished game ended, as player 0 sees it.
  Answer<std::uint32_t> try_outcome() const {
    std::uint32_t outcome = 0;
    const senet_status status = senet_session_outcome(handle_.get(), &outcome);
    if (status != SENET_OK) return detail::error(status, {});
    return outcome;
  }
  std::uint32_t outcome() const { return try_outcome().value(); }

  Answer<std::vector<senet_action>> try_legal() const {
    std::vector<senet_action> actions(64);
    for (;;) {
      std::size_t count = 0;
      const senet_status status =
          senet_session_legal(handle_.get(), actions.data(), actions.size(), &count);
      actions.resize(count);
      if (status == SENET_OK) return actions;
      if (status != SENET_NO_ROOM) return detail::error(status, {});
    }
  }
  std::vector<senet_action> legal() const { return try_legal().value(); }

  Answer<std::string> try_text() const {
    return detail::read_text([&](char* text, std::size_t room, std::size_t* size) {
      return senet_session_text(handle_.get(), text, room, size);
    });
  }
  std::string text() const { return try_text().value(); }

  Answer<std::string> try_action_text(senet_action action) const {
    return detail::read_text([&](char* text, std::size_t room, std::size_t* size) {
      return senet_session_action_text(handle_.get(), action, text, room, size);
    });
  }
  std::string action_text(senet_action action) const { return try_action_text(action).value(); }

  Answer<senet_action> try_read_action(std::string_view text) const {
    senet_action action = 0;
    senet_reason why{};
    const senet_status status =
        senet_session_read_action(handle_.get(), detail::text(text), &action, &why);
    if (status != SENET_OK) return detail::error(status, why);
    return action;
  }
  senet_action read_action(std::string_view text) const { return try_read_action(text).value(); }

  /// Begins a search and returns at once.
  Answer<void> try_begin_search(const Limits& limits, senet_done done = nullptr,
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
  void stop() { senet_session_stop(handle_.get()); }
  /// False when the search is still going on after that time.
  bool wait(std::chrono::microseconds time) const {
    return senet_session_wait(handle_.get(), detail::microseconds(time)) == SENET_OK;
  }
  void wait() const { senet_session_wait(handle_.get(), UINT64_MAX); }  // not in a callback

  Answer<Found> try_result() const {
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
  Answer<Found> try_search(const Limits& limits) {
    if (Answer<void> begun = try_begin_search(limits); !begun) return begun.error();
    const senet_status status = senet_session_wait(handle_.get(), UINT64_MAX);
    if (status != SENET_OK) return detail::error(status, {});
    return try_result();
  }
  Found search(const Limits& limits) { return try_search(limits).value(); }

  senet_session* handle() const { return handle_.get(); }

 private:
  std::unique_ptr<senet_session, detail::Closer<senet_session_close>> handle_;
};

/// Threads, batches and a bound of memory. Outlives its models and sessions.
class Engine {
 public:
  static Answer<Engine> try_open(const senet_config& config) {
    senet_engine* handle = nullptr;
    senet_reason why{};
    const senet_status status = senet_engine_open(&config, &handle, &why);
    if (status != SENET_OK) return detail::error(status, why);
    return Engine(handle);
  }
  explicit Engine(const senet_config& config = default_config())
      : Engine(try_open(config).value()) {}

  Answer<Model> try_load(std::string_view path) {
    senet_model* handle = nullptr;
    senet_reason why{};
    const senet_status status = senet_model_open(handle_.get(), detail::text(path), &handle, &why);
    if (status != SENET_OK) return detail::error(status, why);
    return Model(handle);
  }
  Model load(std::string_view path) { return try_load(path).value(); }

  Answer<Model> try_load(std::span<const std::byte> weights) {
    senet_model* handle = nullptr;
    senet_reason why{};
    const senet_status status =
        senet_model_from_memory(handle_.get(), weights.data(), weights.size(), &handle, &why);
    if (status != SENET_OK) return detail::error(status, why);
    return Model(handle);
  }
  Model load(std::span<const std::byte> weights) { return try_load(weights).value(); }

  /// The network that is linked in, for games that have one.
  Answer<Model> try_builtin(std::string_view game) {
    senet_model* handle = nullptr;
    senet_reason why{};
    const senet_status status =
        senet_model_builtin(handle_.get(), detail::text(game), &handle, &why);
    if (status != SENET_OK) return detail::error(status, why);
    return Model(handle);
  }
  Model builtin(std::string_view game) { return try_builtin(game).value(); }

  /// Fresh weights, which know nothing.
  Answer<Model> try_untrained(std::string_view game, std::uint64_t seed = 1) {
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
  Answer<void> try_use(const Model& model) {
    senet_reason why{};
    const senet_status status = senet_engine_use(handle_.get(), model.handle(), &why);
    return detail::answer(status, why);
  }
  void use(const Model& model) { try_use(model).value(); }

  Answer<Session> try_open_session(std::string_view game) {
    senet_session* handle = nullptr;
    senet_reason why{};
    const senet_status status =
        senet_session_open(handle_.get(), detail::text(game), &handle, &why);
    if (status != SENET_OK) return detail::error(status, why);
    return Session(handle);
  }
  Session open_session(std::string_view game) { return try_open_session(game).value(); }

  /// Without workers: searches on this thread; returns how many searches are under way.
  std::uint32_t poll(std::chrono::microseconds budget) {
    std::uint32_t searches = 0;
    const std::uint64_t time = std::min<std::uint64_t>(detail::microseconds(budget), UINT32_MAX);
    senet_poll(handle_.get(), static_cast<std::uint32_t>(time), &searches);
    return searches;
  }
  std::uint64_t memory() const { return senet_engine_memory(handle_.get()); }
  senet_engine* handle() const { return handle_.get(); }

 private:
  explicit Engine(senet_engine* handle) : handle_(handle) {}
  std::unique_ptr<senet_engine, detail::Closer<senet_engine_close>> handle_;
};

}  // namespace senet::api
