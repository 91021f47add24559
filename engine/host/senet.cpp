// The C interface of the service: turns exceptions into status codes and sentences, and accepts
// structs of older and newer headers.
#include "senet/senet.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/host/c_struct.hpp"
#include "engine/host/host_table.hpp"
#include "games/registry.hpp"
#include "senet/game_table.h"

using namespace senet;  // the C functions are in the global namespace

namespace {

/// A heap that calls a host's alloc and release.
class HostHeap final : public Heap {
 public:
  explicit HostHeap(const senet_config& config) : config_(config) {}

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    if (void* const memory = config_.alloc(config_.user, size, usual(alignment))) return memory;
    throw std::bad_alloc();
  }
  void do_deallocate(void* memory, std::size_t size, std::size_t alignment) override {
    try {
      config_.release(config_.user, memory, size, usual(alignment));
    } catch (...) {  // dropped: the caller is a destructor
    }
  }
  // posix_memalign, for example, refuses an alignment smaller than a pointer.
  static std::size_t usual(std::size_t alignment) {
    return std::max(alignment, alignof(std::max_align_t));
  }
  bool do_is_equal(const Heap& other) const noexcept override { return this == &other; }

  const senet_config config_;
};

}  // namespace

// The handles that senet.h declares. A senet_session is the Session itself.
struct senet_engine {
  std::unique_ptr<Heap> heap;  // outlives the service
  std::unique_ptr<senet::Service> service;
};
struct senet_model {
  const senet::Service* owner;
  senet::SharedNetwork network;
};

