// The C interface: translates between C and the service, and lets nothing else through. Sessions
// are in senet_session.cpp.
#include "senet/senet.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "engine/host/c_interface.hpp"
#include "engine/host/host_table.hpp"
#include "games/registry.hpp"
#include "senet/game_table.h"

using namespace senet;  // the functions of C are in none

namespace {

template <class Ours, class C>
constexpr bool same(Ours ours, C c) {
  return static_cast<int>(ours) == static_cast<int>(c);
}
static_assert(same(Turn::kPlayer0, SENET_PLAYER_0) && same(Turn::kPlayer1, SENET_PLAYER_1) &&
              same(Turn::kChance, SENET_CHANCE) && same(Turn::kOver, SENET_OVER));
static_assert(same(Ending::kVisits, SENET_BY_VISITS) && same(Ending::kTime, SENET_BY_TIME) &&
              same(Ending::kStopped, SENET_BY_STOP) && same(Ending::kProven, SENET_BY_PROOF) &&
              same(Ending::kTreeFull, SENET_BY_FULL_TREE));

// Terminated, as names of literals are.
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

senet_config default_config() {
  const ServiceSettings settings;
  return {.struct_size = sizeof(senet_config),
          .workers = settings.workers,
          .pollers = settings.pollers,
          .sessions = settings.sessions,
          .visits = settings.visits,
          .batch = settings.batch_rows,
          .memory = settings.memory,
          .seed = settings.seed,
          .user = nullptr,
          .alloc = nullptr,
          .release = nullptr,
          .log = nullptr,
          .evaluator = {nullptr, 0},
          .cache = settings.cache};
}

Result<ServiceSettings> settings_of(const senet_config* config) {
  const Result<senet_config> read = read_struct(config, default_config(), "senet_config");
  if (!read) return read.error();
  const std::string_view name = view(read->evaluator);
  const auto evaluator = value_of<EvaluatorKind>(name.empty() ? "fused" : name);
  if (!evaluator) {
    return fail(SENET_BAD_ARGUMENT, "evaluator: one of " + all_names<EvaluatorKind>() + ", not \"" +
                                        std::string(name) + "\"");
  }
  return ServiceSettings{.workers = read->workers,
                         .pollers = read->pollers,
                         .sessions = read->sessions,
                         .visits = read->visits,
                         .batch_rows = read->batch,
                         .evaluator = *evaluator,
                         .cache = static_cast<std::size_t>(read->cache),
                         .memory = static_cast<std::size_t>(read->memory),
                         .seed = read->seed};
}

/// Lets `read` take weights into the engine, and hands them out.
template <class Read>
senet_status open_model(senet_engine* engine, senet_model** model, senet_reason* why, Read&& read) {
  return guarded(why, {{engine, "engine"}, {model, "model"}}, [&]() -> Result<void> {
    Result<SharedNetwork> network = read(*engine->service);
    if (!network) return network.error();
    *model = new senet_model{engine->service.get(), std::move(*network)};
    return {};
  });
}

// What `most` says of the game with its reference network.
Result<std::uint32_t> fit(const senet_config* config, senet_text game,
                          Result<std::uint32_t> (*most)(const ServiceSettings&,
                                                        const NetworkSpec&)) {
  const auto settings = settings_of(config);
  if (!settings) return settings.error();
  const auto known = find_game<HostTable>(view(game));
  if (!known) return fail(SENET_UNKNOWN_GAME, known.error().reason());
  return most(*settings, reference_spec((*known)->game));
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
  std::memset(config, 0, size);  // what only the caller's header knows
  std::memcpy(config, &filled, std::min(size, sizeof filled));
}

senet_status senet_config_fit(const senet_config* config, senet_text game, uint32_t* visits,
                              senet_reason* why) {
  return guarded(why, {{visits, "visits"}},
                 [&] { return write(fit(config, game, Service::visits_that_fit), visits); });
}
senet_status senet_config_fit_sessions(const senet_config* config, senet_text game,
                                       uint32_t* sessions, senet_reason* why) {
  return guarded(why, {{sessions, "sessions"}},
                 [&] { return write(fit(config, game, Service::sessions_that_fit), sessions); });
}

senet_status senet_engine_open(const senet_config* config, senet_engine** engine,
                               senet_reason* why) {
  return guarded(why, {{engine, "engine"}}, [&]() -> Result<void> {
    auto settings = settings_of(config);
    if (!settings) return settings.error();
    const senet_config host = *read_struct(config, default_config(), "senet_config");
    if ((host.alloc == nullptr) != (host.release == nullptr)) {
      return fail(SENET_BAD_ARGUMENT, "alloc and release: both or neither");
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
      return fail(SENET_BAD_STATE, "in a callback of this engine");
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

senet_status senet_model_untrained(senet_engine* engine, senet_text game, uint64_t seed,
                                   senet_model** model, senet_reason* why) {
  return open_model(engine, model, why,
                    [&](Service& service) { return service.untrained(view(game), seed); });
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
