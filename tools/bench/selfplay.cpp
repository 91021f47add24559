#include "tools/bench/benchmarks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <latch>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <valarray>
#include <vector>

#include "engine/lanes/any_worker.hpp"
#include "games/json.hpp"
#include "tools/bench/timing.hpp"
#include "train_bridge/resident_memory.hpp"

namespace senet {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Totals of self-play up to some time, or differences of two such totals.
struct SelfPlayMeasured {
  double seconds = 0, warmup_seconds = 0;
  double games = 0, decisions = 0, plies = 0;       // of finished games
  std::vector<std::valarray<double>> workers = {};  // the counters of their reports
  std::vector<EncodeCost> encode = {};              // of each worker
  TreeCounts trees = {};                            // at the end
  double resident = 0;
};

/// Adds the heap allocations of a worker's thread to its report. After reserve_trace(), it also
/// records a trace of forward passes and of the lanes' work between them, in memory reserved
/// beforehand, for chrome://tracing or Perfetto. The clock is read only for the trace.
class WorkerMeter final : public WorkerObserver {
 public:
  /// Reserves memory for a trace of `passes` forward passes. Call before the worker plays.
  void reserve_trace(std::size_t passes, std::size_t lanes) {
    events_.reserve(passes * (lanes + 2));
  }
  /// Starts recording; the trace begins at the end of the next forward pass. Any thread may call
  /// it.
  void begin_trace() { traces_.store(true, std::memory_order_relaxed); }
  /// Writes the trace after the worker has ended: alternating `gather` and `forward` spans, and
  /// inside a gather a `lane` span per lane. `encode_ns` is the time to encode a row; each gather
  /// contains an estimate of its encoding time. Fails with a reason that contains the file's name.
  Result<void> write_trace(const std::filesystem::path& file, double encode_ns) const;

  void turn(std::size_t lane) override { record(Kind::kTurn, lane); }
  void forward_begins(std::size_t rows) override {
    allocations_ = thread_allocations().value_or(0);
    record(Kind::kForwardBegins, rows);
  }
  void forward_ended(WorkerReport& report) override {
    record(Kind::kForwardEnded, 0);
    const std::uint64_t now = thread_allocations().value_or(0);
    report.add(WorkerReport::kForwardAllocations, now - allocations_);
    report.set(WorkerReport::kAllocations, now);
  }

 private:
  enum class Kind : std::uint8_t { kTurn, kForwardBegins, kForwardEnded };
  struct Event {
    Kind kind;
    std::uint32_t number;  // index of the lane, or number of rows
    std::chrono::steady_clock::time_point time;
  };
  void record(Kind kind, std::size_t number) {
    if (events_.size() == events_.capacity() || !traces_.load(std::memory_order_relaxed)) return;
    events_.push_back({kind, static_cast<std::uint32_t>(number), std::chrono::steady_clock::now()});
  }