namespace {

/// Writes the reason to `why`, truncated to fit, and returns the status. Allocates nothing.
senet_status report(senet_status status, std::string_view reason, senet_reason* why) noexcept {
  if (why != nullptr) {
    const std::size_t size = std::min(reason.size(), sizeof why->text - 1);
    std::memcpy(why->text, reason.data(), size);
    why->text[size] = '\0';
  }
  return status;
}

/// An argument that must not be NULL, and its name.
using Needed = std::pair<const void*, const char*>;

/// Runs function() -> Result<void> or void if no `needed` argument is NULL. Catches exceptions.
template <class Function>
senet_status guarded(senet_reason* why, std::initializer_list<Needed> needed,
                     Function&& function) noexcept {
  try {
    Result<void> outcome;
    const auto lacks = std::ranges::find(needed, nullptr, &Needed::first);
    if (lacks != needed.end()) {
      outcome = missing(lacks->second);
    } else if constexpr (std::is_void_v<decltype(function())>) {
      function();
    } else {
      outcome = function();
    }
    return outcome ? SENET_OK : report(outcome.error().status(), outcome.error().reason(), why);
  } catch (const std::bad_alloc&) {
    return report(SENET_NO_MEMORY, "the system is out of memory", why);
  } catch (const std::exception& error) {
    return report(SENET_INTERNAL, error.what(), why);
  } catch (...) {
    return report(SENET_INTERNAL, "an exception of unknown type", why);
  }
}

/// Moves the value to the caller's out-parameter.
template <class Value, class To>
Result<void> write(Result<Value> value, To* to) {
  if (!value) return value.error();
  *to = std::move(*value);
  return {};
}

std::string_view view(senet_text text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}

template <class Ours, class C>
constexpr bool same(Ours ours, C c) {
  return static_cast<int>(ours) == static_cast<int>(c);
}
static_assert(same(Turn::kPlayer0, SENET_PLAYER_0) && same(Turn::kPlayer1, SENET_PLAYER_1) &&
              same(Turn::kChance, SENET_CHANCE) && same(Turn::kOver, SENET_OVER));
static_assert(same(Ending::kVisits, SENET_BY_VISITS) && same(Ending::kTime, SENET_BY_TIME) &&
              same(Ending::kStopped, SENET_BY_STOP) && same(Ending::kProven, SENET_BY_PROOF) &&
              same(Ending::kTreeFull, SENET_BY_FULL_TREE));

// Their data() is NUL-terminated, because they are literals.
constexpr std::array<Named<senet_status>, 15> kStatusNames = {
    {{"SENET_OK", SENET_OK},
     {"SENET_BAD_ARGUMENT", SENET_BAD_ARGUMENT},
     {"SENET_BAD_STATE", SENET_BAD_STATE},
     {"SENET_BAD_ACTION", SENET_BAD_ACTION},
     {"SENET_UNKNOWN_GAME", SENET_UNKNOWN_GAME},
     {"SENET_NO_FILE", SENET_NO_FILE},
     {"SENET_BAD_MODEL", SENET_BAD_MODEL},
     {"SENET_MODEL_MISMATCH", SENET_MODEL_MISMATCH},
     {"SENET_NO_MEMORY", SENET_NO_MEMORY},
     {"SENET_NO_SLOT", SENET_NO_SLOT},
     {"SENET_BUSY", SENET_BUSY},
     {"SENET_TIMEOUT", SENET_TIMEOUT},
     {"SENET_STOPPED", SENET_STOPPED},
     {"SENET_NO_ROOM", SENET_NO_ROOM},
     {"SENET_INTERNAL", SENET_INTERNAL}}};

/// Calls use(field, field) for each field that both structs have.
template <class Config, class Settings, class Use>
void for_each_pair(Config& config, Settings& settings, Use&& use) {
  use(config.workers, settings.workers);
  use(config.pollers, settings.pollers);
  use(config.sessions, settings.sessions);
  use(config.visits, settings.visits);
  use(config.batch, settings.evaluation.batch_rows);
  use(config.memory, settings.memory);
  use(config.seed, settings.seed);
  use(config.cache, settings.cache);
  use(config.ply, settings.search.plies.ply);
  use(config.leaves, settings.search.leaves);
  use(config.lines, settings.lines);
}

senet_config default_config() {
  senet_config config{};
  config.struct_size = sizeof config;
  const ServiceSettings settings;
  for_each_pair(config, settings, [](auto& field, const auto& value) {
    field = static_cast<std::remove_reference_t<decltype(field)>>(value);
  });
  return config;
}

Result<ServiceSettings> settings_of(const senet_config* config) {
  const Result<senet_config> read = read_struct(config, default_config(), "senet_config");
  if (!read) return read.error();
  if (read->reserved != 0) return fail(SENET_BAD_ARGUMENT, "reserved must be 0");
  const std::string_view name = view(read->evaluator);
  const auto evaluator = value_of<EvaluatorKind>(name.empty() ? "fused" : name);
  if (!evaluator) {
    return fail(SENET_BAD_ARGUMENT, "evaluator must be one of " + all_names<EvaluatorKind>() +
                                        ", not \"" + std::string(name) + "\"");
  }
  ServiceSettings settings{.evaluation = {.kind = *evaluator}};
  if (const std::string_view folder = view(read->tablebases); !folder.empty()) {
    settings.tablebases = folder;
  }
  for_each_pair(*read, settings, [](const auto& value, auto& field) { field = value; });
  bool has_mode = false;
  const auto may_set = [&](std::string_view setting) {
    return has_mode |= setting == "mode", true;
  };
  const auto set = apply_settings(settings.search, view(read->search), may_set);
  if (!set) return fail(SENET_BAD_ARGUMENT, "search: " + set.error().reason());
  if (has_mode) settings.evaluates = settings.search.evaluates;
  return settings;
}

/// Opens the weights that read(service) loads.
template <class Read>
senet_status open_model(senet_engine* engine, senet_model** model, senet_reason* why, Read&& read) {
  return guarded(why, {{engine, "engine"}, {model, "model"}}, [&]() -> Result<void> {
    Result<SharedNetwork> network = read(*engine->service);
    if (!network) return network.error();
    *model = new senet_model{engine->service.get(), std::move(*network)};
    return {};
  });
}

// The largest value of `setting` that fits with the game's reference network.
senet_status fit(const senet_config* config, senet_text game,
                 std::uint32_t ServiceSettings::*setting, std::uint32_t* most, senet_reason* why) {
  const char* const name = setting == &ServiceSettings::visits ? "visits" : "sessions";
  return guarded(why, {{most, name}}, [&]() -> Result<void> {
    const auto settings = settings_of(config);
    if (!settings) return settings.error();
    const auto known = find_game<HostTable>(view(game));
    if (!known) return fail(SENET_UNKNOWN_GAME, known.error().reason());
    return write(Service::most_that_fit(*settings, reference_spec((*known)->game), setting), most);
  });
}

// A session's handle is the session itself, so closing the engine leaves no handle to free.
Session& session_of(senet_session* handle) { return *reinterpret_cast<Session*>(handle); }
const Session& session_of(const senet_session* handle) {
  return *reinterpret_cast<const Session*>(handle);
}

/// Level `number` of the weights that a search would use now; none for 0.
Result<std::optional<Level>> level_in_use(const Session& session, std::uint32_t number) {
  if (number == 0) return std::optional<Level>();
  const SharedWeights weights = session.served().weights.newest();
  const std::vector<Level>& levels = weights->network().levels();
  if (number <= levels.size()) return std::optional(levels[number - 1]);
  return fail(SENET_BAD_ARGUMENT, "level is " + std::to_string(number) + ", but the model has " +
                                      std::to_string(levels.size()) + " levels");
}

/// Copies as much of a list as fits into a caller's buffer.
template <class T>
Result<void> write_list(std::span<const T> list, T* to, std::size_t room, std::size_t* count) {
  if (to == nullptr && room > 0) return missing("the buffer");
  *count = list.size();
  std::copy_n(list.begin(), std::min(room, list.size()), to);
  if (room < list.size()) return fail(SENET_NO_ROOM, "the list is longer than the buffer");
  return {};
}

/// Copies a text into a caller's buffer, with a NUL.
Result<void> write_text(const Result<std::string>& text, char* to, std::size_t room,
                        std::size_t* size) {
  if (!text) return text.error();
  if (size != nullptr) *size = text->size();
  if (room <= text->size()) return fail(SENET_NO_ROOM, "the text is longer than the buffer");
  if (to == nullptr) return missing("text");
  std::memcpy(to, text->c_str(), text->size() + 1);
  return {};
}

/// The probabilities of a senet_result or a senet_expectation, and their number. Only games of one
/// player have more outcomes than there is room for: moves left, of which the last entry gets the
/// rest.
template <class Count>
void copy_outcomes(std::span<const float> outcomes, Count& count,
                   float (&to)[SENET_MOST_OUTCOMES]) {
  count = static_cast<Count>(std::min<std::size_t>(outcomes.size(), SENET_MOST_OUTCOMES));
  std::copy_n(outcomes.begin(), count, to);
  for (const float more : outcomes.subspan(count)) to[count - 1] += more;
}

senet_expectation c_expectation(const Expectation& found) {
  senet_expectation c{.player = static_cast<senet_turn>(found.viewer),
                      .value = found.value,
                      .outcome_count = 0,
                      .outcomes = {}};
  copy_outcomes(found.outcomes, c.outcome_count, c.outcomes);
  return c;
}

}  // namespace

