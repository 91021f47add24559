#include "engine/host/service.hpp"

#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <system_error>
#include <utility>

#include "engine/host/builtin_models.hpp"
#include "engine/host/host_table.hpp"
#include "games/registry.hpp"
#include "search/tree.hpp"

namespace senet {
namespace {

// The stack and system memory of one thread, and our small allocations.
constexpr std::size_t kThreadBytes = std::size_t{256} << 10;
constexpr std::size_t kServiceBytes = std::size_t{64} << 10;
constexpr std::chrono::hours kCentury{24 * 36525};
constexpr std::uint32_t kMaxSessions = 1'000'000, kMaxVisits = 10'000'000;

/// Blocks signals on the calling thread during its lifetime, so that threads started meanwhile
/// inherit that: hosts decide which threads take signals. Leaves fault signals unblocked, which a
/// host may want to report.
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
  // 64: the allocator's overhead, and an entry in the list of workers.
  return kServiceBytes + RowTeam::bytes(evaluating_threads(settings)) +
         drivers(settings) * (sizeof(ServiceWorker) + 64) +
         (settings.workers + settings.helpers) * kThreadBytes;
}

// The error names the setting that is out of range.
Result<void> check_settings(const ServiceSettings& settings) {
  const auto bad = [](const char* what) { return fail(SENET_BAD_ARGUMENT, what); };
  if (settings.workers > 1024) return bad("workers must be 0 .. 1024");
  if (settings.pollers < 1 || settings.pollers > 1024) return bad("pollers must be 1 .. 1024");
  if (settings.helpers > 1024) return bad("helpers must be 0 .. 1024");
  if (settings.sessions < 1 || settings.sessions > kMaxSessions)
    return bad("sessions must be 1 .. 1000000");
  if (settings.visits < 1 || settings.visits > kMaxVisits)
    return bad("visits must be 1 .. 10000000");
  if (settings.lines > kMaxLines) return bad("lines must be 0 .. 500");
  const std::size_t batch = settings.evaluation.batch_rows;
  if (batch < 1 || batch > 4096) return bad("batch must be 1 .. 4096");
  if (fixed_bytes(settings) > settings.memory) {
    return fail(SENET_NO_MEMORY, "memory: the threads alone take more than " +
                                     std::to_string(settings.memory) + " bytes");
  }
  if (settings.cache > settings.memory) return bad("cache must be at most memory");
  if (const auto checked = senet::check_settings(settings.search); !checked) {
    return fail(SENET_BAD_ARGUMENT, checked.error().reason());
  }
  return {};
}

// Whether the evaluators can be made: the library may lack oneDNN, or oneDNN may fail.
Result<void> check_evaluation(const Evaluation& evaluation) {
  if (evaluation.kind != EvaluatorKind::kOneDnn || evaluation.own) return {};
  const Weights weights(initial_network(
      {.game = "any", .features = 1, .policy_logits = 1, .outcomes = 2, .width = 8, .blocks = 0},
      1));
  const auto made = make_evaluator(evaluation.kind, weights, 1);
  return made ? Result<void>() : fail(SENET_BAD_ARGUMENT, "evaluator: " + made.error().reason());
}

}  // namespace

Result<std::uint32_t> Service::most_that_fit(const ServiceSettings& settings,
                                             const NetworkSpec& spec,
                                             std::uint32_t ServiceSettings::*setting,
                                             const GameTable* own) {
  if (auto checked = check_settings(settings); !checked) return checked.error();
  std::optional<OwnGame> made;
  if (own != nullptr) made.emplace(*own);
  const Result<const HostTable*> game = made ? &made->host() : find_game<HostTable>(spec.game);
  if (!game) return fail(SENET_UNKNOWN_GAME, game.error().reason());
  const std::size_t building = settings.tablebases ? (*game)->game.tablebase.build_bytes : 0;
  ServiceSettings tried = settings;
  const bool are_visits = setting == &ServiceSettings::visits;
  return largest_that_fits(are_visits ? kMaxVisits : kMaxSessions, [&](std::uint32_t value) {
    tried.*setting = value;
    const Result<ServedGamePlan> plan = (*game)->plan(**game, spec, tried);
    return plan && fixed_bytes(tried) + exchanged_bytes(spec) + plan->game_bytes + building +
                           plan->evaluating_bytes + tried.sessions * plan->session_bytes <=
                       tried.memory;
  });
}

