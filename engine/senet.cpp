// The C interface: translates between C and the service, and lets nothing else through.
#include "senet/senet.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <type_traits>

#include "engine/service.hpp"
#include "games/registry.hpp"

// The handles are ours to fill.
struct senet_engine {
  std::unique_ptr<senet::Service> service;
};
struct senet_model {
  const senet::Service* owner;
  senet::SharedNetwork network;
};

namespace {

using senet::Failure;
using senet::Outcome;
using senet::Status;

static_assert(static_cast<int>(Status::kOk) == SENET_OK);
static_assert(static_cast<int>(Status::kBadArgument) == SENET_BAD_ARGUMENT);
static_assert(static_cast<int>(Status::kBadState) == SENET_BAD_STATE);
static_assert(static_cast<int>(Status::kBadAction) == SENET_BAD_ACTION);
static_assert(static_cast<int>(Status::kUnknownGame) == SENET_UNKNOWN_GAME);
static_assert(static_cast<int>(Status::kNoFile) == SENET_NO_FILE);
static_assert(static_cast<int>(Status::kBadModel) == SENET_BAD_MODEL);
static_assert(static_cast<int>(Status::kModelMismatch) == SENET_MODEL_MISMATCH);
static_assert(static_cast<int>(Status::kNoMemory) == SENET_NO_MEMORY);
static_assert(static_cast<int>(Status::kNoSlot) == SENET_NO_SLOT);
static_assert(static_cast<int>(Status::kBusy) == SENET_BUSY);
static_assert(static_cast<int>(Status::kTimeout) == SENET_TIMEOUT);
static_assert(static_cast<int>(Status::kStopped) == SENET_STOPPED);
static_assert(static_cast<int>(Status::kNoRoom) == SENET_NO_ROOM);
static_assert(static_cast<int>(Status::kInternal) == SENET_INTERNAL);
static_assert(static_cast<int>(senet::Turn::kPlayer0) == SENET_PLAYER_0);
static_assert(static_cast<int>(senet::Turn::kPlayer1) == SENET_PLAYER_1);
static_assert(static_cast<int>(senet::Turn::kChance) == SENET_CHANCE);
static_assert(static_cast<int>(senet::Turn::kOver) == SENET_OVER);
static_assert(static_cast<int>(senet::Ending::kVisits) == SENET_BY_VISITS);
static_assert(static_cast<int>(senet::Ending::kTime) == SENET_BY_TIME);
static_assert(static_cast<int>(senet::Ending::kStopped) == SENET_BY_STOP);
static_assert(static_cast<int>(senet::Ending::kProven) == SENET_BY_PROOF);
static_assert(static_cast<int>(senet::Ending::kTreeFull) == SENET_BY_FULL_TREE);

// Needs no memory.
senet_status tell(Status status, std::string_view reason, senet_reason* why) noexcept {
  if (why != nullptr) {
    const std::size_t size = std::min(reason.size(), sizeof why->text - 1);
    std::memcpy(why->text, reason.data(), size);
    why->text[size] = '\0';
  }
  return static_cast<senet_status>(status);
}

/// Runs function() -> Outcome<void>, whose exceptions end here.
template <class Function>
senet_status guarded(senet_reason* why, Function&& function) noexcept {
  try {
    const Outcome<void> outcome = function();
    return outcome ? SENET_OK : tell(outcome.error().status, outcome.error().reason, why);
  } catch (const std::bad_alloc&) {
    return tell(Status::kNoMemory, "the system has no more memory", why);
  } catch (const std::exception& error) {
    return tell(Status::kInternal, error.what(), why);
  } catch (...) {
    return tell(Status::kInternal, "an exception of no known kind", why);
  }
}

// A session's handle is the session itself, so that nothing is left when the engine closes it.
senet::Session* session_of(senet_session* handle) {
  return reinterpret_cast<senet::Session*>(handle);
}
const senet::Session* session_of(const senet_session* handle) {
  return reinterpret_cast<const senet::Session*>(handle);
}

tl::unexpected<Failure> missing(const char* what) {
  return senet::refuse(Status::kBadArgument, std::string(what) + " is NULL");
}

std::string_view view(senet_text text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}

/// What the caller's header knew of a struct; the rest as in `defaults`.
template <class Struct>
Outcome<Struct> read_struct(const Struct* given, Struct defaults, const char* name) {
  if (given == nullptr) return missing(name);
  if (given->struct_size < sizeof given->struct_size || given->struct_size > 4096) {
    return senet::refuse(Status::kBadArgument, std::string(name) + ": struct_size is " +
                                                   std::to_string(given->struct_size) +
                                                   ", not sizeof(" + name + ")");
  }
  std::memcpy(&defaults, given, std::min<std::size_t>(given->struct_size, sizeof defaults));
  return defaults;
}

senet_config default_config() {
  const senet::ServiceSettings settings;
  return {.struct_size = sizeof(senet_config),
          .workers = settings.workers,
          .pollers = settings.pollers,
          .sessions = settings.sessions,
          .visits = settings.visits,
          .batch = settings.batch_rows,
          .memory = settings.memory,
          .seed = settings.seed};
}

Outcome<senet::ServiceSettings> settings_of(const senet_config* config) {
  const Outcome<senet_config> read = read_struct(config, default_config(), "senet_config");
  if (!read) return tl::unexpected(read.error());
  return senet::ServiceSettings{.workers = read->workers,
                                .pollers = read->pollers,
                                .sessions = read->sessions,
                                .visits = read->visits,
                                .batch_rows = read->batch,
                                .memory = static_cast<std::size_t>(read->memory),
                                .seed = read->seed};
}

/// A text for a caller's buffer, with its end.
Outcome<void> write_text(const Outcome<std::string>& text, char* to, std::size_t room,
                         std::size_t* size) {
  if (!text) return tl::unexpected(text.error());
  if (size != nullptr) *size = text->size();
  if (room <= text->size()) return senet::refuse(Status::kNoRoom, "the text is longer");
  if (to == nullptr) return missing("text");
  std::memcpy(to, text->c_str(), text->size() + 1);
  return {};
}

/// Lets `read` take weights into the engine, and hands them out.
template <class Read>
senet_status open_model(senet_engine* engine, senet_model** model, senet_reason* why, Read&& read) {
  return guarded(why, [&]() -> Outcome<void> {
    if (engine == nullptr) return missing("engine");
    if (model == nullptr) return missing("model");
    Outcome<senet::SharedNetwork> network = read(*engine->service);
    if (!network) return tl::unexpected(network.error());
    *model = new senet_model{engine->service.get(), std::move(*network)};
    return {};
  });
}

}  // namespace

