#include "engine/host/service.hpp"

#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <system_error>
#include <utility>

#include "engine/host/builtin_models.hpp"
#include "engine/host/held_network.hpp"
#include "engine/host/host_table.hpp"
#include "games/registry.hpp"
#include "search/tree_limits.hpp"

namespace senet {
namespace {

// Stack and whatever else the system keeps for a thread of ours, and our own small change.
constexpr std::size_t kThreadBytes = std::size_t{256} << 10;
constexpr std::size_t kServiceBytes = std::size_t{64} << 10;
constexpr std::chrono::hours kCentury{24 * 36525};
constexpr std::uint32_t kMostSessions = 1'000'000, kMostVisits = 10'000'000;

/// Which thread takes signals is up to hosts: blocks all on the calling thread for as long as it
/// lives, so that threads started from it begin so. Not those of faults in the code that runs: a
/// host may want to report them.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  sigset_t before_;
};

std::size_t fixed_bytes(const ServiceSettings& settings) {
  // 64: the allocator's own, and a place in the list.
  return kServiceBytes + RowTeam::bytes(drivers(settings)) +
         drivers(settings) * (sizeof(ServiceWorker) + 64) + settings.workers * kThreadBytes;
}

// The most that `setting` can be for everything to fit.
Result<std::uint32_t> most_that_fit(const ServiceSettings& settings, const NetworkSpec& spec,
                                    std::uint32_t ServiceSettings::*setting, std::uint32_t most) {
  if (auto checked = check_settings(settings); !checked) return checked.error();
  const Result<const HostTable*> game = find_game<HostTable>(spec.game);
  if (!game) return fail(SENET_UNKNOWN_GAME, game.error().reason());
  const HostTable& host = **game;
  if (!asked_about(spec, host.game.has_afterstates, settings.evaluates)) return 0;
  ServiceSettings tried = settings;
  return largest_that_fits(most, [&](std::uint32_t value) {
    tried.*setting = value;
    const RoomBytes bytes = host.bytes(host.game, spec, tried);
    // Two of them while they are exchanged.
    return fixed_bytes(tried) + 2 * held_bytes(spec) + reading_bytes(spec) + bytes.room +
               tried.sessions * bytes.session <=
           tried.memory;
  });
}

// Whether such an evaluator can be made here: oneDNN may not have been built in, or may refuse.
Result<void> check_evaluator(EvaluatorKind kind) {
  if (kind != EvaluatorKind::kOneDnn) return {};
  const Weights weights(initial_network(
      {.game = "any", .features = 1, .policy_logits = 1, .outcomes = 2, .width = 8, .blocks = 0},
      1));
  const auto made = make_evaluator(kind, weights, 1);
  return made ? Result<void>() : fail(SENET_BAD_ARGUMENT, "evaluator: " + made.error().reason());
}

}  // namespace

Result<void> check_settings(const ServiceSettings& settings) {
  const auto bad = [](const char* what) { return fail(SENET_BAD_ARGUMENT, what); };
  if (settings.workers > 1024) return bad("workers: at most 1024");
  if (settings.pollers < 1 || settings.pollers > 1024) return bad("pollers: 1 to 1024");
  if (settings.sessions < 1 || settings.sessions > kMostSessions)
    return bad("sessions: 1 to 1000000");
  if (settings.visits < 1 || settings.visits > kMostVisits) return bad("visits: 1 to 10000000");
  if (settings.batch_rows < 1 || settings.batch_rows > 4096) return bad("batch: 1 to 4096");
  if (fixed_bytes(settings) > settings.memory) {
    return fail(SENET_NO_MEMORY, "memory: not even the threads fit into " +
                                     std::to_string(settings.memory) + " bytes");
  }
  if (settings.cache > settings.memory) return bad("cache: more than memory");
  return {};
}

Result<std::uint32_t> Service::visits_that_fit(const ServiceSettings& settings,
                                               const NetworkSpec& spec) {
  return most_that_fit(settings, spec, &ServiceSettings::visits, kMostVisits);
}
Result<std::uint32_t> Service::sessions_that_fit(const ServiceSettings& settings,
                                                 const NetworkSpec& spec) {
  return most_that_fit(settings, spec, &ServiceSettings::sessions, kMostSessions);
}

Service::Service(const ServiceSettings& settings)
    : settings_(settings),
      callbacks_(drivers(settings)),
      ledger_(settings.memory),
      fixed_(ledger_, fixed_bytes(settings)),
      team_(drivers(settings)) {
  for (std::size_t i = 0; i < drivers(settings); ++i) {
    workers_.push_back(std::make_unique<ServiceWorker>(*this, team_, i));
  }
}

Result<void> Service::start_threads() {
  const WithoutSignals here;
  threads_.reserve(settings_.workers);
  try {
    for (std::size_t i = 0; i < settings_.workers; ++i) {
      threads_.emplace_back([worker = workers_[i].get()] { worker->serve(); });
    }
  } catch (const std::system_error& error) {  // the destructor ends those that have begun
    return fail(SENET_NO_MEMORY, "cannot start thread " + std::to_string(threads_.size() + 1) +
                                     " of " + std::to_string(settings_.workers) + ": " +
                                     error.what());
  }
  return {};
}

