// The C interface's sessions.
#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "engine/host/c_interface.hpp"

using namespace senet;  // the functions of C are in none

namespace {

// A session's handle is the session itself, so that nothing is left when the engine closes it.
Session& session_of(senet_session* handle) { return *reinterpret_cast<Session*>(handle); }
const Session& session_of(const senet_session* handle) {
  return *reinterpret_cast<const Session*>(handle);
}

/// As much of a list as a caller's buffer has room for.
template <class T>
Result<void> write_list(std::span<const T> list, T* to, std::size_t room, std::size_t* count) {
  if (to == nullptr && room > 0) return missing("the list");
  *count = list.size();
  std::copy_n(list.begin(), std::min(room, list.size()), to);
  if (room < list.size()) return fail(SENET_NO_ROOM, "there are more of them");
  return {};
}

/// A text for a caller's buffer, with its end.
Result<void> write_text(const Result<std::string>& text, char* to, std::size_t room,
                        std::size_t* size) {
  if (!text) return text.error();
  if (size != nullptr) *size = text->size();
  if (room <= text->size()) return fail(SENET_NO_ROOM, "the text is longer");
  if (to == nullptr) return missing("text");
  std::memcpy(to, text->c_str(), text->size() + 1);
  return {};
}

}  // namespace

senet_status senet_session_open(senet_engine* engine, senet_text game, senet_session** session,
                                senet_reason* why) {
  return guarded(why, {{engine, "engine"}, {session, "session"}}, [&]() -> Result<void> {
    const auto opened = engine->service->open_session(view(game));
    if (!opened) return opened.error();
    *session = reinterpret_cast<senet_session*>(*opened);
    return {};
  });
}

void senet_session_close(senet_session* session) {
  guarded(nullptr, {{session, "session"}},
          [&] { session_of(session).service().close_session(&session_of(session)); });
}

senet_status senet_session_set(senet_session* session, senet_text position,
                               const senet_action* actions, size_t count, senet_reason* why) {
  return guarded(why, {{session, "session"}}, [&]() -> Result<void> {
    if (actions == nullptr && count > 0) return missing("actions");
    return session_of(session).set(view(position), {actions, count});
  });
}

senet_status senet_session_play(senet_session* session, senet_action action, senet_reason* why) {
  return guarded(why, {{session, "session"}}, [&] { return session_of(session).play(action); });
}

senet_status senet_session_turn(const senet_session* session, senet_turn* turn) {
  return guarded(nullptr, {{session, "session"}, {turn, "turn"}},
                 [&] { *turn = static_cast<senet_turn>(session_of(session).turn()); });
}

senet_status senet_session_outcome(const senet_session* session, uint32_t* outcome) {
  return guarded(nullptr, {{session, "session"}, {outcome, "outcome"}},
                 [&] { return write(session_of(session).outcome(), outcome); });
}

senet_status senet_session_legal(const senet_session* session, senet_action* actions, size_t room,
                                 size_t* count) {
  return guarded(nullptr, {{session, "session"}, {count, "count"}}, [&] {
    Result<void> written;
    session_of(session).read_legal(
        [&](std::span<const Action> legal) { written = write_list(legal, actions, room, count); });
    return written;
  });
}

senet_status senet_session_chance(const senet_session* session, float* probabilities, size_t room,
                                  size_t* count) {
  return guarded(nullptr, {{session, "session"}, {count, "count"}}, [&] {
    const std::vector<float> chance = session_of(session).chance();
    return write_list(std::span(chance), probabilities, room, count);
  });
}

senet_status senet_session_text(const senet_session* session, char* text, size_t room,
                                size_t* size) {
  return guarded(nullptr, {{session, "session"}},
                 [&] { return write_text(session_of(session).text(), text, room, size); });
}

senet_status senet_session_action_text(const senet_session* session, senet_action action,
                                       char* text, size_t room, size_t* size) {
  return guarded(nullptr, {{session, "session"}}, [&] {
    return write_text(session_of(session).action_text(action), text, room, size);
  });
}

senet_status senet_session_read_action(const senet_session* session, senet_text text,
                                       senet_action* action, senet_reason* why) {
  return guarded(why, {{session, "session"}, {action, "action"}},
                 [&] { return write(session_of(session).action_from_text(view(text)), action); });
}

senet_status senet_session_search(senet_session* session, const senet_limits* limits,
                                  senet_done done, void* user, senet_reason* why) {
  return guarded(why, {{session, "session"}}, [&]() -> Result<void> {
    const auto read = read_struct(limits, senet_limits SENET_LIMITS_INIT, "senet_limits");
    if (!read) return read.error();
    if (read->priority < -1 || read->priority > 1) {
      return fail(SENET_BAD_ARGUMENT, "priority: -1, 0 or 1");
    }
    if (read->reserved != 0) return fail(SENET_BAD_ARGUMENT, "reserved: 0");
    if (!(read->temperature >= 0)) {
      return fail(SENET_BAD_ARGUMENT, "temperature: not negative");
    }
    constexpr std::uint64_t kCentury = std::uint64_t{3'000'000'000'000'000};
    Session::Done over;
    if (done != nullptr) over = [done, user, session] { done(user, session); };
    return session_of(session).service().search(
        session_of(session),
        {.visits = read->visits,
         .time = std::chrono::microseconds(std::min(read->time_us, kCentury)),
         .temperature = read->temperature,
         .noise = read->noise != 0,
         .priority = static_cast<Priority>(read->priority + 1)},
        std::move(over));
  });
}

void senet_session_stop(senet_session* session) {
  guarded(nullptr, {{session, "session"}}, [&] { session_of(session).stop(); });
}

senet_status senet_session_wait(const senet_session* session, uint64_t timeout_us) {
  return guarded(nullptr, {{session, "session"}}, [&] {
    constexpr std::uint64_t kYear = std::uint64_t{31'536'000'000'000};
    const auto time = std::chrono::microseconds(std::min(timeout_us, kYear));
    return session_of(session).service().wait(session_of(session), time);
  });
}

senet_status senet_session_result(const senet_session* session, senet_result* result,
                                  senet_choice* choices, size_t room) {
  return guarded(nullptr, {{session, "session"}}, [&]() -> Result<void> {
    if (choices == nullptr && room > 0) return missing("choices");
    const auto known = read_struct(result, senet_result{}, "senet_result");
    if (!known) return known.error();
    return session_of(session).read_result([&](const SessionResult& found) {
      senet_result c{.struct_size = known->struct_size,
                     .ending = static_cast<senet_ending>(found.ending),
                     .action = found.action,
                     .outcome_count = static_cast<std::uint16_t>(found.outcomes.size()),
                     .value = found.value,
                     .visits = found.visits,
                     .evaluations = found.evaluations,
                     .depth = found.depth,
                     .choice_count = static_cast<std::uint32_t>(found.choices.size()),
                     .model = found.model,
                     .outcomes = {}};
      std::copy_n(found.outcomes.begin(),
                  std::min<std::size_t>(found.outcomes.size(), SENET_MOST_OUTCOMES), c.outcomes);
      std::memcpy(result, &c, std::min<std::size_t>(c.struct_size, sizeof c));
      for (std::size_t i = 0; i < std::min(room, found.choices.size()); ++i) {
        const Choice& choice = found.choices[i];
        choices[i] = {choice.action, 0, choice.visits, choice.prior, choice.value};
      }
    });
  });
}