uint32_t senet_abi(void) { return SENET_ABI; }
const char* senet_version(void) { return SENET_VERSION; }

const char* senet_status_name(senet_status status) {
  switch (status) {
    case SENET_OK:
      return "SENET_OK";
    case SENET_BAD_ARGUMENT:
      return "SENET_BAD_ARGUMENT";
    case SENET_BAD_STATE:
      return "SENET_BAD_STATE";
    case SENET_BAD_ACTION:
      return "SENET_BAD_ACTION";
    case SENET_UNKNOWN_GAME:
      return "SENET_UNKNOWN_GAME";
    case SENET_NO_FILE:
      return "SENET_NO_FILE";
    case SENET_BAD_MODEL:
      return "SENET_BAD_MODEL";
    case SENET_MODEL_MISMATCH:
      return "SENET_MODEL_MISMATCH";
    case SENET_NO_MEMORY:
      return "SENET_NO_MEMORY";
    case SENET_NO_SLOT:
      return "SENET_NO_SLOT";
    case SENET_BUSY:
      return "SENET_BUSY";
    case SENET_TIMEOUT:
      return "SENET_TIMEOUT";
    case SENET_STOPPED:
      return "SENET_STOPPED";
    case SENET_NO_ROOM:
      return "SENET_NO_ROOM";
    case SENET_INTERNAL:
      return "SENET_INTERNAL";
  }
  return "not a senet_status";
}

void senet_config_init(senet_config* config, size_t size) {
  if (config == nullptr || size < sizeof config->struct_size) return;
  senet_config filled = default_config();
  filled.struct_size = static_cast<std::uint32_t>(size);
  std::memset(config, 0, size);  // what only the caller's header knows
  std::memcpy(config, &filled, std::min(size, sizeof filled));
}

senet_status senet_config_fit(const senet_config* config, senet_text game, uint32_t* visits,
                              senet_reason* why) {
  return guarded(why, [&]() -> Outcome<void> {
    if (visits == nullptr) return missing("visits");
    const auto settings = settings_of(config);
    if (!settings) return tl::unexpected(settings.error());
    const auto spec = senet::visit_game(
        view(game), []<class G>(std::type_identity<G>) { return senet::reference_spec<G>(); });
    if (!spec) return senet::refuse(Status::kUnknownGame, spec.error().reason);
    const auto fitting = senet::Service::visits_that_fit(*settings, *spec);
    if (!fitting) return tl::unexpected(fitting.error());
    *visits = *fitting;
    return {};
  });
}