Result<std::unique_ptr<Service>> Service::open(const ServiceSettings& settings) {
  if (auto checked = check_settings(settings); !checked) return checked.error();
  if (auto there = check_evaluator(settings.evaluator); !there) return there.error();
  std::unique_ptr<Service> service(new Service(settings));
  if (auto started = service->start_threads(); !started) return started.error();
  return service;
}

Service::~Service() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    for (const auto& [session, owned] : open_) owned->ask_to_end();
  }
  for (const auto& worker : workers_) worker->end();
  if (settings_.workers == 0) {
    for (bool busy = true; std::exchange(busy, false);) {
      for (const auto& worker : workers_) busy |= worker->round();
    }
  }
  threads_.clear();  // joins
  for (const auto& [session, owned] : open_) session->wait_for_stays();
}

Result<SharedNetwork> Service::load(const std::filesystem::path& file) {
  return hold_file(file, ledger_, *settings_.heap);
}
Result<SharedNetwork> Service::read(std::span<const std::byte> file) {
  return hold_copy(file, ledger_, *settings_.heap);
}
Result<SharedNetwork> Service::builtin(std::string_view game) {
  const std::span<const std::byte> file = builtin_model(game);
  if (!file.empty()) return hold_borrowed(file, ledger_);
  if (const auto known = find_host(game); !known) return known.error();
  return fail(SENET_NO_FILE, "no network of " + std::string(game) + " is built in");
}
Result<SharedNetwork> Service::untrained(std::string_view game, std::uint64_t seed) {
  const auto host = find_host(game);
  if (!host) return host.error();
  return hold_untrained(reference_spec((*host)->game), seed, ledger_);
}
Result<SharedNetwork> Service::adopt(Network network) { return hold(std::move(network), ledger_); }

void Service::say(std::string_view line) const noexcept {
  if (!settings_.log) return;
  try {
    settings_.log(line);
  } catch (...) {  // a host's business, and it ends here
  }
}

Result<const HostTable*> Service::find_host(std::string_view game) const {
  {
    const std::lock_guard lock(mutex_);
    for (const auto& own : own_games_) {
      if (own->host().game.name == game) return &own->host();
    }
  }
  const auto built_in = find_game<HostTable>(game);
  return built_in ? built_in : fail(SENET_UNKNOWN_GAME, built_in.error().reason());
}

GameRoom* Service::find_room(std::string_view game) {
  const auto is_its = [&](const auto& room) { return room->game().name == game; };
  const auto found = std::ranges::find_if(rooms_, is_its);
  return found == rooms_.end() ? nullptr : found->get();
}

Result<void> Service::use(const SharedNetwork& network) {
  const NetworkSpec& spec = network->spec();
  auto weights = std::make_shared<const Weights>(network, best_kernels(), *settings_.heap);
  {
    // What a game needs takes a while to allocate: searches and sessions do not wait for that.
    const std::lock_guard one_at_a_time(games_mutex_);
    GameRoom* known = nullptr;
    {
      const std::lock_guard lock(mutex_);
      known = find_room(spec.game);
    }
    if (known != nullptr) {
      if (auto used = known->use(std::move(weights)); !used) return used;
    } else {
      Result<std::unique_ptr<GameRoom>> made = make_room_for(*weights);
      if (!made) return made.error();
      if (auto used = (*made)->use(std::move(weights)); !used) return used;
      const std::lock_guard lock(mutex_);
      rooms_.push_back(std::move(*made));
    }
  }
  if (settings_.log)
    say(spec.game + ": weights " + id_text(network->id()) + " answer searches from now on");
  return {};
}

// With an evaluator of a definite kind. Timing the candidates takes memory and a thread.
Result<ServiceSettings> Service::settings_for(const Weights& weights) {
  ServiceSettings settings = settings_;
  if (settings.evaluator != EvaluatorKind::kAuto) return settings;
  const NetworkSpec& spec = weights.spec();
  const std::size_t bytes = shared_bytes(EvaluatorKind::kFused, spec) +
                            evaluator_bytes(EvaluatorKind::kFused, spec, settings.batch_rows) +
                            evaluator_bytes(EvaluatorKind::kOneDnn, spec, settings.batch_rows) +
                            kThreadBytes;
  const Charge timing(ledger_, bytes);
  if (!timing) return no_memory("timing evaluators", ledger_, bytes);
  const WithoutSignals here;
  settings.evaluator = resolve_kind(settings.evaluator, weights.network(), settings.batch_rows);
  return settings;
}

Result<std::unique_ptr<GameRoom>> Service::make_room_for(const Weights& weights) {
  const Result<const HostTable*> found = find_host(weights.spec().game);
  if (!found) return found.error();
  const HostTable& host = **found;
  if (const auto fits = check_contract(weights.spec(), reference_spec(host.game)); !fits) {
    return fail(SENET_MODEL_MISMATCH, fits.error().reason());
  }
  const Result<ServiceSettings> settings = settings_for(weights);
  if (!settings) return settings.error();
  return host.make_room(host.game, weights, *settings, ledger_, team_);
}

