// Self-play that is measured while it runs: the warming up, and the moments between which
// everything is counted.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "selfplay/selfplay_threads.hpp"
#include "tools/bench_selfplay.hpp"
#include "tools/encode_cost.hpp"
#include "train_bridge/resident_memory.hpp"

namespace senet {

/// Enough for games of about the usual length: those that end in the measurement have begun so.
inline constexpr std::uint32_t kSpreadingVisits = 4;

/// What watches one worker, and what the worker leaves behind.
struct WatchedWorker {
  WorkerMeter meter;
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
      : settings_(settings), models_(std::move(network)), watched_(workers) {
    play_.workers = workers;
    play_.play.seed = settings.seed;
    play_.play.full_visits = play_.play.fast_visits = settings.visits;
    play_.worker.lanes = settings.lanes;
    play_.worker.batch_rows = settings.batch_rows;
    play_.worker.evaluator = evaluator;
    play_.worker.exact = settings.exact;
    play_.worker.cache_mib = settings.cache_mib;
    play_.worker.visits = settings.visits;
    play_.worker.search.evaluates = settings.evaluates;
    play_.worker.search.reuse_tree = settings.reuse_tree;
  }

  /// With a `trace`, the first worker writes in it from the beginning of the measurement on.
  Result<Measured> run(WorkerTrace* trace) {
    if (trace != nullptr) watched_.front().meter.write_into(*trace);
    SelfPlayThreads<G> threads(
        play_, models_, numbers_, sink_,
        {.begins =
             [this](std::size_t i, Worker<G>& worker) {
               worker.observe(&watched_[i].meter);
               may_begin_.wait(false);
             },
         .ended = [this](std::size_t i, Worker<G>& worker) { look_back(i, worker); }});
    const Moment start = moment(threads);
    warm_up(threads);
    const Moment begin = moment(threads);
    if (trace != nullptr) trace->begin();
    if (all_play(threads)) {
      std::this_thread::sleep_for(std::chrono::duration<double>(settings_.seconds));
    }
    const Moment end = moment(threads);
    Measured measured = difference(begin, end);
    measured.warmup_seconds = std::chrono::duration<double>(begin.time - start.time).count();
    measured.resident = resident_mib();
    threads.abandon();
    if (const auto played = threads.join(); !played) return played.error();
    for (const WatchedWorker& worker : watched_) {
      measured.encode.push_back(worker.encode);
      measured.trees.add(worker.trees);
    }
    return measured;
  }

 private:
  void look_back(std::size_t number, Worker<G>& worker) {
    constexpr std::size_t kPositions = 4096;
    WatchedWorker& watched = watched_[number];
    watched.encode = encode_cost(evaluated_positions(worker, settings_.evaluates, kPositions));
    for (const auto& lane : worker.lanes()) watched.trees.add(lane->search());
  }

  bool all_play(const SelfPlayThreads<G>& threads) const {
    return threads.running() == watched_.size();
  }

  // All lanes begin their first games together. Small searches soon bring them apart, so that games
  // of all ages are under way; then full ones until everything is as it will stay.
  void warm_up(SelfPlayThreads<G>& threads) {
    threads.limit_visits(kSpreadingVisits);
    may_begin_ = true;
    may_begin_.notify_all();
    const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (sink_.games < 2 * watched_.size() * settings_.lanes && all_play(threads) &&
           std::chrono::steady_clock::now() < latest) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    threads.limit_visits(settings_.visits);
    if (!all_play(threads)) return;
    std::this_thread::sleep_for(std::chrono::duration<double>(settings_.warmup_seconds));
  }

  Moment moment(const SelfPlayThreads<G>& threads) const {
    Moment moment{.time = std::chrono::steady_clock::now(),
                  .workers = {},
                  .games = static_cast<double>(sink_.games),
                  .decisions = static_cast<double>(sink_.decisions),
                  .plies = static_cast<double>(sink_.plies)};
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      moment.workers.push_back(WorkerCounts::now(threads.reports()[i], watched_[i].meter));
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
  SelfPlaySettings play_;
  ModelStore models_;
  GameNumbers numbers_{0};
  CountingSink sink_;
  std::deque<WatchedWorker> watched_;
  std::atomic<bool> may_begin_{false};  // once the visits are limited
};

template <Game G>
Result<Measured> measure_selfplay(const BenchSettings& settings, std::size_t workers,
                                  EvaluatorKind evaluator, Network network, WorkerTrace* trace) {
  return SelfPlayBench<G>(settings, workers, evaluator, std::move(network)).run(trace);
}

}  // namespace senet
