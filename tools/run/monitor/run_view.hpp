// What a watcher knows of a run: the content of its metrics.map, by name.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "senet/result.hpp"
#include "train_bridge/metrics_map.hpp"

namespace senet {

/// Whether the daemon of a run is alive.
enum class RunState : std::uint8_t {
  kRunning,
  kEnded,  // in order
  kDead,   // its heartbeat has stopped
  kStuck,  // a worker or its trainer makes no progress
};

/// A moment of a run, with its history.
class RunView {
 public:
  /// A heartbeat older than this is a dead daemon. A live one writes ten times a second.
  static constexpr double kMostAge = 2;
  /// A part without progress for so many seconds is stuck: longer than a batch or a step takes.
  static constexpr double kMostStalled = 60;

  /// Reads the map of the run in `folder`, with the newest `most` rows of its history.
  static Result<RunView> read(const std::filesystem::path& folder,
                              std::size_t most = MetricsMap::kHistoryRows);

  const std::string& folder() const { return folder_; }
  const std::string& game() const { return reader_.subject(); }
  RunState state() const { return state_; }
  /// Seconds since the last heartbeat.
  double age() const { return age_; }
  const MetricsReader::Snapshot& snapshot() const { return snapshot_; }
  const std::vector<MetricName>& names() const { return reader_.names(); }
  const std::vector<MetricsReader::Event>& events() const { return events_; }

  /// The figure of this name; NaN if there is none.
  double operator[](std::string_view name) const;
  /// Its values at the times of the history, oldest first; empty if it has none.
  std::vector<double> history(std::string_view name) const;
  /// The times, in seconds since 1970.
  std::vector<double> times() const;
  /// The names of the figures that have a history.
  std::vector<std::string> historic() const;

 private:
  RunView(std::string folder, MetricsReader reader)
      : folder_(std::move(folder)), reader_(std::move(reader)) {}

  std::optional<std::size_t> index_of(std::string_view name) const;
  std::vector<double> column(std::size_t at) const;

  std::string folder_;
  MetricsReader reader_;
  MetricsReader::Snapshot snapshot_;
  std::vector<double> rows_;  // [rows, 1 + columns]
  std::vector<MetricsReader::Event> events_;
  RunState state_ = RunState::kRunning;
  double age_ = 0;
};

/// The folders below `folder` that have a metrics.map, the one written last first.
Result<std::vector<std::filesystem::path>> runs_below(const std::filesystem::path& folder);

constexpr std::string_view name_of(RunState state) {
  constexpr std::string_view kNames[] = {"running", "ended", "DEAD", "STUCK"};
  return kNames[static_cast<std::size_t>(state)];
}

/// The name of the phase that a figure "phase" counts; "" if unknown.
std::string_view phase_name(double phase);

/// At most seven characters: "1,234", "12.3 K", "4.56 M", "0.0123"; "-" if it is not finite.
std::string short_number(double value);

/// The means of the finite values in `most` parts of equal length, or of fewer values than that the
/// values; NaN for a part without any.
std::vector<double> part_means(const std::vector<double>& values, std::size_t most);

/// Rows of the history that the dashboard shows: those of the last hour.
inline constexpr std::size_t kDashboardRows = 3600;
/// The dashboard: lines of `columns` characters, at most `rows` of them (at least 80 by 24), with
/// SGR colours if `colours`.
std::vector<std::string> dashboard(const RunView& run, std::size_t columns, std::size_t rows,
                                   bool colours);

/// All figures as one JSON object.
std::string monitor_json(const RunView& run);
/// All figures in the text format of Prometheus
/// (prometheus.io/docs/instrumenting/exposition_formats).
std::string monitor_prometheus(const RunView& run);
/// A page with plots of the history, without any other file.
std::string monitor_html(const RunView& run);
/// Writes the history as a file of TensorBoard's events into `folder`, and returns its path.
Result<std::filesystem::path> write_tensorboard(const RunView& run,
                                                const std::filesystem::path& folder);

}  // namespace senet