uint32_t senet_abi(void) { return SENET_ABI; }
const char* senet_version(void) { return SENET_VERSION; }

const char* senet_status_name(senet_status status) {
  const auto known = std::ranges::find(kStatusNames, status, &Named<senet_status>::value);
  return known == kStatusNames.end() ? "not a senet_status" : known->name.data();
}

void senet_config_init(senet_config* config, size_t size) {
  if (config == nullptr || size < sizeof config->struct_size) return;
  senet_config filled = default_config();
  filled.struct_size = static_cast<std::uint32_t>(size);
  std::memset(config, 0, size);  // fields that only the caller's header has
  std::memcpy(config, &filled, std::min(size, sizeof filled));
}

senet_status senet_config_fit(const senet_config* config, senet_text game, uint32_t* visits,
                              senet_reason* why) {
  return fit(config, game, &ServiceSettings::visits, visits, why);
}
senet_status senet_config_fit_sessions(const senet_config* config, senet_text game,
                                       uint32_t* sessions, senet_reason* why) {
  return fit(config, game, &ServiceSettings::sessions, sessions, why);
}

senet_status senet_engine_open(const senet_config* config, senet_engine** engine,
                               senet_reason* why) {
  return guarded(why, {{engine, "engine"}}, [&]() -> Result<void> {
    auto settings = settings_of(config);
    if (!settings) return settings.error();
    const senet_config host = *read_struct(config, default_config(), "senet_config");
    if ((host.alloc == nullptr) != (host.release == nullptr)) {
      return fail(SENET_BAD_ARGUMENT, "alloc and release must both be set or both be NULL");
    }
    auto opened = std::make_unique<senet_engine>();
    if (host.alloc != nullptr) {
      opened->heap = std::make_unique<HostHeap>(host);
      settings->heap = opened->heap.get();
    }
    if (host.log != nullptr) {
      settings->log = [log = host.log, user = host.user](std::string_view line) {
        log(user, {line.data(), line.size()});
      };
    }
    auto service = Service::open(*settings);
    if (!service) return service.error();
    opened->service = std::move(*service);
    *engine = opened.release();
    return {};
  });
}

