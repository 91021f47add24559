// Self-play that is measured while it runs: the threads, the warming up, the moments between which
// everything is counted.
#pragma once

#include <algorithm>
#include <deque>
#include <latch>
#include <thread>

#include "selfplay/runners.hpp"
#include "tools/bench_selfplay.hpp"
#include "tools/encode_cost.hpp"
#include "tools/resident_memory.hpp"

namespace senet {

/// Enough for games of about the usual length: those that end in the measurement have begun so.
inline constexpr std::uint32_t kSpreadingVisits = 4;

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
    game->begin(*number, run.evaluator, run.settings_text);
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
  /// `number` of the lane, for `trace`, which may be null.
  StoppableRunner(Lane<G>& lane, const SelfPlay& run, const Orders& orders, std::size_t number,
                  WorkerTrace* trace)
      : runner_(lane, [&run, &orders](Lane<G>& own) { play_to_order(own, run, orders); }),
        orders_(orders),
        number_(number),
        trace_(trace) {}

  LaneState resume() {
    if (orders_.stop.load(std::memory_order_relaxed)) return LaneState::kFinished;
    if (trace_ == nullptr || !trace_->wants_lane()) return runner_.resume();
    const auto began = WorkerTrace::Clock::now();
    const LaneState state = runner_.resume();
    trace_->lane(number_, began, WorkerTrace::Clock::now());
    return state;
  }

 private:
  FiberRunner<G> runner_;
  const Orders& orders_;
  const std::size_t number_;
  WorkerTrace* const trace_;
};

/// One thread of the benchmark and what it leaves behind.
struct PlayingThread {
  WorkerReport report;
  AllocationCounts heap;
  Result<void> made;
  EncodeCost encode;
  TreeCounts trees;  // as they were in the end
};

/// The counters of everything at one moment.
struct Moment {
  std::chrono::steady_clock::time_point time;
  std::vector<WorkerCounts> workers;
  double games, decisions, plies;
};

template <Game G>
class SelfPlayBench {
 public:
  /// Of `workers` threads.
  SelfPlayBench(const BenchSettings& settings, std::size_t workers, EvaluatorKind evaluator,
                Network network)
      : settings_(settings), workers_(workers), evaluator_(evaluator), models_(std::move(network)) {
    play_.seed = settings.seed;
    play_.full_visits = play_.fast_visits = settings.visits;
  }

  /// With a `trace`, the first worker writes in it from the beginning of the measurement on.
  Result<Measured> run(WorkerTrace* trace) {
    std::deque<PlayingThread> players(workers_);
    std::latch made(static_cast<std::ptrdiff_t>(workers_) + 1);
    std::vector<std::thread> threads;
    for (PlayingThread& player : players) {
      WorkerTrace* const of_player = &player == &players.front() ? trace : nullptr;
      threads.emplace_back([this, &player, of_player, &made] { play(player, of_player, made); });
    }
    made.arrive_and_wait();
    const bool all_made = std::ranges::all_of(
        players, [](const PlayingThread& player) { return player.made.has_value(); });
    Measured measured;
    if (all_made) {
      const Moment start = moment(players);
      warm_up();
      const Moment begin = moment(players);
      if (trace != nullptr) trace->begin();
      std::this_thread::sleep_for(std::chrono::duration<double>(settings_.seconds));
      const Moment end = moment(players);
      measured = difference(begin, end);
      measured.warmup_seconds = std::chrono::duration<double>(begin.time - start.time).count();
      measured.resident = resident_mib();
    }
    orders_.stop = true;
    for (std::thread& thread : threads) thread.join();
    for (const PlayingThread& player : players) {
      if (!player.made) return player.made.error();
      measured.encode.push_back(player.encode);
      measured.trees.add(player.trees);
    }
    return measured;
  }

 private:
  // A worker thread's whole life.
  void play(PlayingThread& player, WorkerTrace* trace, std::latch& made) {
    WorkerSettings worker_settings;
    worker_settings.lanes = settings_.lanes;
    worker_settings.batch_rows = settings_.batch_rows;
    worker_settings.visits = settings_.visits;
    worker_settings.search.evaluates = settings_.evaluates;
    worker_settings.search.reuse_tree = settings_.reuse_tree;
    worker_settings.cache_mib = settings_.cache_mib;
    worker_settings.own_evaluator = [&](const Weights& weights,
                                        std::size_t rows) -> Result<std::unique_ptr<Evaluator>> {
      auto evaluator = make_evaluator(evaluator_, weights, rows, settings_.exact);
      if (!evaluator) return evaluator;
      return std::make_unique<CountingEvaluator>(std::move(*evaluator), player.heap, trace);
    };
    auto worker = Worker<G>::make(worker_settings, models_, player.report);
    if (!worker) player.made = worker.error();
    made.arrive_and_wait();
    if (!worker) return;
    const SelfPlay run{play_, numbers_, sink_, (*worker)->evaluator_name()};
    std::vector<std::unique_ptr<StoppableRunner<G>>> runners;
    for (const auto& lane : (*worker)->lanes()) {
      runners.push_back(
          std::make_unique<StoppableRunner<G>>(*lane, run, orders_, runners.size(), trace));
    }
    (*worker)->template drive<StoppableRunner<G>>(runners);
    constexpr std::size_t kPositions = 4096;
    player.encode = encode_cost(evaluated_positions(**worker, settings_.evaluates, kPositions));
    for (const auto& lane : (*worker)->lanes()) player.trees.add(lane->search());
  }

  // All lanes begin their first games together. Small searches soon bring them apart, so that games
  // of all ages are under way; then full ones until everything is as it will stay.
  void warm_up() {
    const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (sink_.games < 2 * workers_ * settings_.lanes &&
           std::chrono::steady_clock::now() < latest) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    orders_.visits = settings_.visits;
    std::this_thread::sleep_for(std::chrono::duration<double>(settings_.warmup_seconds));
  }

  Moment moment(const std::deque<PlayingThread>& players) const {
    Moment moment{.time = std::chrono::steady_clock::now(),
                  .workers = {},
                  .games = static_cast<double>(sink_.games),
                  .decisions = static_cast<double>(sink_.decisions),
                  .plies = static_cast<double>(sink_.plies)};
    for (const PlayingThread& player : players) {
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
                      .encode = {},
                      .trees = {}};
    for (std::size_t i = 0; i < measured.workers.size(); ++i) {
      measured.workers[i].add(begin.workers[i], -1);
    }
    return measured;
  }

  const BenchSettings& settings_;
  const std::size_t workers_;
  const EvaluatorKind evaluator_;
  ModelStore models_;
  PlaySettings play_;
  GameNumbers numbers_{0};
  CountingSink sink_;
  Orders orders_{std::min(kSpreadingVisits, settings_.visits)};
};

template <Game G>
Result<Measured> measure_selfplay(const BenchSettings& settings, std::size_t workers,
                                  EvaluatorKind evaluator, Network network, WorkerTrace* trace) {
  return SelfPlayBench<G>(settings, workers, evaluator, std::move(network)).run(trace);
}

}  // namespace senet
