// The page of `senet monitor --html`: plots of a run's history as drawings inside one file.
#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "tools/run/monitor/run_view.hpp"

namespace senet {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #1d2330; --soft: #6b7280; --line: #2563eb;
        --grid: #e5e7eb; --paper: #ffffff; --page: #f5f6f8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8ee; --soft: #9aa3b2; --line: #7aa7ff; --grid: #2b3140; --paper: #171b24;
          --page: #0f1218; } }
body { margin: 0; padding: 2rem; background: var(--page); color: var(--ink);
       font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
p { margin: 0 0 1.5rem; color: var(--soft); }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(22rem, 1fr)); gap: 1rem; }
section { background: var(--paper); border: 1px solid var(--grid); border-radius: 8px;
          padding: .75rem 1rem; }
h2 { font-size: .95rem; font-weight: 600; margin: 0; display: flex;
     justify-content: space-between; }
h2 span { color: var(--soft); font-weight: 400; }
svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--soft); font-size: 11px; }
.grid { stroke: var(--grid); } .curve { fill: none; stroke: var(--line); stroke-width: 1.5; }
table { border-collapse: collapse; margin-top: 1.5rem; background: var(--paper); width: 100%; }
td { border-top: 1px solid var(--grid); padding: .25rem .75rem; }
td:first-child { color: var(--soft); white-space: nowrap; width: 1%; }
.dead { color: #dc2626; font-weight: 700; }
)";

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += c;
  }
  return safe;
}

std::string local_time(double time) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(static_cast<std::time_t>(time)));
}

/// Round numbers of which about four cover the range.
double tick_of(double range) {
  if (!(range > 0)) return 1;
  const double power = std::pow(10, std::floor(std::log10(range / 4)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (power * factor * 4 >= range) return power * factor;
  }
  return power * 10;
}

/// At most one point for each of `most` equal parts of the time: the mean of its values.
std::vector<std::pair<double, double>> thinned(const std::vector<double>& times,
                                               const std::vector<double>& values,
                                               std::size_t most) {
  std::vector<std::pair<double, double>> points;
  const std::vector<double> means = part_means(values, most);
  for (std::size_t i = 0; i < means.size(); ++i) {
    if (std::isfinite(means[i]))
      points.emplace_back(times[i * times.size() / means.size()], means[i]);
  }
  return points;
}

/// A plot of a figure against time.
std::string plot(const std::vector<std::pair<double, double>>& points, double began) {
  constexpr double kWidth = 420, kHeight = 180, kLeft = 52, kRight = 8, kTop = 12, kBottom = 24;
  double low = points.front().second, high = low;
  for (const auto& [time, value] : points) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low >= 0 && low < high / 2) low = 0;
  if (high - low < 1e-12 * std::max(std::abs(high), 1.0)) high = low + std::max(std::abs(low), 1.0);
  const double first = points.front().first, last = std::max(points.back().first, first + 1);
  const auto x = [&](double time) {
    return kLeft + (time - first) / (last - first) * (kWidth - kLeft - kRight);
  };
  const auto y = [&](double value) {
    return kHeight - kBottom - (value - low) / (high - low) * (kHeight - kTop - kBottom);
  };
  std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">", kWidth, kHeight);
  const double step = tick_of(high - low);
  for (double tick = std::ceil(low / step) * step; tick <= high + step * 1e-6; tick += step) {
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>",
        kLeft, kWidth - kRight, y(tick), y(tick), kLeft - 6, y(tick) + 4,
        short_number(std::abs(tick) < step * 1e-6 ? 0.0 : tick));
  }
  const double seconds = last - first;
  const auto [unit, name] = seconds < 180    ? std::pair(1.0, "s")
                            : seconds < 7200 ? std::pair(60.0, "min")
                                             : std::pair(3600.0, "h");
  const double time_step = tick_of(seconds / unit);
  const double offset = (first - began) / unit;
  for (double tick = std::ceil(offset / time_step) * time_step; began + tick * unit <= last + 1e-6;
       tick += time_step) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:.4g} {}</text>",
                       x(began + tick * unit), kHeight - 6, tick, name);
  }
  svg += "<polyline class=\"curve\" points=\"";
  for (const auto& [time, value] : points) svg += fmt::format("{:.1f},{:.1f} ", x(time), y(value));
  return svg + "\"/></svg>";
}

}  // namespace

std::string monitor_html(const RunView& run) {
  const std::vector<double> times = run.times();
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>senet: {}</title>\n"
      "<style>{}</style>\n<h1>{}: {}</h1>\n<p>{}",
      escaped(run.folder()), kStyle, escaped(run.game()), escaped(run.folder()),
      run.state() == RunState::kDead
          ? fmt::format("<span class=\"dead\">DEAD</span> since {}",
                        local_time(run.snapshot().heartbeat))
          : fmt::format("{} at {}", name_of(run.state()), local_time(run.snapshot().heartbeat)));
  if (!times.empty()) {
    page += fmt::format("; history from {} on", local_time(times.front()));
  }
  page += "</p>\n<main>\n";
  for (std::size_t i = 0; i < run.historic().size(); ++i) {
    const auto& [name, unit] = run.names()[i];
    if (name == "phase" || name == "seconds") continue;
    const auto points = thinned(times, run.history(name), 400);
    if (points.empty()) continue;
    std::string title = name;
    std::ranges::replace(title, '_', ' ');
    page +=
        fmt::format("<section><h2>{} <span>{} {}</span></h2>{}</section>\n", escaped(title),
                    short_number(points.back().second), escaped(unit), plot(points, times.front()));
  }
  page += "</main>\n<table>\n";
  for (const MetricsReader::Event& event : run.events()) {
    page += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", local_time(event.time),
                        escaped(event.text));
  }
  return page + "</table>\n</html>\n";
}

}  // namespace senet