senet_status senet_engine_open(const senet_config* config, senet_engine** engine,
                               senet_reason* why) {
  return guarded(why, [&]() -> Outcome<void> {
    if (engine == nullptr) return missing("engine");
    const auto settings = settings_of(config);
    if (!settings) return tl::unexpected(settings.error());
    auto service = senet::Service::open(*settings);
    if (!service) return tl::unexpected(service.error());
    *engine = new senet_engine{std::move(*service)};
    return {};
  });
}

senet_status senet_engine_close(senet_engine* engine) {
  return guarded(nullptr, [&]() -> Outcome<void> {
    if (engine != nullptr && engine->service->in_callback()) {
      return senet::refuse(Status::kBadState, "in a callback of this engine");
    }
    delete engine;
    return {};
  });
}

uint64_t senet_engine_memory(const senet_engine* engine) {
  return engine == nullptr ? 0 : engine->service->memory().used();
}

senet_status senet_poll(senet_engine* engine, uint32_t budget_us, uint32_t* searches) {
  return guarded(nullptr, [&]() -> Outcome<void> {
    if (engine == nullptr) return missing("engine");
    const auto under_way = engine->service->poll(std::chrono::microseconds(budget_us));
    if (!under_way) return tl::unexpected(under_way.error());
    if (searches != nullptr) *searches = *under_way;
    return {};
  });
}

senet_status senet_model_open(senet_engine* engine, senet_text path, senet_model** model,
                              senet_reason* why) {
  return open_model(engine, model, why,
                    [&](senet::Service& service) { return service.load(std::string(view(path))); });
}

senet_status senet_model_from_memory(senet_engine* engine, const void* bytes, size_t size,
                                     senet_model** model, senet_reason* why) {
  return open_model(engine, model, why,
                    [&](senet::Service& service) -> Outcome<senet::SharedNetwork> {
                      if (bytes == nullptr) return missing("bytes");
                      return service.read({static_cast<const std::byte*>(bytes), size});
                    });
}

senet_status senet_model_builtin(senet_engine* engine, senet_text game, senet_model** model,
                                 senet_reason* why) {
  return open_model(engine, model, why,
                    [&](senet::Service& service) { return service.builtin(view(game)); });
}

void senet_model_release(senet_model* model) { delete model; }

uint64_t senet_model_id(const senet_model* model) {
  return model == nullptr ? 0 : model->network->id();
}

senet_status senet_engine_use(senet_engine* engine, const senet_model* model, senet_reason* why) {
  return guarded(why, [&]() -> Outcome<void> {
    if (engine == nullptr) return missing("engine");
    if (model == nullptr) return missing("model");
    if (model->owner != engine->service.get()) {
      return senet::refuse(Status::kBadArgument, "the model belongs to another engine");
    }
    return engine->service->use(model->network);
  });
}

senet_status senet_session_open(senet_engine* engine, senet_text game, senet_session** session,
                                senet_reason* why) {
  return guarded(why, [&]() -> Outcome<void> {
    if (engine == nullptr) return missing("engine");
    if (session == nullptr) return missing("session");
    const auto opened = engine->service->open_session(view(game));
    if (!opened) return tl::unexpected(opened.error());
    *session = reinterpret_cast<senet_session*>(*opened);
    return {};
  });
}

void senet_session_close(senet_session* session) {
  if (session != nullptr) session_of(session)->service().close_session(session_of(session));
}

senet_status senet_session_set(senet_session* session, senet_text position,
                               const senet_action* actions, size_t count, senet_reason* why) {
  return guarded(why, [&]() -> Outcome<void> {
    if (session == nullptr) return missing("session");
    if (actions == nullptr && count > 0) return missing("actions");
    return session_of(session)->set(view(position), {actions, count});
  });
}

senet_status senet_session_play(senet_session* session, senet_action action, senet_reason* why) {
  return guarded(why, [&]() -> Outcome<void> {
    if (session == nullptr) return missing("session");
    return session_of(session)->play(action);
  });
}

senet_status senet_session_turn(const senet_session* session, senet_turn* turn) {
  return guarded(nullptr, [&]() -> Outcome<void> {
    if (session == nullptr || turn == nullptr) return missing("session or turn");
    const auto now = session_of(session)->turn();
    if (!now) return tl::unexpected(now.error());
    *turn = static_cast<senet_turn>(*now);
    return {};
  });
}

senet_status senet_session_outcome(const senet_session* session, uint32_t* outcome) {
  return guarded(nullptr, [&]() -> Outcome<void> {
    if (session == nullptr || outcome == nullptr) return missing("session or outcome");
    const auto ended = session_of(session)->outcome();
    if (!ended) return tl::unexpected(ended.error());
    *outcome = *ended;
    return {};
  });
}

