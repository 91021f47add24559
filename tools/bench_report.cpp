#include "tools/bench_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

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

// A figure over all runs: the median, with several runs also the least and the greatest.
Metric summary_of(const std::vector<Figures>& runs, std::size_t figure) {
  Metric summary = runs.front()[figure];
  std::vector<double> values;
  for (const Figures& run : runs) values.push_back(run[figure].value);
  const auto [least, greatest] = std::ranges::minmax(values);
  if (runs.size() > 1) summary.interval = {least, greatest};
  summary.repeats = runs.size();
  summary.value = median_of(std::move(values));
  return summary;
}

void print_text(const Metric& metric) {
  const std::string spread = metric.interval
                                 ? fmt::format("  ({} .. {})", number_text(metric.interval->low),
                                               number_text(metric.interval->high))
                                 : "";
  fmt::print("  {:<34} {:>12} {}{}\n", metric.name, number_text(metric.value), metric.unit, spread);
}

}  // namespace

void print_machine(const BenchOutput& output) {
  const std::string machine = fmt::format("{} | {} kernels | g++ {} | {} build", processor_name(),
                                          best_kernels().name, __VERSION__, SENET_BUILD_TYPE);
  const unsigned threads = std::thread::hardware_concurrency();
  if (output.json) {
    const Metric metric = {machine, "hardware_threads", static_cast<double>(threads), "threads"};
    print_metrics("machine", {&metric, 1}, true);
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
    const Metric metric = summary_of(runs, i);
    if (output.json) {
      print_metrics(bench, {&metric, 1}, true);
      continue;
    }
    if (metric.subject != subject) fmt::print("{} {}\n", bench, metric.subject);
    subject = runs.front()[i].subject;
    print_text(metric);
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
