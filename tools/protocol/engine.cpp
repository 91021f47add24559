#include "tools/protocol/engine.hpp"

#include <chrono>
#include <utility>

#include "engine/host/host_table.hpp"
#include "games/registry.hpp"

namespace senet::protocol {
namespace {

// Memory is bounded by Hash alone.
constexpr std::size_t kAllMemory = std::size_t{1} << 60;
// How long a search goes on before it is asked whether it may.
constexpr std::chrono::microseconds kSlice{100};

Result<ServiceSettings> service_settings(const Options& options, const NetworkSpec& spec,
                                         bool has_afterstates) {
  ServiceSettings settings{.workers = 0, .sessions = 1, .memory = kAllMemory};
  settings.evaluator = options.search.evaluator;
  settings.evaluates = options.search.mode;
  const Result<Evaluates> asked = asked_about(spec, has_afterstates, settings.evaluates);
  if (!asked) return fail("--mode: " + asked.error().reason());
  // A search has one leaf on its way: a row, or those of a position's moves.
  settings.batch_rows = *asked == Evaluates::kAfterstates ? 256 : 1;
  settings.tree = std::size_t{options.hash_mib} << 20;
  settings.lines = kMostMultiPv;
  settings.search = options.search.settings;
  settings.search.reuse_tree = false;
  return settings;
}

}  // namespace

Result<Engine> Engine::open(const Options& options) {
  Engine engine;
  const Result<void> ready = engine.configure(options, Change::kGame);
  if (!ready) return ready.error();
  return engine;
}

Result<void> Engine::configure(const Options& options, Change change) {
  if (change == Change::kNothing) return {};
  const Result<const AnyGame*> game = find_game<AnyGame>(options.game);
  if (!game) return game.error();
  SharedNetwork network = network_;
  if (change >= Change::kNetwork) {
    const NetworkSpec reference = reference_spec((*find_game<HostTable>(options.game))->game);
    Result<Network> opened = open_network(network_source(options), reference);
    if (!opened) return opened.error();
    network = std::make_shared<const Network>(std::move(*opened));
  }
  const Result<ServiceSettings> settings =
      service_settings(options, network->spec(), (*game)->has_afterstates);
  if (!settings) return settings.error();
  Engine changed;
  Result<std::unique_ptr<Service>> service = Service::open(*settings);
  if (!service) return service.error();
  changed.service_ = std::move(*service);
  if (const Result<void> used = changed.service_->use(network); !used) return used;
  changed.game_ = *game;
  changed.network_ = std::move(network);
  // The memory may not hold two trees. If it does not hold the new one, the next search reserves
  // the old one again.
  if (session_ != nullptr) service_->close_session(std::exchange(session_, nullptr));
  if (const Result<void> opened = changed.open_session(); !opened) return opened;
  *this = std::move(changed);
  return {};
}

Result<void> Engine::open_session() {
  const Result<senet::Session*> opened = service_->open_session(game_->name);
  if (!opened) return opened.error();
  session_ = *opened;
  return {};
}

Result<senet::Session*> Engine::at(const AnyState& position) {
  if (session_ == nullptr) open_session().value();
  if (const Result<void> set = session_->set(position.text(), {}); !set) return set.error();
  return session_;
}

Result<SessionResult> Engine::search(const AnyState& position, SessionLimits limits,
                                     const std::function<bool()>& goes_on) {
  const Result<senet::Session*> session = at(position);
  if (!session) return session.error();
  const Result<void> begun = service_->search(**session, std::move(limits), nullptr);
  if (!begun) return begun.error();
  bool is_stopped = false;
  do {
    if (!is_stopped && !goes_on()) {
      is_stopped = true;
      session_->stop();
    }
  } while (service_->poll(kSlice).value() > 0);
  return session_->result();
}

}  // namespace senet::protocol