Service::Service(const ServiceSettings& settings)
    : settings_(settings),
      memory_budget_(settings.memory),
      fixed_(memory_budget_.reserve(fixed_bytes(settings), "the threads").value()),
      team_(evaluating_threads(settings)) {
  for (std::size_t i = 0; i < drivers(settings); ++i) {
    workers_.push_back(std::make_unique<ServiceWorker>(*this, team_, i));
  }
}

Result<std::unique_ptr<Service>> Service::open(const ServiceSettings& settings) {
  if (auto checked = check_settings(settings); !checked) return checked.error();
  if (auto there = check_evaluation(settings.evaluation); !there) return there.error();
  std::unique_ptr<Service> service(new Service(settings));
  std::vector<std::jthread>& threads = service->threads_;
  const WithoutSignals here;
  const std::size_t wanted = settings.workers + settings.helpers;
  threads.reserve(wanted);
  try {
    for (std::size_t i = 0; i < settings.workers; ++i) {
      threads.emplace_back([worker = service->workers_[i].get()] { worker->serve(); });
    }
    for (std::size_t i = drivers(settings); i < evaluating_threads(settings); ++i) {
      threads.emplace_back([team = &service->team_, i] { team->help(i); });
    }
  } catch (const std::system_error& error) {  // the destructor ends the threads that have started
    return fail(SENET_NO_MEMORY, "cannot start thread " + std::to_string(threads.size() + 1) +
                                     " of " + std::to_string(wanted) + ": " + error.what());
  }
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
  for (std::size_t i = drivers(settings_); i < evaluating_threads(settings_); ++i) team_.leave(i);
  threads_.clear();  // joins
  for (const auto& [session, owned] : open_) session->wait_for_users();
}

void Service::say(std::string_view line) const noexcept {
  if (!settings_.log) return;
  try {
    settings_.log(line);
  } catch (...) {  // the log function is the host's; its exceptions are dropped
  }
}

bool Service::in_callback() const {
  return std::ranges::any_of(workers_, [](const auto& worker) { return worker->in_call(); });
}

Result<const HostTable*> Service::find_host(std::string_view game) const {
  const std::lock_guard lock(mutex_);
  for (const auto& own : own_games_) {
    if (own->host().game.name == game) return &own->host();
  }
  const auto built_in = find_game<HostTable>(game);
  return built_in ? built_in : fail(SENET_UNKNOWN_GAME, built_in.error().reason());
}

ServedGame* Service::find_served(std::string_view game) {
  const auto is_its = [&](const auto& served) { return served->plan.spec.game == game; };
  const auto found = std::ranges::find_if(served_, is_its);
  return found == served_.end() ? nullptr : found->get();
}

const TablebaseFile* Service::tablebase(std::string_view game) {
  const std::lock_guard lock(mutex_);
  const ServedGame* const served = find_served(game);
  return served == nullptr ? nullptr : &served->tablebase;
}

Result<void> Service::use(const SharedNetwork& network) {
  const NetworkSpec& spec = network->spec();
  auto weights = std::make_shared<const Weights>(network, best_kernels(), *settings_.heap);
  {
    // Allocating a game's memory takes a while: searches and sessions do not wait for it.
    const std::lock_guard one_at_a_time(games_mutex_);
    ServedGame* known = nullptr;
    {
      const std::lock_guard lock(mutex_);
      known = find_served(spec.game);
    }
    if (known == nullptr) {
      Result<std::unique_ptr<ServedGame>> made = make_served(*weights);
      if (!made) return made.error();
      (*made)->weights.publish(std::move(weights));
      const std::lock_guard lock(mutex_);
      served_.push_back(std::move(*made));
    } else if (spec == known->plan.spec) {
      known->weights.publish(std::move(weights));
    } else {
      const bool by_playouts = known->plan.spec.evaluates == Evaluates::kPlayouts;
      return fail(SENET_MODEL_MISMATCH,
                  by_playouts ? spec.game + " plays by random playouts in this engine"
                              : "these weights differ in shape or mode from the first " +
                                    spec.game + " weights of this engine");
    }
  }
  if (settings_.log)
    say(spec.game + ": weights " + id_text(network->id()) + " are used by new searches");
  return {};
}

