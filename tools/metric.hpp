// Measured figures and how the program prints them: a table for people, one JSON object a line for
// programs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace senet {

/// Where a figure lies: with 95 % confidence, or the least and the greatest of several runs.
struct Interval {
  double low = 0;
  double high = 0;
};

/// One measured figure.
struct Metric {
  std::string subject;  // what was measured, "case" in JSON
  std::string name;
  double value = 0;
  std::string unit;
  std::optional<Interval> interval = {};
  std::size_t repeats = 0;  // runs that `value` is the median of; 0: it is not of runs
  std::string note = {};    // why there is no value, no interval or no end of it, in words
};

/// Interval of the mean of `values` by the percentile bootstrap (Efron 1979), 2,000 resamples drawn
/// from a fixed seed: the same values give the same interval. `values` is not empty.
Interval bootstrap_mean(std::span<const double> values);

/// A value with as many decimals as its size leaves room for, never "-0"; "inf" and "-inf", "-" for
/// what is no number.
std::string number_text(double value);

/// Prints the metrics to stdout, a line each. JSON keys: bench, case, metric, value, unit, with an
/// interval min and max, of runs repeats, and note if there is one. What is not finite is null: the
/// note says what that means.
void print_metrics(std::string_view bench, std::span<const Metric> metrics, bool json);

}  // namespace senet