senet_status senet_engine_close(senet_engine* engine) {
  return guarded(nullptr, {}, [&]() -> Result<void> {
    if (engine != nullptr && engine->service->in_callback()) {
      return fail(SENET_BAD_STATE, "a callback cannot close its engine");
    }
    delete engine;
    return {};
  });
}

uint64_t senet_engine_memory(const senet_engine* engine) {
  return engine == nullptr ? 0 : engine->service->memory().used();
}

senet_status senet_poll(senet_engine* engine, uint32_t budget_us, uint32_t* searches) {
  return guarded(nullptr, {{engine, "engine"}}, [&] {
    std::uint32_t ignored = 0;
    return write(engine->service->poll(std::chrono::microseconds(budget_us)),
                 searches != nullptr ? searches : &ignored);
  });
}

senet_status senet_engine_games(const senet_engine* engine, senet_text* names, size_t room,
                                size_t* count) {
  return guarded(nullptr, {{engine, "engine"}, {count, "count"}}, [&] {
    std::vector<senet_text> all;
    for (const std::string_view name : engine->service->games()) {
      all.push_back({name.data(), name.size()});
    }
    return write_list<senet_text>(all, names, room, count);
  });
}

senet_status senet_model_open(senet_engine* engine, senet_text path, senet_model** model,
                              senet_reason* why) {
  return open_model(engine, model, why,
                    [&](Service& service) { return service.load(std::string(view(path))); });
}

senet_status senet_model_from_memory(senet_engine* engine, const void* bytes, size_t size,
                                     senet_model** model, senet_reason* why) {
  return open_model(engine, model, why, [&](Service& service) -> Result<SharedNetwork> {
    if (bytes == nullptr) return missing("bytes");
    return service.read({static_cast<const std::byte*>(bytes), size});
  });
}

senet_status senet_model_builtin(senet_engine* engine, senet_text game, senet_model** model,
                                 senet_reason* why) {
  return open_model(engine, model, why,
                    [&](Service& service) { return service.builtin(view(game)); });
}

void senet_model_release(senet_model* model) { delete model; }

uint64_t senet_model_id(const senet_model* model) {
  return model == nullptr ? 0 : model->network->id();
}

senet_text senet_model_game(const senet_model* model) {
  if (model == nullptr) return {};
  const std::string& game = model->network->spec().game;
  return {game.data(), game.size()};
}

