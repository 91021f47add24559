#include "tools/bench_selfplay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <latch>
#include <limits>
#include <thread>

#include "games/registry.hpp"
#include "selfplay/runners.hpp"
#include "tools/encode_cost.hpp"
#include "tools/resident_memory.hpp"
#include "tools/run_config.hpp"
#include "tools/selfplay_counts.hpp"

namespace senet {
namespace {

using Clock = std::chrono::steady_clock;

// Enough for games of about the usual length: those that end in the measurement have begun so.
constexpr std::uint32_t kSpreadingVisits = 4;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// What the lanes of all workers look at while they play.
struct Orders {
  std::atomic<std::uint32_t> visits;  // of the searches that begin now
  std::atomic<bool> stop{false};      // end where you are
};

/// A lane's whole life, as play_games() tells it, but with as many visits as are ordered now.
template <Game G>
void play_to_order(Lane<G>& lane, const SelfPlay& run, const Orders& orders) {
  const auto game = std::make_unique<GameInPlay<G>>(run.settings);
  while (const auto number = run.numbers.take()) {
    lane.begin_game();
    game->begin(*number, run.evaluator);
    while (game->next_decision()) {
      SearchBudget budget = game->budget();
      budget.visits = orders.visits.load(std::memory_order_relaxed);
      const Decision<G> decision = lane.think(game->state(), budget, game->noise());
      game->take(decision, lane.model(),
                 [&](Action action) { return lane.search().outcomes_after(action); });
    }
    while (!run.sink.offer(game->record())) lane.wait();
  }
}

/// A lane's games on a fiber, until the orders say stop: then they are dropped where they are.
template <Game G>
class StoppableRunner {
 public:
  StoppableRunner(Lane<G>& lane, const SelfPlay& run, const Orders& orders)
      : runner_(lane, [&run, &orders](Lane<G>& own) { play_to_order(own, run, orders); }),
        orders_(orders) {}

  LaneState resume() {
    return orders_.stop.load(std::memory_order_relaxed) ? LaneState::kFinished : runner_.resume();
  }

 private:
  FiberRunner<G> runner_;
  const Orders& orders_;
};

/// One thread of the benchmark and what it leaves behind.
struct Player {
  WorkerReport report;
  AllocationCounts heap;
  Result<void> made;
  double encode_ns = 0;  // a row
};

/// The counters of everything at one moment.
struct Moment {
  Clock::time_point time;
  std::vector<WorkerCounts> workers;
  double games, decisions, plies;
};

struct Measured {
  double seconds = 0, warmup_seconds = 0;
  double games = 0, decisions = 0, plies = 0;  // of games that ended
  std::vector<WorkerCounts> workers;
  std::vector<double> encode_ns;
  double resident = 0;
};

template <Game G>
class SelfPlayBench {
 public:
  SelfPlayBench(const BenchSettings& settings, EvaluatorKind evaluator, Network network)
      : settings_(settings), evaluator_(evaluator), models_(std::move(network)) {
    play_.seed = settings.seed;
    play_.full_visits = play_.fast_visits = settings.visits;
  }

  Result<Measured> run() {
    std::deque<Player> players(settings_.workers);
    std::latch made(static_cast<std::ptrdiff_t>(settings_.workers) + 1);
    std::vector<std::thread> threads;
    for (Player& player : players) {
      threads.emplace_back([this, &player, &made] { play(player, made); });
    }
    made.arrive_and_wait();
    const bool all_made =
        std::ranges::all_of(players, [](const Player& player) { return player.made.has_value(); });
    Measured measured;
    if (all_made) {
      const Moment start = moment(players);
      warm_up();
      const Moment begin = moment(players);
      std::this_thread::sleep_for(std::chrono::duration<double>(settings_.seconds));
      const Moment end = moment(players);
      measured = difference(begin, end);
      measured.warmup_seconds = std::chrono::duration<double>(begin.time - start.time).count();
      measured.resident = resident_mib();
    }
    orders_.stop = true;
    for (std::thread& thread : threads) thread.join();
    for (const Player& player : players) {
      if (!player.made) return tl::unexpected(player.made.error());
      measured.encode_ns.push_back(player.encode_ns);
    }
    return measured;
  }

