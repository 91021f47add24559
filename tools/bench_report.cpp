#include "tools/bench_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include "nn/kernels.hpp"
#include "tools/bench_timing.hpp"

namespace senet {
namespace {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

/// A figure over all runs: the median, the least and the greatest.
Metric summary_of(const std::vector<Figures>& runs, std::size_t figure) {
  Metric summary = runs.front()[figure];
  std::vector<double> values;
  for (const Figures& run : runs) values.push_back(run[figure].value);
  summary.value = median_of(values);
  const bool known = !std::isnan(summary.value);
  summary.interval = known ? Interval{std::ranges::min(values), std::ranges::max(values)}
                           : Interval{summary.value, summary.value};
  summary.repeats = runs.size();
  return summary;
}

void print_text(std::string_view name, std::string_view median, std::string_view least,
                std::string_view greatest, std::string_view unit) {
  fmt::print("  {:<34} {:>12} {:>12} {:>12}  {}\n", name, median, least, greatest, unit);
}

}  // namespace

void add_figures(Figures& figures, const std::string& subject,
                 std::initializer_list<Figure> of_case) {
  for (const auto& [name, value, unit] : of_case) {
    figures.push_back({subject, std::string(name), value, std::string(unit)});
  }
}

void print_machine(const BenchOutput& output) {
  const std::string machine = fmt::format("{} | {} kernels | g++ {} | {} build", processor_name(),
                                          best_kernels().name, __VERSION__, SENET_BUILD_TYPE);
  const double threads = std::thread::hardware_concurrency();
  if (output.json) {
    const Metric metric = {machine,   "hardware_threads",         threads,
                           "threads", Interval{threads, threads}, 1};
    print_metrics("machine", {&metric, 1}, true);
  } else {
    fmt::print("machine: {} | {} hardware threads\n", machine, threads);
    print_text(fmt::format("medians of {}", output.repeats), "value", "least", "greatest", "unit");
  }
  std::fflush(stdout);
}

void run_and_print(const BenchOutput& output, std::string_view bench, Benchmark run) {
  assert(output.repeats > 0);
  std::vector<Figures> runs;
  for (std::uint32_t i = 0; i < output.repeats; ++i) runs.push_back(run().value());
  std::string_view subject;
  for (std::size_t i = 0; i < runs.front().size(); ++i) {
    const Metric metric = summary_of(runs, i);
    if (output.json) {
      print_metrics(bench, {&metric, 1}, true);
      continue;
    }
    if (metric.subject != subject) fmt::print("{} {}\n", bench, metric.subject);
    subject = runs.front()[i].subject;
    print_text(metric.name, number_text(metric.value), number_text(metric.interval->low),
               number_text(metric.interval->high), metric.unit);
  }
  std::fflush(stdout);
}

}  // namespace senet