// The settings with `evaluator` resolved. Timing the candidates takes memory and a thread.
Result<ServiceSettings> Service::settings_for(const Weights& weights) {
  ServiceSettings settings = settings_;
  Evaluation& evaluation = settings.evaluation;
  if (evaluation.kind != EvaluatorKind::kAuto || evaluation.own) return settings;
  const std::size_t rows = evaluation.batch_rows;
  const NetworkSpec& spec = weights.spec();
  const std::size_t bytes = shared_bytes(EvaluatorKind::kFused, spec) +
                            evaluator_bytes(EvaluatorKind::kFused, spec, rows) +
                            evaluator_bytes(EvaluatorKind::kOneDnn, spec, rows) + kThreadBytes;
  const auto timing = memory_budget_.reserve(bytes, "timing evaluators");
  if (!timing) return timing.error();
  const WithoutSignals here;
  resolve(evaluation, weights.network());
  return settings;
}

Result<void> Service::open_tablebase(const AnyGame& game, TablebaseFile& tablebase) {
  if (!settings_.tablebases || game.tablebase.bytes == 0) return {};
  const std::filesystem::path& folder = *settings_.tablebases;
  if (auto found = TablebaseFile::find(game, folder)) {
    tablebase = std::move(*found);
    return {};
  }
  const auto building = memory_budget_.reserve(
      game.tablebase.build_bytes, "building the tablebase of " + std::string(game.name));
  if (!building) return building.error();
  tablebase = TablebaseFile::build(game, folder, *settings_.heap);
  if (!tablebase.note().empty()) say(tablebase.note());
  return {};
}

Result<std::unique_ptr<ServedGame>> Service::make_served(const Weights& weights) {
  const Result<const HostTable*> found = find_host(weights.spec().game);
  if (!found) return found.error();
  const HostTable& host = **found;
  if (const auto fits = check_contract(weights.spec(), reference_spec(host.game)); !fits) {
    return fail(SENET_MODEL_MISMATCH, fits.error().reason());
  }
  const Result<ServiceSettings> settings = settings_for(weights);
  if (!settings) return settings.error();
  Result<ServedGamePlan> plan = host.plan(host, weights.spec(), *settings);
  if (!plan) return plan.error();
  if (plan->visits == 0) return fail(SENET_BAD_ARGUMENT, "tree is too small for a single visit");
  auto memory =
      memory_budget_.reserve(plan->game_bytes, "batches and evaluators of " + plan->spec.game);
  if (!memory) return memory.error();
  std::unique_ptr<ServedGame> served(new ServedGame{std::move(*plan), std::move(*memory)});
  if (const auto opened = open_tablebase(host.game, served->tablebase); !opened) {
    return opened.error();
  }
  for (std::size_t i = 0; i < evaluating_threads(*settings); ++i) {
    auto made = make_evaluator(settings->evaluation, weights, *settings->heap);
    if (!made) return fail(SENET_BAD_ARGUMENT, "evaluator: " + made.error().reason());
    served->evaluators.push_back(std::move(*made));
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    auto shared = std::make_unique<TeamEvaluator>(team_, i, weights, served->evaluators);
    served->pools.push_back(
        host.make_pool(served->plan, *workers_[i], served->weights,
                       with_cache(std::move(shared), weights, settings->evaluation.batch_rows,
                                  served->plan.cache, *settings->heap)));
  }
  return served;
}

std::vector<std::string_view> Service::games() const {
  std::vector<std::string_view> names(game_names().begin(), game_names().end());
  const std::lock_guard lock(mutex_);
  for (const auto& own : own_games_) names.push_back(own->host().game.name);
  return names;
}

Result<void> Service::add_game(GameTable table) {
  if (auto checked = check_table(table); !checked) return checked;
  const std::lock_guard one_at_a_time(games_mutex_);
  if (find_host(table.name)) {
    return fail(SENET_BAD_ARGUMENT, "a game called " + table.name + " already exists");
  }
  auto own = std::make_unique<const OwnGame>(std::move(table));
  const std::lock_guard lock(mutex_);
  own_games_.push_back(std::move(own));
  return {};
}

// The caller holds mutex_.
Error Service::no_weights(std::string_view game) const {
  std::string reason = "no weights are in use for " + std::string(game);
  for (const auto& other : served_) {
    reason += (other == served_.front() ? ", only for " : ", ") + other->plan.spec.game;
  }
  return fail(SENET_BAD_STATE, reason);
}

// A game with weights in use; playouts() for one without a network.
Result<ServedGame*> Service::served_game(std::string_view game) {
  if (const auto known = find_host(game); !known) return known.error();
  std::unique_lock lock(mutex_);
  if (ServedGame* const served = find_served(game)) return served;
  if (!builtin_model(game).empty()) return no_weights(game);
  lock.unlock();
  const auto network = playouts(game);
  if (!network) return network.error();
  const auto used = use(*network);
  lock.lock();
  ServedGame* const served = find_served(game);  // perhaps published by another thread
  return served != nullptr ? Result<ServedGame*>(served) : used.error();
}

