#include "tools/metric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "games/random.hpp"

namespace senet {

Interval bootstrap_mean(std::span<const double> values) {
  constexpr std::size_t kResamples = 2000;
  Random draw(0, 0, 0, Purpose::kTest);
  const auto count = static_cast<std::uint32_t>(values.size());
  std::vector<double> means(kResamples);
  for (double& mean : means) {
    double sum = 0;
    for (std::uint32_t i = 0; i < count; ++i) sum += values[draw.below(count)];
    mean = sum / count;
  }
  std::ranges::sort(means);
  return {means[kResamples * 25 / 1000], means[kResamples * 975 / 1000 - 1]};
}

void print_metrics(std::string_view bench, std::span<const Metric> metrics, bool json) {
  const auto number = [](double value) {
    if (value == std::floor(value)) return fmt::format("{:.0f}", value);
    return fmt::format("{:.{}f}", value, std::abs(value) < 10 ? 4 : 2);
  };
  for (const Metric& metric : metrics) {
    if (json) {
      nlohmann::ordered_json line = {{"bench", bench},
                                     {"case", metric.subject},
                                     {"metric", metric.name},
                                     {"value", metric.value},
                                     {"unit", metric.unit}};
      if (metric.interval) {
        line["min"] = metric.interval->low;
        line["max"] = metric.interval->high;
      }
      // Names come from files: bytes that are no UTF-8 must not throw here.
      fmt::print("{}\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
      continue;
    }
    const std::string interval = metric.interval
                                     ? fmt::format("  95 % {} .. {}", number(metric.interval->low),
                                                   number(metric.interval->high))
                                     : "";
    fmt::print("{:<24} {:<36} {:>10} {}{}\n", metric.subject, metric.name, number(metric.value),
               metric.unit, interval);
  }
}

}  // namespace senet
