#include "tools/run/monitor/run_view.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "tools/metric.hpp"
#include "train_bridge/run.hpp"

namespace senet {

std::string_view phase_name(double phase) {
  const bool is_known = phase >= 0 && phase <= static_cast<double>(RunPhase::kSaving);
  return is_known ? name_of(static_cast<RunPhase>(phase)) : "";
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::abs(value);
  if (size >= 1e9) return fmt::format("{:.3g} G", value / 1e9);
  if (size >= 1e6) return fmt::format("{:.3g} M", value / 1e6);
  if (size >= 1e4) return fmt::format("{:.3g} K", value / 1e3);
  if (size >= 100 || value == std::floor(value)) return number_text(std::round(value));
  return fmt::format("{:.3g}", value);
}

std::vector<double> part_means(const std::vector<double>& values, std::size_t most) {
  const std::size_t count = std::min(values.size(), most);
  std::vector<double> means;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * values.size() / count, end = (i + 1) * values.size() / count;
    double sum = 0, finite = 0;
    for (std::size_t k = begin; k < end; ++k) {
      if (!std::isfinite(values[k])) continue;
      sum += values[k];
      ++finite;
    }
    means.push_back(sum / finite);
  }
  return means;
}

Result<std::vector<std::filesystem::path>> runs_below(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    std::error_code missing;
    const auto time = std::filesystem::last_write_time(entry.path() / "metrics.map", missing);
    if (!missing) found.emplace_back(time, entry.path());
  }
  if (error) return fail(fmt::format("{}: {}", folder.string(), error.message()));
  std::ranges::sort(found, std::greater());
  std::vector<std::filesystem::path> folders;
  for (auto& [time, path] : found) folders.push_back(std::move(path));
  return folders;
}

Result<RunView> RunView::read(const std::filesystem::path& folder, std::size_t most) {
  Result<MetricsReader> reader = MetricsReader::open(folder / "metrics.map");
  if (!reader) return reader.error();
  RunView run(folder.string(), *std::move(reader));
  Result<MetricsReader::Snapshot> snapshot = run.reader_.read();
  if (!snapshot) return snapshot.error();
  Result<std::vector<double>> rows = run.reader_.history(most);
  if (!rows) return rows.error();
  Result<std::vector<MetricsReader::Event>> events = run.reader_.events();
  if (!events) return events.error();
  run.snapshot_ = *std::move(snapshot);
  run.rows_ = *std::move(rows);
  run.events_ = *std::move(events);
  run.age_ = std::max(unix_seconds() - run.snapshot_.heartbeat, 0.0);
  run.state_ = run.snapshot_.has_ended                 ? RunState::kEnded
               : run.age_ > kMostAge                   ? RunState::kDead
               : run["stalled_seconds"] > kMostStalled ? RunState::kStuck
                                                       : RunState::kRunning;
  return run;
}

std::optional<std::size_t> RunView::index_of(std::string_view name) const {
  const auto found = std::ranges::find(reader_.names(), name, &MetricName::name);
  if (found == reader_.names().end()) return std::nullopt;
  return static_cast<std::size_t>(found - reader_.names().begin());
}

double RunView::operator[](std::string_view name) const {
  const auto at = index_of(name);
  return at ? snapshot_.values[*at] : std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> RunView::column(std::size_t at) const {
  const std::size_t width = 1 + reader_.columns();
  std::vector<double> values;
  for (std::size_t row = 0; row + width <= rows_.size(); row += width) {
    values.push_back(rows_[row + at]);
  }
  return values;
}

std::vector<double> RunView::history(std::string_view name) const {
  const auto at = index_of(name);
  return at && *at < reader_.columns() ? column(1 + *at) : std::vector<double>();
}

std::vector<double> RunView::times() const { return column(0); }

std::vector<std::string> RunView::historic() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < reader_.columns(); ++i) names.push_back(reader_.names()[i].name);
  return names;
}

}  // namespace senet