senet_status senet_model_levels(const senet_model* model, senet_level* levels, size_t room,
                                size_t* count) {
  return guarded(nullptr, {{model, "model"}, {count, "count"}}, [&] {
    std::vector<senet_level> all;
    for (const Level& level : model->network->levels()) {
      all.push_back({level.visits, level.temperature, level.most_loss, level.rating});
    }
    return write_list<senet_level>(all, levels, room, count);
  });
}

senet_status senet_model_untrained(senet_engine* engine, senet_text game, uint64_t seed,
                                   senet_model** model, senet_reason* why) {
  return open_model(engine, model, why,
                    [&](Service& service) { return service.untrained(view(game), seed); });
}

senet_status senet_model_playouts(senet_engine* engine, senet_text game, senet_model** model,
                                  senet_reason* why) {
  return open_model(engine, model, why,
                    [&](Service& service) { return service.playouts(view(game)); });
}

senet_status senet_model_get_shape(const senet_model* model, senet_model_shape* shape) {
  return guarded(nullptr, {{model, "model"}}, [&]() -> Result<void> {
    const auto known = read_struct(shape, senet_model_shape{}, "senet_model_shape");
    if (!known) return known.error();
    const NetworkSpec& spec = model->network->spec();
    const std::string_view mode = spec.evaluates ? name_of(*spec.evaluates) : std::string_view();
    const senet_model_shape c{.struct_size = known->struct_size,
                              .features = spec.features,
                              .policy_logits = spec.policy_head ? spec.policy_logits : 0,
                              .outcomes = spec.outcomes,
                              .width = spec.width,
                              .blocks = spec.blocks,
                              .parameters = parameter_count(spec),
                              .mode = {mode.data(), mode.size()}};
    std::memcpy(shape, &c, std::min<std::size_t>(c.struct_size, sizeof c));
    return {};
  });
}

senet_status senet_engine_add_game(senet_engine* engine, const senet_game_table* table,
                                   senet_reason* why) {
  return guarded(why, {{engine, "engine"}}, [&]() -> Result<void> {
    const auto read = read_struct(table, senet_game_table{}, "senet_game_table");
    if (!read) return read.error();
    return engine->service->add_game(GameTable(*read));
  });
}

senet_status senet_engine_use(senet_engine* engine, const senet_model* model, senet_reason* why) {
  return guarded(why, {{engine, "engine"}, {model, "model"}}, [&]() -> Result<void> {
    if (model->owner != engine->service.get()) {
      return fail(SENET_BAD_ARGUMENT, "the model belongs to another engine");
    }
    return engine->service->use(model->network);
  });
}

// Sessions.

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