senet_status senet_session_legal(const senet_session* session, senet_action* actions, size_t room,
                                 size_t* count) {
  return guarded(nullptr, [&]() -> Outcome<void> {
    if (session == nullptr || count == nullptr) return missing("session or count");
    if (actions == nullptr && room > 0) return missing("actions");
    const auto legal = session_of(session)->legal();
    if (!legal) return tl::unexpected(legal.error());
    *count = legal->size();
    std::copy_n(legal->begin(), std::min(room, legal->size()), actions);
    if (room < legal->size()) return senet::refuse(Status::kNoRoom, "there are more actions");
    return {};
  });
}

senet_status senet_session_text(const senet_session* session, char* text, size_t room,
                                size_t* size) {
  return guarded(nullptr, [&]() -> Outcome<void> {
    if (session == nullptr) return missing("session");
    return write_text(session_of(session)->text(), text, room, size);
  });
}

senet_status senet_session_action_text(const senet_session* session, senet_action action,
                                       char* text, size_t room, size_t* size) {
  return guarded(nullptr, [&]() -> Outcome<void> {
    if (session == nullptr) return missing("session");
    return write_text(session_of(session)->action_text(action), text, room, size);
  });
}

senet_status senet_session_read_action(const senet_session* session, senet_text text,
                                       senet_action* action, senet_reason* why) {
  return guarded(why, [&]() -> Outcome<void> {
    if (session == nullptr || action == nullptr) return missing("session or action");
    const auto read = session_of(session)->action_from_text(view(text));
    if (!read) return tl::unexpected(read.error());
    *action = *read;
    return {};
  });
}

senet_status senet_session_search(senet_session* session, const senet_limits* limits,
                                  senet_done done, void* user, senet_reason* why) {
  return guarded(why, [&]() -> Outcome<void> {
    if (session == nullptr) return missing("session");
    const auto read = read_struct(limits, senet_limits SENET_LIMITS_INIT, "senet_limits");
    if (!read) return tl::unexpected(read.error());
    if (read->priority < -1 || read->priority > 1) {
      return senet::refuse(Status::kBadArgument, "priority: -1, 0 or 1");
    }
    if (read->reserved != 0) return senet::refuse(Status::kBadArgument, "reserved: 0");
    if (!(read->temperature >= 0)) {
      return senet::refuse(Status::kBadArgument, "temperature: not negative");
    }
    constexpr std::uint64_t kCentury = std::uint64_t{3'000'000'000'000'000};
    senet::Session::Done told;
    if (done != nullptr) told = [done, user, session] { done(user, session); };
    return session_of(session)->service().search(
        *session_of(session),
        {.visits = read->visits,
         .time = std::chrono::microseconds(std::min(read->time_us, kCentury)),
         .temperature = read->temperature,
         .noise = read->noise != 0,
         .priority = static_cast<senet::Priority>(read->priority + 1)},
        std::move(told));
  });
}

void senet_session_stop(senet_session* session) {
  if (session != nullptr) session_of(session)->stop();
}

senet_status senet_session_wait(const senet_session* session, uint64_t timeout_us) {
  return guarded(nullptr, [&]() -> Outcome<void> {
    if (session == nullptr) return missing("session");
    constexpr std::uint64_t kYear = std::uint64_t{31'536'000'000'000};
    const auto time = std::chrono::microseconds(std::min(timeout_us, kYear));
    return session_of(session)->service().wait(*session_of(session), time);
  });
}

senet_status senet_session_result(const senet_session* session, senet_result* result,
                                  senet_choice* choices, size_t room) {
  return guarded(nullptr, [&]() -> Outcome<void> {
    if (session == nullptr) return missing("session");
    if (choices == nullptr && room > 0) return missing("choices");
    const auto known = read_struct(result, senet_result{}, "senet_result");
    if (!known) return tl::unexpected(known.error());
    const auto found = session_of(session)->result();
    if (!found) return tl::unexpected(found.error());
    senet_result told{};
    told.struct_size = known->struct_size;
    told.action = found->action;
    told.ending = static_cast<senet_ending>(found->ending);
    told.outcome_count = static_cast<std::uint16_t>(found->outcomes.size());
    told.value = found->value;
    told.visits = found->visits;
    told.evaluations = found->evaluations;
    told.depth = found->depth;
    told.choice_count = static_cast<std::uint32_t>(found->choices.size());
    told.model = found->model;
    std::copy_n(found->outcomes.begin(),
                std::min<std::size_t>(found->outcomes.size(), SENET_MOST_OUTCOMES), told.outcomes);
    std::memcpy(result, &told, std::min<std::size_t>(told.struct_size, sizeof told));
    for (std::size_t i = 0; i < std::min(room, found->choices.size()); ++i) {
      const senet::Choice& choice = found->choices[i];
      choices[i] = {choice.action, 0, choice.visits, choice.prior, choice.value};
    }
    return {};
  });
}