  std::uint64_t allocations_ = 0;  // before the current forward pass
  std::atomic<bool> traces_{false};
  std::vector<Event> events_;
};

Result<void> WorkerMeter::write_trace(const std::filesystem::path& file, double encode_ns) const {
  Json events = Json::array();
  const auto event_of = [](const std::string& name, const char* phase, const Json& arguments) {
    return Json::object(
        {{"name", name}, {"ph", phase}, {"pid", 1}, {"tid", 1}, {"args", arguments}});
  };
  events.push_back(event_of("process_name", "M", Json::object({{"name", "senet bench selfplay"}})));
  events.push_back(event_of("thread_name", "M", Json::object({{"name", "worker 0"}})));
  // Write complete rounds: from the end of a forward pass to the end of another one.
  const auto ended = [](const Event& event) { return event.kind == Kind::kForwardEnded; };
  const auto first = std::ranges::find_if(events_, ended);
  auto end = events_.end();
  while (end != first && !ended(*std::prev(end))) --end;
  auto pass_end = first;
  for (auto event = first; event != end; ++event) {
    const auto add_span = [&](const std::string& name, auto from, auto to, const Json& arguments) {
      using Microseconds = std::chrono::duration<double, std::micro>;  // the unit of the format
      Json span = event_of(name, "X", arguments);
      span["ts"] = Microseconds(from->time - first->time).count();
      span["dur"] = Microseconds(to->time - from->time).count();
      events.push_back(std::move(span));
    };
    const auto next = std::next(event);
    if (event->kind == Kind::kTurn) {
      add_span(fmt::format("lane {}", event->number), event, next, Json::object());
    } else if (event->kind == Kind::kForwardBegins) {
      add_span("gather", pass_end, event,
               Json::object({{"rows", event->number},
                             {"encode_us_about", 1e-3 * event->number * encode_ns}}));
      add_span("forward", event, next, Json::object({{"rows", event->number}}));
    } else {
      pass_end = event;
    }
  }
  std::ofstream out(file, std::ios::trunc);
  out << Json::object({{"displayTimeUnit", "ns"}, {"traceEvents", events}}).dump() << std::endl;
  if (!out) return fail(fmt::format("cannot write {}", file.string()));
  return {};
}

/// Counts finished games and discards them. Does not move the record, so that its memory is reused.
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
  std::atomic<std::uint64_t> decisions{0};  // searched decisions of those games
  std::atomic<std::uint64_t> plies{0};      // of those games, including dice and forced moves
};

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// Measures self-play on `workers` threads. Throws when it fails.
SelfPlayMeasured measure_selfplay(const BenchCase& bench, std::size_t workers,
                                  EvaluatorKind evaluator, const std::string& trace_file) {
  constexpr std::size_t kTracedPasses = 200;  // a few hundredths of a second
  // Enough for games of about the usual length; the first games to end in the measurement began
  // with these searches.
  constexpr std::uint32_t kSpreadingVisits = 4;
  const BenchSettings& settings = bench.settings;
  SelfPlaySettings how;
  how.workers = workers;
  how.play.seed = settings.seed;
  how.play.full_visits = how.play.fast_visits = settings.visits;
  how.worker = settings;
  how.worker.evaluation.kind = evaluator;
  ModelStore models(bench.network.clone());
  GameNumbers numbers(0);
  CountingSink sink;
  std::deque<WorkerMeter> meters(workers);
  if (!trace_file.empty()) meters[0].reserve_trace(kTracedPasses, settings.lanes);
  std::vector<EncodeCost> encode(workers);  // each written by its worker
  std::mutex trees_mutex;
  TreeCounts trees;  // at the end
  std::latch may_begin(1);
  const auto begins = [&](std::size_t i, AnyWorker& worker) {
    worker.observe(&meters[i]);
    may_begin.wait();
  };
  const auto ended = [&](std::size_t i, AnyWorker& worker) {
    encode[i] = bench.typed.encode_cost(worker, settings.search.evaluates);
    const std::lock_guard lock(trees_mutex);
    bench.typed.count_trees(worker, trees);
  };
  const std::unique_ptr<AnySelfPlayThreads> threads = bench.run_game.start_selfplay(
      bench.game, how, models, numbers, sink, {.begins = begins, .ended = ended});
  const auto all_play = [&] { return threads->running() == workers; };
  // The totals up to now; `seconds` is the current time.
  const auto now = [&] {
    SelfPlayMeasured measured{.seconds = wall_seconds(),
                              .games = static_cast<double>(sink.games),
                              .decisions = static_cast<double>(sink.decisions),
                              .plies = static_cast<double>(sink.plies)};
    for (const WorkerReport& report : threads->reports()) measured.workers.push_back(report.now());
    return measured;
  };

  // All lanes start together. Play with small searches until the games are at different stages,
  // then with full searches until the state is steady.
  const double start = wall_seconds();
  threads->limit_visits(kSpreadingVisits);
  may_begin.count_down();
  while (sink.games < 2 * workers * settings.lanes && all_play() && wall_seconds() < start + 60) {
    sleep_for(0.005);
  }
  threads->limit_visits(settings.visits);
  if (all_play()) sleep_for(settings.warmup_seconds);

  const SelfPlayMeasured begin = now();
  meters[0].begin_trace();
  if (all_play()) sleep_for(settings.seconds);
  SelfPlayMeasured measured = now();
  measured.resident = resident_mib();
  threads->abandon();
  threads->join().value();
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

void add_shares(Figures& figures, const std::string& subject, const StageShares& shares) {
  add_figures(figures, subject,
              {{"share_forward", shares.forward, "share"},
               {"share_encode", shares.encode, "share"},
               {"share_tree", shares.tree, "share"},
               {"share_other", shares.waiting, "share"}});
}

Figures figures_of(const SelfPlayMeasured& measured, const BenchCase& bench,
                   const std::string& subject) {
  using enum WorkerReport::Counter;
  const BenchSettings& settings = bench.settings;
  const double seconds = measured.seconds;
  const auto workers = static_cast<double>(measured.workers.size());
  std::valarray<double> sum(kCounters);
  std::vector<StageShares> shares;
  StageShares mean;
  double nonzeros = 0;  // mean over the workers, which evaluated about the same number of rows
  for (std::size_t i = 0; i < measured.workers.size(); ++i) {
    sum += measured.workers[i];
    nonzeros += measured.encode[i].nonzeros / workers;
    shares.push_back(stage_shares(measured.workers[i]));
    for (const auto stage :
         {&StageShares::forward, &StageShares::encode, &StageShares::tree, &StageShares::waiting}) {
      mean.*stage += shares.back().*stage / workers;
    }
  }
  const double fill = ratio(sum[kRows], sum[kForwards]);
  const auto per_visit = [&](double allocations) {
    return thread_allocations() ? ratio(allocations, sum[kVisits]) : kNaN;
  };
  const TreeCounts& trees = measured.trees;
  Figures figures;
  add_figures(figures, subject,
              {{"games_per_minute", measured.games / seconds * 60, "games/min"},
               {"decisions_per_second", sum[kSearches] / seconds, "decisions/s"},
               {"simulations_per_second", sum[kVisits] / seconds, "visits/s"},
               {"evaluations_per_second", sum[kRows] / seconds, "rows/s"},
               {"evaluations_per_visit", ratio(sum[kRows], sum[kVisits]), "rows/visit"},
               {"cache_hit_rate", ratio(sum[kCacheHits], sum[kRows]), "share"},
               {"mean_batch_fill", fill, "rows/forward"},
               {"mean_batch_fill_share", fill / static_cast<double>(settings.evaluation.batch_rows),
                "share"}});
  add_shares(figures, subject, mean);
  add_figures(
      figures, subject,
      {{"tree_over_forward", ratio(mean.tree, mean.forward), "ratio"},
       {"nonzeros", nonzeros, "features/row"},
       {"legal_moves", ratio(trees.legal, trees.positions), "moves/position"},
       {"plies_per_visit", ratio(trees.plies, trees.visits), "plies/visit"},
       {"bytes_per_visited_node", ratio(trees.used_bytes, trees.visited), "B/node"},
       {"bytes_per_visit", ratio(trees.used_bytes, trees.visits), "B/visit"},
       {"reserved_bytes_per_visited_node", ratio(trees.reserved_bytes, trees.visited), "B/node"},
       {"allocations_per_simulation", per_visit(sum[kAllocations]), "allocations/visit"},
       {"own_allocations_per_simulation", per_visit(sum[kAllocations] - sum[kForwardAllocations]),
        "allocations/visit"},
       {"decisions_per_game", ratio(measured.decisions, measured.games), "decisions"},
       {"plies_per_game", ratio(measured.plies, measured.games), "plies"},
       {"games", measured.games, "games"},
       {"measured_seconds", seconds, "s"},
       {"warmup_seconds", measured.warmup_seconds, "s"},
       {"resident", measured.resident, "MiB"},
       {"parameters", static_cast<double>(bench.network.parameters().size()), "parameters"},
       {"workers", workers, "threads"},
       {"lanes_per_worker", static_cast<double>(settings.lanes), "games"},
       {"batch_capacity", static_cast<double>(settings.evaluation.batch_rows), "rows"}});
  for (std::size_t i = 0; i < shares.size(); ++i) {
    add_shares(figures, fmt::format("{}/worker-{}", subject, i), shares[i]);
  }
  return figures;
}

void add_scaling(Figures& all, const std::string& subject, const Figures& before,
                 const Figures& after) {
  const auto value = [](const Figures& figures, std::string_view name) {
    return std::ranges::find(figures, name, &Metric::name)->value;
  };
  const std::string whose = fmt::format("{}/workers-{}-to-{}", subject, value(before, "workers"),
                                        value(after, "workers"));
  for (const std::string name : {"decisions_per_second", "evaluations_per_second"}) {
    add_figures(all, whose,
                {{name + "_ratio", ratio(value(after, name), value(before, name)), "ratio"}});
  }
}

}  // namespace