Result<void> Service::add_game(GameTable table) {
  if (auto checked = check_table(table); !checked) return checked;
  const std::lock_guard one_at_a_time(games_mutex_);
  if (find_host(table.name)) {
    return fail(SENET_BAD_ARGUMENT, "there is a game called " + table.name + " already");
  }
  auto own = std::make_unique<const OwnGame>(std::move(table));
  const std::lock_guard lock(mutex_);
  own_games_.push_back(std::move(own));
  return {};
}

Result<Session*> Service::open_session(std::string_view game) {
  if (const auto known = find_host(game); !known) return known.error();
  std::unique_lock lock(mutex_);
  GameRoom* const room = find_room(game);
  if (room == nullptr) {
    return fail(SENET_BAD_STATE, "no weights are in use for " + std::string(game));
  }
  if (open_.size() + opening_ == settings_.sessions) {
    return fail(SENET_NO_SLOT, "all " + std::to_string(settings_.sessions) + " sessions are open");
  }
  Charge memory(ledger_, room->session_bytes());
  if (!memory) return no_memory("one more session", ledger_, room->session_bytes());
  const std::uint64_t number = opened_++;
  ++opening_;
  lock.unlock();  // allocating a tree takes a while
  OnHeap<Session> session;
  try {
    session = make_on_heap<Session>(*settings_.heap, *this, *room, number, std::move(memory));
  } catch (...) {
    lock.lock();
    --opening_;
    throw;
  }
  lock.lock();
  --opening_;
  Session* const opened = session.get();
  open_.emplace(opened, std::move(session));
  return opened;
}

void Service::close_session(Session* session) {
  session->mark_closed();
  if (!in_callback()) {
    drive_until_idle(*session, kCentury);
    session->wait_for_stays();
  }
  if (session->can_go()) release(session);
}

void Service::release(const Session* session) {
  OnHeap<Session> closed;  // is destroyed behind the lock
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(session);
  closed = std::move(found->second);
  open_.erase(found);
}

Result<void> Service::search(Session& session, SessionLimits limits, Session::Done done) {
  // To the worker with least to do.
  std::size_t least = 0;
  for (std::size_t i = 1; i < workers_.size(); ++i) {
    if (workers_[i]->searches() < workers_[least]->searches()) least = i;
  }
  ServiceWorker& worker = *workers_[least];
  const std::lock_guard lock(mutex_);
  if (closing_) return fail(SENET_STOPPED, "the engine is being closed");
  const auto begun =
      session.begin(std::move(limits), std::move(done), worker, session.room().pool(least));
  if (!begun) return begun.error();
  worker.take(**begun);
  return {};
}

Result<void> Service::wait(const Session& session, std::chrono::microseconds time) {
  const Session::Stay stay(session);
  if (in_callback()) {
    return fail(SENET_BAD_STATE, "a callback cannot wait: the search waits for its end");
  }
  if (drive_until_idle(session, time)) return {};
  return fail(SENET_TIMEOUT, "still searching");
}

bool Service::drive_until_idle(const Session& session, std::chrono::microseconds time) {
  if (settings_.workers > 0) return session.wait(time);
  const auto end = ServiceClock::now() + time;
  // While another thread drives this session's worker, that is all there is to do.
  constexpr auto kElsewhere = std::chrono::milliseconds(1);
  while (!session.wait(std::chrono::microseconds(0))) {
    if (ServiceClock::now() >= end) return false;
    ServiceWorker& worker = session.worker();
    const std::unique_lock polling(worker.polling(), std::try_to_lock);
    if (polling) {
      worker.round();
    } else {
      session.wait(kElsewhere);
    }
  }
  return true;
}

Result<std::uint32_t> Service::poll(std::chrono::microseconds budget) {
  if (in_callback()) return fail(SENET_BAD_STATE, "a callback cannot poll");
  if (settings_.workers == 0) drive_until(ServiceClock::now() + budget);
  std::uint32_t searches = 0;
  for (const auto& worker : workers_) searches += worker->searches();
  return searches;
}

// Round after round, a worker's after the other's: no searches wait for the end of the
// budget. Begins behind the worker that the last one began with, because a short budget is over
// after a round.
void Service::drive_until(ServiceClock::time_point end) {
  std::size_t next = next_polled_.fetch_add(1, std::memory_order_relaxed) % workers_.size();
  for (std::size_t idle = 0; idle < workers_.size(); next = (next + 1) % workers_.size()) {
    ServiceWorker& worker = *workers_[next];
    const std::unique_lock polling(worker.polling(), std::try_to_lock);
    const bool is_busy = polling && worker.round();
    idle = is_busy ? 0 : idle + 1;
    if (is_busy && ServiceClock::now() >= end) return;
  }
}

}  // namespace senet
