#include "tools/bench_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "nn/kernels.hpp"

namespace senet {
namespace {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

std::string number(double value) {
  if (!std::isfinite(value)) return "-";
  if (value == std::floor(value)) return fmt::format("{:.0f}", value);
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size < 1 ? 4 : size < 100 ? 2 : 0);
}

struct Summary {
  double median, least, greatest;
};

Summary summary_of(const std::vector<Figures>& runs, std::size_t figure) {
  std::vector<double> values;
  for (const Figures& run : runs) values.push_back(run[figure].value);
  const auto [least, greatest] = std::ranges::minmax(values);
  return {median_of(values), least, greatest};
}

void print_json(std::string_view bench, const Metric& metric, const Summary& summary,
                std::size_t repeats) {
  nlohmann::ordered_json line = {{"bench", bench},
                                 {"case", metric.subject},
                                 {"metric", metric.name},
                                 {"value", summary.median},
                                 {"unit", metric.unit}};
  if (repeats > 1) {
    line["min"] = summary.least;
    line["max"] = summary.greatest;
    line["repeats"] = repeats;
  }
  fmt::print("{}\n", line.dump());
}

void print_text(const Metric& metric, const Summary& summary, std::size_t repeats) {
  const std::string spread =
      repeats > 1 ? fmt::format("  ({} .. {})", number(summary.least), number(summary.greatest))
                  : "";
  fmt::print("  {:<34} {:>12} {}{}\n", metric.name, number(summary.median), metric.unit, spread);
}

}  // namespace

void print_machine(const BenchOutput& output) {
  const std::string machine = fmt::format("{} | {} kernels | g++ {} | {} build", processor_name(),
                                          best_kernels().name, __VERSION__, SENET_BUILD_TYPE);
  const unsigned threads = std::thread::hardware_concurrency();
  if (output.json) {
    print_json("machine", {machine, "hardware_threads", 0, "threads"},
               {static_cast<double>(threads), 0, 0}, 1);
  } else {
    fmt::print("machine: {} | {} hardware threads\n", machine, threads);
  }
  std::fflush(stdout);
}

Result<void> run_and_print(const BenchOutput& output, std::string_view bench,
                           const std::function<Result<Figures>()>& run) {
  std::vector<Figures> runs;
  for (std::uint32_t i = 0; i < output.repeats; ++i) {
    Result<Figures> figures = run();
    if (!figures) return tl::unexpected(figures.error());
    runs.push_back(std::move(*figures));
  }
  std::string_view subject;
  for (std::size_t i = 0; i < runs.front().size(); ++i) {
    const Metric& metric = runs.front()[i];
    const Summary summary = summary_of(runs, i);
    if (output.json) {
      print_json(bench, metric, summary, runs.size());
      continue;
    }
    if (metric.subject != subject) fmt::print("{} {}\n", bench, metric.subject);
    subject = metric.subject;
    print_text(metric, summary, runs.size());
  }
  std::fflush(stdout);
  return {};
}

double median_of(std::vector<double> values) {
  for (const double value : values) {
    if (std::isnan(value)) return value;
  }
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace senet