senet_status senet_session_clone(const senet_session* session, senet_session** clone,
                                 senet_reason* why) {
  return guarded(why, {{session, "session"}, {clone, "clone"}}, [&]() -> Result<void> {
    const Session& original = session_of(session);
    const Session::KeepAlive alive(original);
    Service& service = original.service();
    const auto opened = service.open_session(original.position().game().name);
    if (!opened) return opened.error();
    const auto close = [&service](Session* copied) { service.close_session(copied); };
    std::unique_ptr<Session, decltype(close)> copy(*opened, close);
    copy->set_as(original).value();  // it is idle; the game's functions may throw
    *clone = reinterpret_cast<senet_session*>(copy.release());
    return {};
  });
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

senet_status senet_session_undo(senet_session* session, senet_reason* why) {
  return guarded(why, {{session, "session"}}, [&] { return session_of(session).undo(); });
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
    const std::vector<Action> legal = session_of(session).legal();
    return write_list(std::span(legal), actions, room, count);
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
      return fail(SENET_BAD_ARGUMENT, "priority must be -1, 0 or 1");
    }
    if (!(read->temperature >= 0)) {
      return fail(SENET_BAD_ARGUMENT, "temperature must be 0 or more");
    }
    const auto level = level_in_use(session_of(session), read->level);
    if (!level) return level.error();
    SearchSettings search = session_of(session).served().plan.settings.search;
    const auto set = apply_settings(search, view(read->search), can_adjust);
    if (!set) return fail(SENET_BAD_ARGUMENT, "search: " + set.error().reason());
    const auto microseconds = [](std::uint64_t time) {
      constexpr std::uint64_t kCentury = std::uint64_t{3'000'000'000'000'000};
      return std::chrono::microseconds(std::min(time, kCentury));
    };
    Session::Done over;
    if (done != nullptr) over = [done, user, session] { done(user, session); };
    std::function<void(const SessionResult&)> progress;
    if (read->progress != nullptr) {
      progress = [show = read->progress, user, session](const SessionResult&) {
        show(user, session);
      };
    }
    return session_of(session).service().search(
        session_of(session),
        {.visits = read->visits,
         .depth = read->depth,
         .time = microseconds(read->time_us),
         .temperature = read->temperature,
         .level = *level,
         .noise = read->noise != 0,
         .search = search,
         .priority = static_cast<Priority>(read->priority + 1),
         .lines = read->lines,
         .progress = std::move(progress),
         .progress_every = microseconds(read->progress_us)},
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
                     .outcome_count = 0,
                     .value = found.value,
                     .visits = found.visits,
                     .evaluations = found.evaluations,
                     .depth = found.depth,
                     .choice_count = static_cast<std::uint32_t>(found.choices.size()),
                     .model = found.model,
                     .outcomes = {}};
      copy_outcomes(found.outcomes, c.outcome_count, c.outcomes);
      std::memcpy(result, &c, std::min<std::size_t>(c.struct_size, sizeof c));
      for (std::size_t i = 0; i < std::min(room, found.choices.size()); ++i) {
        const Choice& choice = found.choices[i];
        choices[i] = {choice.action, 0, choice.visits, choice.prior, choice.value};
      }
    });
  });
}

senet_status senet_session_line(const senet_session* session, size_t rank, senet_action* actions,
                                size_t room, size_t* count) {
  return guarded(nullptr, {{session, "session"}, {count, "count"}}, [&]() -> Result<void> {
    Result<void> written;
    const auto read = session_of(session).read_result([&](const SessionResult& found) {
      written = rank < found.lines() ? write_list(found.line(rank).actions, actions, room, count)
                                     : fail(SENET_BAD_ARGUMENT, "the result has no such line");
    });
    return read ? written : read;
  });
}

// The network alone.

senet_status senet_engine_evaluate(senet_engine* engine, senet_text game,
                                   const senet_text* positions, size_t count,
                                   senet_expectation* expected, senet_reason* why) {
  return guarded(why, {{engine, "engine"}}, [&]() -> Result<void> {
    if (positions == nullptr && count > 0) return missing("positions");
    if (expected == nullptr && count > 0) return missing("expected");
    return engine->service->evaluate(
        view(game), count,
        [&](const AnyGame& rules, std::size_t i) -> Result<AnyState> {
          auto state = Session::position_from_text(rules, view(positions[i]));
          if (state) return state;
          return fail(state.error().status(),
                      "position " + std::to_string(i) + ": " + state.error().reason());
        },
        [&](std::size_t i, const Expectation& found) { expected[i] = c_expectation(found); });
  });
}

senet_status senet_session_evaluate(const senet_session* session, senet_expectation* expected,
                                    senet_reason* why) {
  return guarded(why, {{session, "session"}, {expected, "expected"}}, [&] {
    const Session& its = session_of(session);
    const Session::KeepAlive alive(its);
    const AnyState position = its.position();
    return its.service().evaluate(
        position.game().name, 1, [&](const AnyGame&, std::size_t) { return position; },
        [&](std::size_t, const Expectation& found) { *expected = c_expectation(found); });
  });
}
