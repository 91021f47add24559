// The figures of a run: their list, metrics.jsonl and metrics.map.
#pragma once

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/lanes/any_worker.hpp"
#include "train_bridge/metrics_map.hpp"
#include "train_bridge/run.hpp"

namespace senet {

/// The file of the run folder that has its figures in memory (metrics_map.hpp).
inline constexpr const char* kMapFile = "metrics.map";

/// A figure of a run: its name in metrics.jsonl and metrics.map.
struct RunFigure {
  std::string_view name, unit;
  bool is_whole;  // a whole number
  double (*of)(const RunProgress& now);
};

/// The unit of a strength: Elo, or points per game in games with dice (unit_name()).
inline constexpr std::string_view kStrengthUnit = "strength";

/// In the order of both files. `senet monitor` shows them by name. See docs/architecture.md.
inline constexpr std::array kRunFigures = [] {
  using P = const RunProgress&;
  constexpr bool kWhole = true, kReal = false;
  return std::array{
      RunFigure{"seconds", "s", kReal, [](P now) { return now.seconds_before + now.seconds; }},
      RunFigure{"cpu_seconds", "s", kReal, [](P now) { return now.cpu_seconds; }},
      RunFigure{"games", "games", kWhole,
                [](P now) { return static_cast<double>(now.learn.games); }},
      RunFigure{"positions", "positions", kWhole,
                [](P now) { return static_cast<double>(now.learn.positions); }},
      RunFigure{"games_per_minute", "games/min", kReal,
                [](P now) { return now.rates.games_per_minute; }},
      RunFigure{"turns_per_second", "turns/s", kReal,
                [](P now) {
                  return now.rates.games_per_minute / 60 *
                         static_cast<double>(now.learn.mean_plies);
                }},
      RunFigure{"evaluations_per_second", "rows/s", kReal,
                [](P now) { return now.rates.evaluations_per_second; }},
      RunFigure{"visits_per_second", "visits/s", kReal,
                [](P now) { return now.rates.visits_per_second; }},
      RunFigure{"searches", "searches", kWhole,
                [](P now) { return static_cast<double>(now.searches); }},
      RunFigure{"visits", "visits", kWhole, [](P now) { return static_cast<double>(now.visits); }},
      RunFigure{"cache_hit_rate", "share", kReal,
                [](P now) {
                  return now.evaluations == 0 ? 0
                                              : static_cast<double>(now.cache_hits) /
                                                    static_cast<double>(now.evaluations);
                }},
      RunFigure{"batch_fill", "rows", kReal, [](P now) { return now.rates.batch_fill; }},
      RunFigure{"forward_share", "share", kReal, [](P now) { return now.rates.shares.forward; }},
      RunFigure{"encode_share", "share", kReal, [](P now) { return now.rates.shares.encode; }},
      RunFigure{"tree_share", "share", kReal, [](P now) { return now.rates.shares.tree; }},
      RunFigure{"waiting_share", "share", kReal, [](P now) { return now.rates.shares.waiting; }},
      RunFigure{"hand_over_waits", "waits", kWhole,
                [](P now) { return static_cast<double>(now.hand_over_waits); }},
      RunFigure{"steps", "steps", kWhole,
                [](P now) { return static_cast<double>(now.learn.steps); }},
      RunFigure{"planned_share", "share", kReal, [](P now) { return now.learn.planned_share; }},
      RunFigure{"steps_per_second", "steps/s", kReal,
                [](P now) { return now.rates.steps_per_second; }},
      RunFigure{"samples_per_second", "samples/s", kReal,
                [](P now) { return now.rates.samples_per_second; }},
      RunFigure{"dropped_steps", "steps", kReal, [](P now) { return now.learn.dropped_steps; }},
      RunFigure{"skipped_steps", "steps", kWhole,
                [](P now) { return static_cast<double>(now.learn.skipped_steps); }},
      RunFigure{"rollbacks", "rollbacks", kWhole,
                [](P now) { return static_cast<double>(now.learn.rollbacks); }},
      RunFigure{"networks", "networks", kWhole,
                [](P now) { return static_cast<double>(now.learn.iterations); }},
      RunFigure{"train_seconds", "s", kReal, [](P now) { return now.learn.train_seconds; }},
      RunFigure{"trainer_share", "share", kReal, [](P now) { return now.rates.trainer_share; }},
      RunFigure{"learning_rate", "", kReal,
                [](P now) { return static_cast<double>(now.learn.learning_rate); }},
      RunFigure{"gradient_norm", "", kReal,
                [](P now) { return static_cast<double>(now.learn.gradient_norm); }},
      RunFigure{"policy_loss", "nats", kReal,
                [](P now) { return static_cast<double>(now.learn.policy_loss); }},
      RunFigure{"value_loss", "nats", kReal,
                [](P now) { return static_cast<double>(now.learn.value_loss); }},
      RunFigure{"draws_per_position", "samples", kReal,
                [](P now) { return now.learn.draws_per_position; }},
      RunFigure{"replay_positions", "positions", kWhole,
                [](P now) { return static_cast<double>(now.learn.replay_positions); }},
      RunFigure{"replay_games", "games", kWhole,
                [](P now) { return static_cast<double>(now.learn.replay_games); }},
      RunFigure{"replay_seconds", "s", kReal, [](P now) { return now.learn.replay_seconds; }},
      RunFigure{"turns_per_game", "turns", kReal,
                [](P now) { return static_cast<double>(now.learn.mean_plies); }},
      RunFigure{"draw_share", "share", kReal,
                [](P now) { return static_cast<double>(now.learn.draw_share); }},
      RunFigure{"scramble_moves", "moves", kWhole,
                [](P now) { return static_cast<double>(now.learn.scramble_moves); }},
      RunFigure{"solved_share", "share", kReal,
                [](P now) { return static_cast<double>(now.learn.solved_share); }},
      RunFigure{"resigned_games", "games", kWhole,
                [](P now) { return static_cast<double>(now.learn.resignations.resigned); }},
      RunFigure{"resignation_tests", "games", kWhole,
                [](P now) { return static_cast<double>(now.learn.resignations.tested); }},
      RunFigure{"wrong_resignations", "games", kWhole,
                [](P now) { return static_cast<double>(now.learn.resignations.wrong); }},
      RunFigure{"rating", kStrengthUnit, kReal, [](P now) { return now.strength.rating.value; }},
      RunFigure{"rating_low", kStrengthUnit, kReal,
                [](P now) { return now.strength.rating.interval.low; }},
      RunFigure{"rating_high", kStrengthUnit, kReal,
                [](P now) { return now.strength.rating.interval.high; }},
      RunFigure{"match_difference", kStrengthUnit, kReal,
                [](P now) { return now.strength.match.value; }},
      RunFigure{"match_low", kStrengthUnit, kReal,
                [](P now) { return now.strength.match.interval.low; }},
      RunFigure{"match_high", kStrengthUnit, kReal,
                [](P now) { return now.strength.match.interval.high; }},
      RunFigure{"match_pairs", "pairs", kWhole,
                [](P now) { return static_cast<double>(now.strength.pairs); }},
      RunFigure{"best_network", "", kWhole,
                [](P now) { return static_cast<double>(now.strength.best); }},
      RunFigure{"grade", "", kReal, [](P now) { return now.strength.grade; }},
      RunFigure{"cores", "cores", kReal, [](P now) { return now.rates.cores; }},
      RunFigure{"resident_mib", "MiB", kReal, [](P now) { return now.resident_mib; }},
      RunFigure{"stalled_seconds", "s", kReal, [](P now) { return now.stalled_seconds; }},
      RunFigure{"phase", "", kWhole, [](P now) { return static_cast<double>(now.phase); }},
  };
}();

/// Opens a file of lines, to append others; it is created if missing. Without the end of its last
/// line, which a killed process left, that line is removed: readers would take the next for its
/// end.
Result<FileHandle> open_lines(const std::filesystem::path& file);

/// Computes the figures and writes both files, and begins them again when they were moved or
/// removed. look() and record() belong to one thread; note() may
/// be called by any.
class RunFigures {
 public:
  /// `game`: its name and its unit of strength are in the map. `before`: the progress before the
  /// first game of this call, which rates leave out; metrics.jsonl includes its seconds_before.
  /// `warning` is called once for each file that cannot be written, and outlives this object; each
  /// further line tries again.
  RunFigures(const std::filesystem::path& folder, const AnyGame& game, std::size_t workers,
             const RunProgress& before, const std::function<void(const std::string&)>& warning);

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

