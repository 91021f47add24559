// How the program prints measured figures: a table for people, one JSON object a line for
// programs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "games/exam.hpp"

namespace senet {

/// A value with as many decimals as its size leaves room for, never "-0"; "inf" and "-inf", "-" for
/// what is no number.
std::string number_text(double value);

/// Prints the metrics to stdout, a line each. JSON keys: bench, case, metric, value, unit, with an
/// interval min and max, of runs repeats, and note if there is one. What is not finite is null: the
/// note says what that means.
void print_metrics(std::string_view bench, std::span<const Metric> metrics, bool json);

}  // namespace senet