 private:
  // A worker thread's whole life.
  void play(Player& player, std::latch& made) {
    WorkerSettings worker_settings;
    worker_settings.lanes = settings_.lanes;
    worker_settings.batch_rows = settings_.batch_rows;
    worker_settings.visits = settings_.visits;
    worker_settings.search.evaluates = settings_.evaluates;
    worker_settings.search.reuse_tree = settings_.reuse_tree;
    worker_settings.own_evaluator = [&](const Network& network,
                                        std::size_t rows) -> Result<std::unique_ptr<Evaluator>> {
      auto evaluator = make_evaluator(evaluator_, network, rows, settings_.exact);
      if (!evaluator) return evaluator;
      return std::make_unique<CountingEvaluator>(std::move(*evaluator), player.heap);
    };
    auto worker = Worker<G>::make(worker_settings, models_, player.report);
    if (!worker) player.made = tl::unexpected(worker.error());
    made.arrive_and_wait();
    if (!worker) return;
    const SelfPlay run{play_, numbers_, sink_, (*worker)->evaluator_name()};
    std::vector<std::unique_ptr<StoppableRunner<G>>> runners;
    for (const auto& lane : (*worker)->lanes()) {
      runners.push_back(std::make_unique<StoppableRunner<G>>(*lane, run, orders_));
    }
    (*worker)->template drive<StoppableRunner<G>>(runners);
    constexpr std::size_t kPositions = 4096;
    player.encode_ns =
        encode_nanoseconds(evaluated_positions(**worker, settings_.evaluates, kPositions));
  }

  // All lanes begin their first games together. Small searches soon bring them apart, so that games
  // of all ages are under way; then full ones until everything is as it will stay.
  void warm_up() {
    const auto latest = Clock::now() + std::chrono::seconds(60);
    while (sink_.games < 2 * settings_.workers * settings_.lanes && Clock::now() < latest) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    orders_.visits = settings_.visits;
    std::this_thread::sleep_for(std::chrono::duration<double>(settings_.warmup_seconds));
  }

  Moment moment(const std::deque<Player>& players) const {
    Moment moment{.time = Clock::now(),
                  .workers = {},
                  .games = static_cast<double>(sink_.games),
                  .decisions = static_cast<double>(sink_.decisions),
                  .plies = static_cast<double>(sink_.plies)};
    for (const Player& player : players) {
      moment.workers.push_back(WorkerCounts::now(player.report, player.heap));
    }
    return moment;
  }

  static Measured difference(const Moment& begin, const Moment& end) {
    Measured measured{.seconds = std::chrono::duration<double>(end.time - begin.time).count(),
                      .games = end.games - begin.games,
                      .decisions = end.decisions - begin.decisions,
                      .plies = end.plies - begin.plies,
                      .workers = end.workers,
                      .encode_ns = {}};
    for (std::size_t i = 0; i < measured.workers.size(); ++i) {
      measured.workers[i].add(begin.workers[i], -1);
    }
    return measured;
  }