  /// Completes `next`, which has everything but workers' reports, times and rates, and writes what
  /// is due: metrics.map each time, its history every second, metrics.jsonl every ten seconds.
  const RunProgress& look(RunProgress next, const std::deque<WorkerReport>& reports);
  /// Adds a line to metrics.jsonl.
  void record();
  /// Adds an event to metrics.map.
  void note(std::string_view event);
  /// Marks the end of the run in metrics.map.
  void end(std::string_view event);

 private:
  using Clock = std::chrono::steady_clock;

  void compute_rates(RunProgress& next, const std::deque<WorkerReport>& reports);
  void open_map();
  void write_map();
  void append(std::string_view text);

  const std::filesystem::path file_;
  std::optional<FileHandle> lines_;
  const std::function<void(const std::string&)>& warning_;
  bool has_warned_ = false;
  const Clock::time_point began_ = Clock::now();
  RunProgress now_, counted_;  // counted_: where the rates begin
  std::vector<std::valarray<double>> counted_reports_;
  std::vector<StageShares> worker_shares_;
  double recorded_at_ = 0, remembered_at_ = -1;

  const std::filesystem::path map_file_;
  const std::string game_;
  const std::vector<MetricName> names_;
  std::mutex mutex_;  // of the map
  std::optional<MetricsMap> map_;
  std::vector<double> values_;
};

}  // namespace senet
