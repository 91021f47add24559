#include "train_bridge/run_figures.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <span>
#include <string>
#include <utility>

#include "train_bridge/resident_memory.hpp"

namespace senet {
namespace {

// Lanes may finish games at the same time, so one second is too short for a rate.
constexpr double kRateSeconds = 10, kRecordSeconds = 10, kHistorySeconds = 1;

// Six decimals, or three digits of a very small number: without the digits that only rounding
// errors leave, as in 19.937266394999988.
std::string number_text(double value) {
  if (!std::isfinite(value)) return "null";
  if (std::abs(value) < 1e-3) return fmt::format("{:.3g}", value);
  return fmt::format("{}", std::round(value * 1e6) / 1e6);
}

constexpr std::array kStages = {
    std::pair{"forward_share", &StageShares::forward},
    std::pair{"encode_share", &StageShares::encode},
    std::pair{"tree_share", &StageShares::tree},
    std::pair{"waiting_share", &StageShares::waiting},
};

// The figures of the run, which have a history, and those of each worker.
std::vector<MetricName> names_for(const AnyGame& game, std::size_t workers) {
  std::vector<MetricName> names;
  for (const RunFigure& figure : kRunFigures) {
    const bool is_strength = figure.unit == kStrengthUnit;
    names.push_back(
        {std::string(figure.name), std::string(is_strength ? unit_name(game) : figure.unit)});
  }
  for (std::size_t i = 0; i < workers; ++i) {
    for (const auto& [name, share] : kStages) {
      names.push_back({fmt::format("worker_{}_{}", i, name), "share"});
    }
  }
  return names;
}

}  // namespace

Result<FileHandle> open_lines(const std::filesystem::path& file) {
  constexpr std::uint64_t kLongestLine = 1 << 16;
  Result<FileHandle> lines = FileHandle::open(file, FileHandle::Mode::kReadWrite);
  if (!lines) return lines;
  const auto size = lines->size();
  if (!size) return size.error();
  std::string end(static_cast<std::size_t>(std::min(*size, kLongestLine)), '\0');
  const auto got = lines->read_at(*size - end.size(), std::as_writable_bytes(std::span(end)));
  if (!got) return got.error();
  const std::size_t last = end.rfind('\n');
  // Without any in so many bytes it is no line of ours.
  if (last == std::string::npos && *size >= kLongestLine) return lines;
  const std::size_t torn = last == std::string::npos ? end.size() : end.size() - last - 1;
  if (torn == 0) return lines;
  if (const auto cut = lines->truncate(*size - torn); !cut) return cut.error();
  return lines;
}

RunFigures::RunFigures(const std::filesystem::path& folder, const AnyGame& game,
                       std::size_t workers, const RunProgress& before,
                       const std::function<void(const std::string&)>& warning)
    : file_(folder / "metrics.jsonl"),
      warning_(warning),
      now_(before),
      counted_(before),
      counted_reports_(workers, std::valarray<double>(WorkerReport::kCounters)),
      worker_shares_(workers),
      map_file_(folder / kMapFile),
      game_(game.name),
      names_(names_for(game, workers)) {
  append("");
  open_map();
}

void RunFigures::open_map() {
  auto map = MetricsMap::open(map_file_, game_, names_, kRunFigures.size());
  if (!map) warning_(fmt::format("{}; the run continues without it", map.error().reason()));
  map_ = map ? std::optional(*std::move(map)) : std::nullopt;
}

const RunProgress& RunFigures::look(RunProgress next, const std::deque<WorkerReport>& reports) {
  next.seconds = elapsed();
  next.seconds_before = now_.seconds_before;
  // Of all threads since the process began. Unlike `seconds`, other load does not affect it.
  next.cpu_seconds = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  next.resident_mib = resident_mib();
  for (const WorkerReport& report : reports) {
    next.searches += report[WorkerReport::kSearches];
    next.visits += report[WorkerReport::kVisits];
    next.evaluations += report[WorkerReport::kRows];
    next.forwards += report[WorkerReport::kForwards];
    next.cache_hits += report[WorkerReport::kCacheHits];
    next.hand_over_waits += report[WorkerReport::kWaits];
    next.swaps += report[WorkerReport::kModelSwaps];
    next.swap_ns += report[WorkerReport::kSwapNs];
    next.longest_swap_ns = std::max(next.longest_swap_ns, report[WorkerReport::kLongestSwapNs]);
  }
  compute_rates(next, reports);
  const bool has_published = next.learn.iterations > now_.learn.iterations;
  now_ = next;
  if (has_published) note(fmt::format("network {}", now_.learn.iterations));
  write_map();
  if (now_.seconds - recorded_at_ >= kRecordSeconds) record();
  return now_;
}

// The rates stay those of the last ten seconds; in the first ten they are those since the start.
void RunFigures::compute_rates(RunProgress& next, const std::deque<WorkerReport>& reports) {
  const double time = next.seconds - counted_.seconds;
  const bool is_due = time >= kRateSeconds || (counted_.seconds == 0 && time >= 1);
  if (!is_due) {
    next.rates = now_.rates;
    return;
  }
  const auto per_second = [&](auto now, auto before) {
    return (static_cast<double>(now) - static_cast<double>(before)) / time;
  };
  next.rates.games_per_minute = 60 * per_second(next.learn.games, counted_.learn.games);
  next.rates.evaluations_per_second = per_second(next.evaluations, counted_.evaluations);
  next.rates.visits_per_second = per_second(next.visits, counted_.visits);
  next.rates.steps_per_second = per_second(next.learn.steps, counted_.learn.steps);
  next.rates.samples_per_second =
      next.rates.steps_per_second * static_cast<double>(next.learn.batch_rows);
  next.rates.trainer_share = per_second(next.learn.train_seconds, counted_.learn.train_seconds);
  next.rates.cores = per_second(next.cpu_seconds, counted_.cpu_seconds);
  const auto forwards = static_cast<double>(next.forwards - counted_.forwards);
  next.rates.batch_fill =
      forwards > 0 ? static_cast<double>(next.evaluations - counted_.evaluations) / forwards : 0;
  std::valarray<double> sum(WorkerReport::kCounters);
  for (std::size_t i = 0; i < std::min(reports.size(), worker_shares_.size()); ++i) {
    const std::valarray<double> counts = reports[i].now() - counted_reports_[i];
    worker_shares_[i] = stage_shares(counts);
    sum += counts;
  }
  next.rates.shares = stage_shares(sum);
  if (time < kRateSeconds) return;
  counted_ = next;
  for (std::size_t i = 0; i < std::min(reports.size(), counted_reports_.size()); ++i) {
    counted_reports_[i] = reports[i].now();
  }
}

void RunFigures::write_map() {
  if (!map_) return;
  values_.clear();
  for (const RunFigure& figure : kRunFigures) values_.push_back(figure.of(now_));
  for (const StageShares& shares : worker_shares_) {
    for (const auto& [name, share] : kStages) values_.push_back(shares.*share);
  }
  const std::lock_guard lock(mutex_);
  if (!map_->is_in_place()) open_map();
  if (!map_) return;
  map_->write(values_);
  if (now_.seconds - remembered_at_ < kHistorySeconds) return;
  remembered_at_ = now_.seconds;
  map_->remember();
}

void RunFigures::record() {
  recorded_at_ = now_.seconds;
  std::string line;
  for (const RunFigure& figure : kRunFigures) {
    const double value = figure.of(now_);
    line += fmt::format(R"({}"{}":{})", line.empty() ? "" : ",", figure.name,
                        figure.is_whole ? fmt::format("{}", static_cast<std::uint64_t>(value))
                                        : number_text(value));
  }
  append('{' + line + "}\n");
}

void RunFigures::note(std::string_view event) {
  const std::lock_guard lock(mutex_);
  if (map_) map_->note(event);
}

void RunFigures::end(std::string_view event) {
  note(event);
  const std::lock_guard lock(mutex_);
  if (map_) map_->end();
}

void RunFigures::append(std::string_view text) {
  Result<void> written;
  if (lines_ && lines_->place() != FileHandle::Place::kAtPath) lines_.reset();
  if (!lines_) {
    auto opened = open_lines(file_);
    if (opened) lines_ = *std::move(opened);
    if (!opened) written = opened.error();
  }
  if (lines_) written = lines_->append(std::as_bytes(std::span(text)));
  if (written || std::exchange(has_warned_, true)) return;
  warning_(fmt::format("{}: cannot be written; the run continues without it ({})", file_.string(),
                       written.error().reason()));
}

}  // namespace senet