Result<Session*> Service::open_session(std::string_view game) {
  const Result<ServedGame*> found = served_game(game);
  if (!found) return found.error();
  ServedGame* const served = *found;
  std::unique_lock lock(mutex_);
  if (open_.size() + opening_ == settings_.sessions) {
    return fail(SENET_NO_SLOT, "all " + std::to_string(settings_.sessions) + " sessions are open");
  }
  auto memory = memory_budget_.reserve(served->plan.session_bytes, "one more session");
  if (!memory) return memory.error();
  const std::uint64_t number = opened_++;
  ++opening_;
  lock.unlock();  // allocating a tree takes a while
  OnHeap<Session> session;
  try {
    session = served->plan.host.make_session(*served, *this, number, std::move(*memory));
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
    session->wait_for_users();
  }
  if (session->may_destroy()) release(session);
}

void Service::release(const Session* session) {
  OnHeap<Session> closed;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(session);
  closed = std::move(found->second);
  open_.erase(found);
}

Result<void> Service::search(Session& session, SessionLimits limits, Session::Done done) {
  // Choose the worker with the fewest searches.
  std::size_t least = 0;
  for (std::size_t i = 1; i < workers_.size(); ++i) {
    if (workers_[i]->searches() < workers_[least]->searches()) least = i;
  }
  ServiceWorker& worker = *workers_[least];
  const std::lock_guard lock(mutex_);
  if (closing_) return fail(SENET_STOPPED, "the engine is being closed");
  AnySearchPool& pool = *session.served().pools[least];
  if (auto begun = session.begin(std::move(limits), std::move(done), pool); !begun) return begun;
  worker.take(session);
  return {};
}

Result<void> Service::evaluate(
    std::string_view game, std::size_t count,
    const std::function<Result<AnyState>(const AnyGame& rules, std::size_t i)>& position,
    const std::function<void(std::size_t i, const Expectation&)>& expected) {
  const Result<ServedGame*> found = served_game(game);
  if (!found) return found.error();
  ServedGame& served = **found;
  const ServedGamePlan& plan = served.plan;
  const auto memory = memory_budget_.reserve(plan.evaluating_bytes, "evaluating positions");
  if (!memory) return memory.error();
  const WeightsInUse::User user(served.weights);
  Evaluation evaluation = plan.settings.evaluation;
  constexpr std::size_t kLeastRows = 32;  // a position may take several
  evaluation.batch_rows = std::min(evaluation.batch_rows, std::max(count, kLeastRows));
  const auto evaluator = make_evaluator(evaluation, user.weights(), *settings_.heap);
  if (!evaluator) return fail(SENET_BAD_ARGUMENT, "evaluator: " + evaluator.error().reason());
  Batch batch(evaluation.batch_rows, plan.row, *settings_.heap);
  std::pmr::vector<AnyState> positions(settings_.heap);
  positions.reserve(std::min(count, evaluation.batch_rows));
  for (std::size_t first = 0; first < count; first += positions.size()) {
    positions.clear();
    while (first + positions.size() < count && positions.size() < evaluation.batch_rows) {
      Result<AnyState> next = position(plan.host.game, first + positions.size());
      if (!next) return next.error();
      positions.push_back(*next);
    }
    plan.host.evaluate(served, **evaluator, batch, positions,
                       [&](std::size_t i, const Expectation& its) { expected(first + i, its); });
  }
  return {};
}

Result<void> Service::wait(const Session& session, std::chrono::microseconds time) {
  const Session::KeepAlive alive(session);
  if (in_callback()) {
    return fail(SENET_BAD_STATE, "a callback cannot wait: it blocks the thread that searches");
  }
  if (drive_until_idle(session, time)) return {};
  return fail(SENET_TIMEOUT, "the search is still running");
}

bool Service::drive_until_idle(const Session& session, std::chrono::microseconds time) {
  if (settings_.workers > 0) return session.wait(time);
  const auto end = ServiceClock::now() + time;
  // How long to wait while another thread drives this session's worker.
  constexpr auto kElsewhere = std::chrono::milliseconds(1);
  while (!session.wait(std::chrono::microseconds(0))) {
    if (ServiceClock::now() >= end) return false;
    ServiceWorker& worker = session.pool().worker();
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

// Makes one round of each worker in turn, so that no worker's searches wait for the end of the
// budget. Each call begins with the next worker, because a short budget ends after one round.
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