Benchmark prepare_selfplay(const BenchCase& bench) {
  const BenchSettings& settings = bench.settings;
  // Resolved once, so that all runs use the same evaluator.
  const EvaluatorKind evaluator =
      resolve_kind(settings.evaluation.kind, bench.network, settings.evaluation.batch_rows,
                   settings.evaluation.exact);
  const std::string subject = fmt::format(
      "{}/{}/{}/visits-{}{}{}/{}{}", bench.game.name, name_of(settings.search.evaluates),
      bench.network_name, settings.visits, settings.search.reuse_tree ? "-reused" : "",
      settings.cache_mib > 0 ? fmt::format("-cache-{}", settings.cache_mib) : "",
      name_of(evaluator), settings.evaluation.exact ? "-exact" : "");
  return [&bench, evaluator, subject, trace = settings.trace](Figures& all) mutable {
    Figures before;
    const bool compares = bench.settings.workers.size() > 1;
    for (const std::size_t workers : bench.settings.workers) {
      const SelfPlayMeasured measured =
          measure_selfplay(bench, workers, evaluator, std::exchange(trace, {}));
      Figures figures = figures_of(
          measured, bench, compares ? fmt::format("{}/workers-{}", subject, workers) : subject);
      all.insert(all.end(), figures.begin(), figures.end());
      if (!before.empty()) add_scaling(all, subject, before, figures);
      before = std::move(figures);
    }
  };
}

}  // namespace senet
