// What every benchmark prints: the machine, then each figure of a case, over repeated runs.
#pragma once

#include <absl/functional/any_invocable.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "senet/result.hpp"
#include "tools/metric.hpp"

namespace senet {

/// The figures of one run. A figure that could not be had is NaN: "-" in a table, null in JSON.
using Figures = std::vector<Metric>;

struct Figure {
  std::string_view name;
  double value;
  std::string_view unit;
};

/// Adds the figures of one case.
void add_figures(Figures& figures, const std::string& subject,
                 std::initializer_list<Figure> of_case);

/// A benchmark whose inputs are ready: each call is one run. All runs give the same figures in the
/// same order. Throws an Error where it does not return one.
using Benchmark = absl::AnyInvocable<Result<Figures>()>;

struct BenchOutput {
  bool json = false;
  std::uint32_t repeats = 1;
};

/// Prints the line that every other figure needs beside it: processor, the instruction set that
/// our kernels use on it, hardware threads, compiler, build type; then the head of the table. JSON:
/// metric "hardware_threads".
void print_machine(const BenchOutput& output);

/// Runs a benchmark output.repeats times, at least once, and prints the median of each figure, the
/// least and the greatest. JSON, one object a line: bench, case, metric, value, unit, min, max,
/// repeats. Throws the benchmark's error.
void run_and_print(const BenchOutput& output, std::string_view bench, Benchmark run);

}  // namespace senet
