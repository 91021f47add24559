// Measured figures and how the program prints them: a table for people, one JSON object a line for
// programs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace senet {

/// A 95 % interval.
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
};

/// Interval of the mean of `values` by the percentile bootstrap (Efron 1979), 2,000 resamples drawn
/// from a fixed seed: the same values give the same interval. `values` is not empty.
Interval bootstrap_mean(std::span<const double> values);

/// Prints the metrics to stdout. JSON keys: bench, case, metric, value, unit and, with an interval,
/// min and max; what is not finite becomes null.
void print_metrics(std::string_view bench, std::span<const Metric> metrics, bool json);

}  // namespace senet
