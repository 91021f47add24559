// Figures as text, and measured ones as a table or as JSON with one object per line.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "games/exam.hpp"

namespace senet {

/// Inserts commas between the thousands of a decimal number: 25,461.
void group_thousands(std::string& number);

/// The value as text with 0, 2 or 4 decimals depending on its size, from 10,000 on with commas.
/// Never "-0"; infinities are "inf" and "-inf", NaN is "-".
std::string number_text(double value);

/// A number with commas between thousands.
std::string grouped(std::uint64_t number);

/// "1 worker", "2 workers".
std::string count_text(std::uint64_t count, std::string_view unit);

/// "12:34", or "1:02:34" from an hour on.
std::string clock_text(double seconds);

/// Prints the metrics to stdout: a heading for each subject, and a line for each of its metrics,
/// with its interval in parentheses unless all runs gave the same value. JSON keys:
/// bench, case, metric, value, unit; min and max if there is an interval; repeats if it is not 0;
/// note if there is one. A value that is not finite is null in JSON, and the note explains it.
void print_metrics(std::string_view bench, std::span<const Metric> metrics, bool json);

}  // namespace senet
