// What benchmarks measure with: clocks, the peak of a thread, counted allocations, and the medians
// of many slices of work.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
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
/// go. Defined in tools/bench/peak.cpp.
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
double median_of(std::vector<double> values);

/// Up to three figures of a slice of work.
using SliceFigures = std::array<double, 3>;

/// What slices of work came to.
struct Slices {
  SliceFigures medians;
  double count = 0;
  double allocations = 0;  // of all slices together; NaN where they are not counted
};

/// Calls `slice` for so many seconds of the wall's clock, once at least. No passing disturbance
/// touches the medians of many slices of a few milliseconds. Allocates nothing between the slices.
Slices measure_slices(double seconds, const std::function<SliceFigures()>& slice);

}  // namespace senet
