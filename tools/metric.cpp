#include "tools/metric.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "games/json.hpp"

namespace senet {
namespace {

// Counts without decimals: 40, not 40.0.
Json json_value(double value) {
  constexpr double kExact = 1e15;
  if (value == std::floor(value) && std::abs(value) < kExact) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

// One metric as a JSON object, without a line break.
std::string metric_json(std::string_view bench, const Metric& metric) {
  Json line = Json::object({{"bench", bench},
                            {"case", metric.subject},
                            {"metric", metric.name},
                            {"value", json_value(metric.value)},
                            {"unit", metric.unit}});
  if (metric.interval) {
    line["min"] = json_value(metric.interval->low);
    line["max"] = json_value(metric.interval->high);
  }
  if (metric.repeats > 0) line["repeats"] = metric.repeats;
  if (!metric.note.empty()) line["note"] = metric.note;
  return json_text(line);
}

/// "  games per minute     25,461 games/min  (25,102 to 25,733)", with `width` columns for the
/// name.
std::string metric_text(const Metric& metric, std::size_t width) {
  std::string name = metric.name;
  std::ranges::replace(name, '_', ' ');
  std::string line = fmt::format("  {:<{}} {:>10}", name, width, number_text(metric.value));
  const bool has_unit = metric.unit == "share" || name.starts_with(metric.unit) ||
                        name.ends_with(metric.unit);  // as "positions"
  if (!has_unit) line.append(" ").append(metric.unit);
  if (metric.interval && (metric.repeats == 0 || metric.interval->low < metric.interval->high)) {
    line += fmt::format("  ({} to {})", number_text(metric.interval->low),
                        number_text(metric.interval->high));
  }
  if (!metric.note.empty()) line.append("\n    (").append(metric.note).append(")");
  return line;
}

}  // namespace

void group_thousands(std::string& number) {
  const std::size_t begin = number.starts_with('-') ? 1 : 0;
  for (std::size_t end = number.find('.') == std::string::npos ? number.size() : number.find('.');
       end > begin + 3; end -= 3) {
    number.insert(end - 3, ",");
  }
}

std::string number_text(double value) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  const double size = std::abs(value);
  const int decimals = value == std::floor(value) || size >= 100 ? 0 : size < 1 ? 4 : 2;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find_first_of("123456789") == std::string::npos && text.front() == '-') text.erase(0, 1);
  if (size >= 10'000) group_thousands(text);
  return text;
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::max(seconds, 0.0));
  const std::string minutes = fmt::format("{:02}:{:02}", whole / 60 % 60, whole % 60);
  return whole < 3600 ? minutes : fmt::format("{}:{}", whole / 3600, minutes);
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  group_thousands(text);
  return text;
}

std::string count_text(std::uint64_t count, std::string_view unit) {
  return fmt::format("{} {}{}", grouped(count), unit, count == 1 ? "" : "s");
}

void print_metrics(std::string_view bench, std::span<const Metric> metrics, bool json) {
  if (json) {
    for (const Metric& metric : metrics) fmt::print("{}\n", metric_json(bench, metric));
    return;
  }
  std::vector<std::string_view> subjects;
  std::size_t width = 0;
  for (const Metric& metric : metrics) {
    width = std::max(width, metric.name.size());
    if (std::ranges::find(subjects, metric.subject) == subjects.end()) {
      subjects.push_back(metric.subject);
    }
  }
  for (const std::string_view subject : subjects) {
    fmt::print("{}\n", subject);
    for (const Metric& metric : metrics) {
      if (metric.subject == subject) fmt::print("{}\n", metric_text(metric, width));
    }
  }
}

}  // namespace senet
