#include "tools/metric.hpp"

#include <fmt/core.h>

#include <cmath>

#include "games/json.hpp"

namespace senet {
namespace {

// One metric as a JSON object, without a line break.
std::string metric_json(std::string_view bench, const Metric& metric) {
  // Adding 0 turns -0 into 0.
  Json line = Json::object({{"bench", bench},
                            {"case", metric.subject},
                            {"metric", metric.name},
                            {"value", metric.value + 0.0},
                            {"unit", metric.unit}});
  if (metric.interval) {
    line["min"] = metric.interval->low + 0.0;
    line["max"] = metric.interval->high + 0.0;
  }
  if (metric.repeats > 0) line["repeats"] = metric.repeats;
  if (!metric.note.empty()) line["note"] = metric.note;
  return json_text(line);
}

}  // namespace

std::string number_text(double value) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  const double size = std::abs(value);
  const int decimals = value == std::floor(value) || size >= 100 ? 0 : size < 1 ? 4 : 2;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find_first_of("123456789") == std::string::npos && text.front() == '-') text.erase(0, 1);
  return text;
}

void print_metrics(std::string_view bench, std::span<const Metric> metrics, bool json) {
  std::string_view subject;
  for (const Metric& metric : metrics) {
    if (json) {
      fmt::print("{}\n", metric_json(bench, metric));
      continue;
    }
    if (metric.subject != subject) fmt::print("{}\n", metric.subject);
    subject = metric.subject;
    const std::string interval =
        metric.interval ? fmt::format("  95 % {} .. {}", number_text(metric.interval->low),
                                      number_text(metric.interval->high))
                        : "";
    fmt::print("  {:<34} {:>9} {}{}\n", metric.name, number_text(metric.value), metric.unit,
               interval);
    if (!metric.note.empty()) fmt::print("    ({})\n", metric.note);
  }
}

}  // namespace senet
