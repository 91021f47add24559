// The C interface: translates between C and the service, and lets nothing else through. Sessions
// are in senet_session.cpp.
#include "senet/senet.h"

#include <memory>
#include <string>

#include "engine/host/c_interface.hpp"
#include "engine/host/host_table.hpp"
#include "games/registry.hpp"
#include "senet/game_table.h"

namespace {

static_assert(static_cast<int>(senet::Turn::kPlayer0) == SENET_PLAYER_0);
static_assert(static_cast<int>(senet::Turn::kPlayer1) == SENET_PLAYER_1);
static_assert(static_cast<int>(senet::Turn::kChance) == SENET_CHANCE);
static_assert(static_cast<int>(senet::Turn::kOver) == SENET_OVER);
static_assert(static_cast<int>(senet::Ending::kVisits) == SENET_BY_VISITS);
static_assert(static_cast<int>(senet::Ending::kTime) == SENET_BY_TIME);
static_assert(static_cast<int>(senet::Ending::kStopped) == SENET_BY_STOP);
static_assert(static_cast<int>(senet::Ending::kProven) == SENET_BY_PROOF);
static_assert(static_cast<int>(senet::Ending::kTreeFull) == SENET_BY_FULL_TREE);

senet_config default_config() {
  const senet::ServiceSettings settings;
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

Result<senet::ServiceSettings> settings_of(const senet_config* config) {
  const Result<senet_config> read = read_struct(config, default_config(), "senet_config");
  if (!read) return read.error();
  const std::string_view name = view(read->evaluator);
  const auto evaluator = senet::value_of<senet::EvaluatorKind>(name.empty() ? "fused" : name);
  if (!evaluator) {
    return fail(SENET_BAD_ARGUMENT, "evaluator: one of " +
                                        senet::all_names<senet::EvaluatorKind>() + ", not \"" +
                                        std::string(name) + "\"");
  }
  return senet::ServiceSettings{.workers = read->workers,
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
  return guarded(why, [&]() -> Result<void> {
    if (engine == nullptr) return missing("engine");
    if (model == nullptr) return missing("model");
    Result<senet::SharedNetwork> network = read(*engine->service);
    if (!network) return network.error();
    *model = new senet_model{engine->service.get(), std::move(*network)};
    return {};
  });
}

// What `most` says of the game with its reference network.
Result<void> fit(const senet_config* config, senet_text game,
                 Result<std::uint32_t> (*most)(const senet::ServiceSettings&,
                                               const senet::NetworkSpec&),
                 std::uint32_t& fitting) {
  const auto settings = settings_of(config);
  if (!settings) return settings.error();
  const auto known = senet::find_game<senet::HostTable>(view(game));
  if (!known) return fail(SENET_UNKNOWN_GAME, known.error().reason());
  const auto found = most(*settings, reference_spec((*known)->game));
  if (!found) return found.error();
  fitting = *found;
  return {};
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
  return guarded(why, [&]() -> Result<void> {
    if (visits == nullptr) return missing("visits");
    return fit(config, game, senet::Service::visits_that_fit, *visits);
  });
}
senet_status senet_config_fit_sessions(const senet_config* config, senet_text game,
                                       uint32_t* sessions, senet_reason* why) {
  return guarded(why, [&]() -> Result<void> {
    if (sessions == nullptr) return missing("sessions");
    return fit(config, game, senet::Service::sessions_that_fit, *sessions);
  });
}

senet_status senet_engine_open(const senet_config* config, senet_engine** engine,
                               senet_reason* why) {
  return guarded(why, [&]() -> Result<void> {
    if (engine == nullptr) return missing("engine");
    auto settings = settings_of(config);
    if (!settings) return settings.error();
    const senet_config host = *read_struct(config, default_config(), "senet_config");
    if ((host.alloc == nullptr) != (host.release == nullptr)) {
      return fail(SENET_BAD_ARGUMENT, "alloc and release: both or neither");
    }
    auto opened = std::make_unique<senet_engine>();
    if (host.alloc != nullptr) {
      opened->heap = std::make_unique<senet::HostHeap>(host);
      settings->heap = opened->heap.get();
    }
    if (host.log != nullptr) {
      settings->log = [log = host.log, user = host.user](std::string_view line) {
        log(user, {line.data(), line.size()});
      };
    }
    auto service = senet::Service::open(*settings);
    if (!service) return service.error();
    opened->service = std::move(*service);
    *engine = opened.release();
    return {};
  });
}

senet_status senet_engine_close(senet_engine* engine) {
  return guarded(nullptr, [&]() -> Result<void> {
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
  return guarded(nullptr, [&]() -> Result<void> {
    if (engine == nullptr) return missing("engine");
    const auto under_way = engine->service->poll(std::chrono::microseconds(budget_us));
    if (!under_way) return under_way.error();
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
                    [&](senet::Service& service) -> Result<senet::SharedNetwork> {
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

senet_status senet_model_untrained(senet_engine* engine, senet_text game, uint64_t seed,
                                   senet_model** model, senet_reason* why) {
  return open_model(engine, model, why,
                    [&](senet::Service& service) { return service.untrained(view(game), seed); });
}

senet_status senet_engine_add_game(senet_engine* engine, const senet_game_table* table,
                                   senet_reason* why) {
  return guarded(why, [&]() -> Result<void> {
    if (engine == nullptr) return missing("engine");
    const auto read = read_struct(table, senet_game_table{}, "senet_game_table");
    if (!read) return read.error();
    return engine->service->add_game(senet::GameTable(*read));
  });
}

senet_status senet_engine_use(senet_engine* engine, const senet_model* model, senet_reason* why) {
  return guarded(why, [&]() -> Result<void> {
    if (engine == nullptr) return missing("engine");
    if (model == nullptr) return missing("model");
    if (model->owner != engine->service.get()) {
      return fail(SENET_BAD_ARGUMENT, "the model belongs to another engine");
    }
    return engine->service->use(model->network);
  });
}
