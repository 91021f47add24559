// Self-play that is measured while it runs: the warming up, and the moments between which
// everything is counted.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <latch>
#include <mutex>
#include <string>
#include <thread>
#include <valarray>
#include <vector>

#include "selfplay/selfplay_threads.hpp"
#include "tools/bench_timing.hpp"
#include "tools/bench_tree_of.hpp"
#include "tools/benchmarks.hpp"
#include "tools/worker_meter.hpp"
#include "train_bridge/resident_memory.hpp"

namespace senet {

/// What it costs to encode positions; means over them.
struct EncodeCost {
  double nanoseconds = 0;  // of encoding one into a batch
  double nonzeros = 0;     // features it writes
};

/// What self-play came to up to a moment, or between two.
struct SelfPlayMeasured {
  double seconds = 0, warmup_seconds = 0;
  double games = 0, decisions = 0, plies = 0;       // of games that ended
  std::vector<std::valarray<double>> workers = {};  // the counters of their reports
  std::vector<EncodeCost> encode = {};              // of each worker
  TreeCounts trees = {};                            // as they were in the end
  double resident = 0;
};

/// Counts finished games and forgets them; leaves the record where it is, so that its memory is
/// used again.
class CountingSink final : public GameSink {
 public:
  bool offer(GameRecord& record) override {
    decisions += static_cast<std::uint64_t>(
        std::ranges::count(record.turns(), TurnKind::kFullSearch, &RecordedTurn::kind));
    plies += record.turns().size();
    ++games;
    return true;
  }

  std::atomic<std::uint64_t> games{0};
  std::atomic<std::uint64_t> decisions{0};  // searched ones of those games
  std::atomic<std::uint64_t> plies{0};      // of those games, dice and forced moves included
};

/// Up to `most` positions that the worker's last searches asked their network about.
template <Game G>
std::vector<G> evaluated_positions(Worker<G>& worker, Evaluates evaluates, std::size_t most) {
  std::vector<G> positions;
  const auto enough = [&] { return positions.size() >= most; };
  for (const auto& lane : worker.lanes()) {
    const auto& tree = lane->search().tree();
    for (NodeId id = 0; id < tree.size() && !enough(); ++id) {
      const G& state = tree.state(id);
      if (!is_decision(state.turn())) continue;
      if (evaluates == Evaluates::kPosition) {
        positions.push_back(state);
        continue;
      }
      ActionList<G::kMaxLegal> actions;
      state.legal(actions);
      for (const Action action : actions) {
        G after = state;
        after.play(action);
        if (after.turn() != Turn::kOver && !enough()) positions.push_back(after);
      }
    }
  }
  return positions;
}

/// What encoding `positions` takes; zeros when there are none.
template <Game G>
EncodeCost encode_cost(const std::vector<G>& positions) {
  constexpr std::size_t kBatchRows = 64;
  constexpr double kSeconds = 0.05;
  if (positions.empty()) return {};
  Batch batch(kBatchRows, G::kMaxActive);
  const double began = wall_seconds();
  double rows = 0, active = 0, time = 0;
  while (time < kSeconds) {
    for (const G& position : positions) {
      if (batch.room() == 0) batch.clear();
      batch.add({}, [&](FeatureRow& row) {
        position.encode(row);
        active += static_cast<double>(row.count());
      });
    }
    rows += static_cast<double>(positions.size());
    time = wall_seconds() - began;
  }
  return {1e9 * time / rows, active / rows};
}

inline void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// BenchGame::selfplay
template <Game G>
SelfPlayMeasured measure_selfplay(const BenchCase& bench, std::size_t workers,
                                  EvaluatorKind evaluator, const std::string& trace_file) {
  constexpr std::size_t kTracedPasses = 200;  // a few hundredths of a second
  constexpr std::size_t kEncodedPositions = 4096;
  // Enough for games of about the usual length: those that end in the measurement have begun so.
  constexpr std::uint32_t kSpreadingVisits = 4;
  const BenchSettings& settings = bench.settings;
  SelfPlaySettings how;
  how.workers = workers;
  how.play.seed = settings.seed;
  how.play.full_visits = how.play.fast_visits = settings.visits;
  how.worker = settings;
  how.worker.evaluator = evaluator;
  ModelStore models(copy_of(bench.network));
  GameNumbers numbers(0);
  CountingSink sink;
  std::deque<WorkerMeter> meters(workers);
  if (!trace_file.empty()) meters[0].reserve_trace(kTracedPasses, settings.lanes);
  std::vector<EncodeCost> encode(workers);  // each written by its worker
  std::mutex trees_mutex;
  TreeCounts trees;  // as they were in the end
  std::latch may_begin(1);
  const auto begins = [&](std::size_t i, Worker<G>& worker) {
    worker.observe(&meters[i]);
    may_begin.wait();
  };
  const auto ended = [&](std::size_t i, Worker<G>& worker) {
    encode[i] =
        encode_cost(evaluated_positions(worker, settings.search.evaluates, kEncodedPositions));
    const std::lock_guard lock(trees_mutex);
    for (const auto& lane : worker.lanes()) trees.add(lane->search());
  };
  SelfPlayThreads<G> threads(how, models, numbers, sink, {.begins = begins, .ended = ended});
  const auto all_play = [&] { return threads.running() == workers; };
  // What there was up to now; `seconds` is the time of it.
  const auto now = [&] {
    SelfPlayMeasured measured{.seconds = wall_seconds(),
                              .games = static_cast<double>(sink.games),
                              .decisions = static_cast<double>(sink.decisions),
                              .plies = static_cast<double>(sink.plies)};
    for (const WorkerReport& report : threads.reports()) measured.workers.push_back(report.now());
    return measured;
  };

  // All lanes begin their first games together. Small searches soon bring them apart, so that games
  // of all ages are under way; then full ones until everything is as it will stay.
  const double start = wall_seconds();
  threads.limit_visits(kSpreadingVisits);
  may_begin.count_down();
  while (sink.games < 2 * workers * settings.lanes && all_play() && wall_seconds() < start + 60) {
    sleep_for(0.005);
  }
  threads.limit_visits(settings.visits);
  if (all_play()) sleep_for(settings.warmup_seconds);

  const SelfPlayMeasured begin = now();
  meters[0].begin_trace();
  if (all_play()) sleep_for(settings.seconds);
  SelfPlayMeasured measured = now();
  measured.resident = resident_mib();
  threads.abandon();
  threads.join().value();
  measured.warmup_seconds = begin.seconds - start;
  measured.seconds -= begin.seconds;
  measured.games -= begin.games;
  measured.decisions -= begin.decisions;
  measured.plies -= begin.plies;
  for (std::size_t i = 0; i < workers; ++i) measured.workers[i] -= begin.workers[i];
  measured.encode = encode;
  measured.trees = trees;
  if (!trace_file.empty()) meters[0].write_trace(trace_file, encode[0].nanoseconds).value();
  return measured;
}

}  // namespace senet
