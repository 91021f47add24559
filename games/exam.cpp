#include "games/exam.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

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

void add_mean(std::vector<Metric>& metrics, std::string subject, std::string name, std::string unit,
              std::span<const double> values, double scale) {
  if (values.empty()) return;
  double sum = 0;
  for (const double value : values) sum += value;
  const Interval interval = bootstrap_mean(values);
  metrics.push_back({.subject = std::move(subject),
                     .name = std::move(name),
                     .value = scale * sum / static_cast<double>(values.size()),
                     .unit = std::move(unit),
                     .interval = Interval{scale * interval.low, scale * interval.high}});
}

void add_count(std::vector<Metric>& metrics, std::string subject, std::string name,
               std::size_t count) {
  metrics.push_back({.subject = std::move(subject),
                     .name = std::move(name),
                     .value = static_cast<double>(count),
                     .unit = "positions"});
}

Result<void> for_each_line(const std::string& file,
                           const std::function<Result<void>(std::string_view line)>& use) {
  constexpr std::size_t kLongest = std::size_t{16} << 20;
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown)) return fail(file + ": is a folder");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return fail(fmt::format("{}: {}", file, std::strerror(errno)));
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    const auto wrong = [&](std::string_view reason) {
      return fail(fmt::format("{}: line {}: {}", file, number, reason));
    };
    if (line.size() > kLongest) return wrong("longer than 16 MiB");
    if (line.ends_with('\r')) line.pop_back();
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    if (const Result<void> used = use(line); !used) return wrong(used.error().reason());
  }
  if (stream.bad()) return fail(file + ": cannot be read to its end");
  return {};
}

}  // namespace senet