  const BenchSettings& settings_;
  const EvaluatorKind evaluator_;
  ModelStore models_;
  PlaySettings play_;
  GameNumbers numbers_{0};
  CountingSink sink_;
  Orders orders_{std::min(kSpreadingVisits, settings_.visits)};
};

/// Shares of a worker's time; they add up to 1.
struct Shares {
  double forward = 0, encode = 0, tree = 0, other = 0;
};

Shares shares_of(const WorkerCounts& counts, double encode_ns) {
  const double total = counts.total_ns;
  if (!(total > 0)) return {kNaN, kNaN, kNaN, kNaN};
  Shares shares;
  shares.forward = counts.forward_ns / total;
  const double lanes = counts.lanes_ns / total;
  shares.encode = std::min(counts.rows * encode_ns / total, lanes);
  shares.tree = lanes - shares.encode;
  shares.other = std::max(0.0, 1 - shares.forward - lanes);
  return shares;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : kNaN; }

Figures figures_of(const Measured& measured, const BenchSettings& settings, std::size_t parameters,
                   const std::string& subject) {
  WorkerCounts sum;
  for (const WorkerCounts& counts : measured.workers) sum.add(counts, 1);
  const double seconds = measured.seconds;
  const bool counted = thread_allocations().has_value();
  const double own = sum.allocations - sum.forward_allocations;
  const double fill = ratio(sum.rows, sum.forwards);
  const auto workers = static_cast<double>(measured.workers.size());
  Figures figures;
  const auto add = [&](const char* name, double value, const char* unit) {
    figures.push_back({subject, name, value, unit});
  };
  add("games_per_minute", measured.games / seconds * 60, "games/min");
  add("decisions_per_second", sum.searches / seconds, "decisions/s");
  add("simulations_per_second", sum.visits / seconds, "visits/s");
  add("evaluations_per_second", sum.rows / seconds, "rows/s");
  add("evaluations_per_visit", ratio(sum.rows, sum.visits), "rows/visit");
  add("mean_batch_fill", fill, "rows/forward");
  add("mean_batch_fill_share", fill / static_cast<double>(settings.batch_rows), "share");

  std::vector<Shares> shares;
  Shares mean;
  for (std::size_t i = 0; i < measured.workers.size(); ++i) {
    shares.push_back(shares_of(measured.workers[i], measured.encode_ns[i]));
    for (double Shares::*const part :
         {&Shares::forward, &Shares::encode, &Shares::tree, &Shares::other}) {
      mean.*part += shares.back().*part / workers;
    }
  }
  const auto add_shares = [&](const std::string& whose, const Shares& s) {
    figures.push_back({whose, "share_forward", s.forward, "share"});
    figures.push_back({whose, "share_encode", s.encode, "share"});
    figures.push_back({whose, "share_tree", s.tree, "share"});
    figures.push_back({whose, "share_other", s.other, "share"});
  };
  add_shares(subject, mean);
  add("allocations_per_simulation", counted ? ratio(sum.allocations, sum.visits) : kNaN,
      "allocations/visit");
  add("own_allocations_per_simulation", counted ? ratio(own, sum.visits) : kNaN,
      "allocations/visit");
  add("decisions_per_game", ratio(measured.decisions, measured.games), "decisions");
  add("plies_per_game", ratio(measured.plies, measured.games), "plies");
  add("games", measured.games, "games");
  add("measured_seconds", seconds, "s");
  add("warmup_seconds", measured.warmup_seconds, "s");
  add("resident", measured.resident, "MiB");
  add("parameters", static_cast<double>(parameters), "parameters");
  add("workers", workers, "threads");
  add("lanes_per_worker", static_cast<double>(settings.lanes), "games");
  add("batch_capacity", static_cast<double>(settings.batch_rows), "rows");
  for (std::size_t i = 0; i < shares.size(); ++i) {
    add_shares(fmt::format("{}/worker-{}", subject, i), shares[i]);
  }
  return figures;
}

template <Game G>
Result<Figures> run(const BenchSettings& settings) {
  Result<BenchNetwork> network = bench_network(settings, reference_spec<G>());
  if (!network) return tl::unexpected(network.error());
  const EvaluatorKind evaluator =
      resolve_kind(settings.evaluator, network->network, settings.batch_rows, settings.exact);
  const std::size_t parameters = network->network.parameters().size();
  const auto measured = SelfPlayBench<G>(settings, evaluator, std::move(network->network)).run();
  if (!measured) return tl::unexpected(measured.error());
  const std::string subject =
      fmt::format("{}/{}/{}/visits-{}{}/{}{}", G::kName, evaluates_name(settings.evaluates),
                  network->name, settings.visits, settings.reuse_tree ? "-reused" : "",
                  evaluator_text(evaluator), settings.exact ? "-exact" : "");
  return figures_of(*measured, settings, parameters, subject);
}

}  // namespace

Result<Figures> bench_selfplay(const std::string& game, const BenchSettings& settings) {
  return visit_game(game, [&]<class G>(std::type_identity<G>) { return run<G>(settings); });
}

}  // namespace senet
