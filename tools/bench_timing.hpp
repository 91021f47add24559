// What benchmarks measure with: clocks, the peak of a thread, counted allocations, and the medians
// of many slices of work.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace senet {

/// Seconds since some moment.
inline double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds that the calling thread has worked since some moment. Stands still while other programs
/// have the core, so that a busy machine does not spoil a measurement longer than a slice of the
/// scheduler's. Not for what waits or uses several threads.
inline double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct MultiplyAdd;

/// The most multiply-adds that the calling thread can do, taken again and again between other
/// measurements, so that a share of it is of the same moment: clocks drift, and neighbours come and
/// go. Defined in tools/bench_peak.cpp.
class PeakMeter {
 public:
  /// Finds the fastest instruction set in a few milliseconds.
  PeakMeter();

  /// Single-precision GFLOP/s, a multiply-add being two: the mean of a fraction of a millisecond
  /// now and of one at the last call, or when this was made.
  double gflops_around();

 private:
  const MultiplyAdd& kind_;
  double last_;
};

/// Heap allocations that the calling thread has made since it began: malloc and its relatives,
/// whoever called them (operator new and other libraries too), reallocations included. Nothing in
/// builds that do not count: sanitizers bring a heap of their own.
std::optional<std::uint64_t> thread_allocations();

/// The middle one, of an even number the mean of the two in the middle; NaN where any is NaN.
/// Not of nothing.
inline double median_of(std::vector<double> values) {
  for (const double value : values) {
    if (std::isnan(value)) return value;
  }
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// What slices of work came to.
template <std::size_t kFigures>
struct Slices {
  std::array<double, kFigures> medians;
  double count = 0;
  double allocations = 0;  // of all slices together; NaN where they are not counted
};

/// Calls `slice`, which returns an array of figures, for so many seconds of the wall's clock, once
/// at least. No passing disturbance touches the medians of many slices of a few milliseconds.
/// Allocates nothing between the slices.
template <class Slice>
auto measure_slices(double seconds, Slice&& slice) {
  constexpr std::size_t kFigures = std::tuple_size_v<std::invoke_result_t<Slice&>>;
  std::array<std::vector<double>, kFigures> figures;
  for (std::vector<double>& values : figures) values.reserve(1 << 20);
  const std::uint64_t before = thread_allocations().value_or(0);
  const double end = wall_seconds() + seconds;
  do {
    const std::array<double, kFigures> of_slice = slice();
    for (std::size_t i = 0; i < kFigures; ++i) figures[i].push_back(of_slice[i]);
  } while (wall_seconds() < end && figures[0].size() < figures[0].capacity());

  Slices<kFigures> slices;
  const std::optional<std::uint64_t> after = thread_allocations();
  slices.allocations = after ? static_cast<double>(*after - before) : std::nan("");
  slices.count = static_cast<double>(figures[0].size());
  for (std::size_t i = 0; i < kFigures; ++i) slices.medians[i] = median_of(std::move(figures[i]));
  return slices;
}

}  // namespace senet
