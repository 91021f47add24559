#include "tools/bench/timing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace senet {

double median_of(std::vector<double> values) {
  for (const double value : values) {
    if (std::isnan(value)) return value;
  }
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Slices measure_slices(double seconds, const std::function<SliceFigures()>& slice) {
  std::array<std::vector<double>, std::tuple_size_v<SliceFigures>> figures;
  for (std::vector<double>& values : figures) values.reserve(1 << 20);
  const std::uint64_t before = thread_allocations().value_or(0);
  const double end = wall_seconds() + seconds;
  do {
    const SliceFigures of_slice = slice();
    for (std::size_t i = 0; i < figures.size(); ++i) figures[i].push_back(of_slice[i]);
  } while (wall_seconds() < end && figures[0].size() < figures[0].capacity());

  Slices slices;
  const std::optional<std::uint64_t> after = thread_allocations();
  slices.allocations = after ? static_cast<double>(*after - before) : std::nan("");
  slices.count = static_cast<double>(figures[0].size());
  for (std::size_t i = 0; i < figures.size(); ++i) {
    slices.medians[i] = median_of(std::move(figures[i]));
  }
  return slices;
}

}  // namespace senet
