// Measurement tools for benchmarks: clocks, a thread's peak performance, allocation counts, and
// medians over many slices of work.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
#include <vector>

namespace senet {

/// Wall-clock seconds since an arbitrary start.
inline double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// CPU seconds of the calling thread since an arbitrary start. Does not advance while other
/// programs use the core, so that a busy machine does not distort measurements longer than a
/// scheduler slice. Not suitable for code that waits or uses several threads.
inline double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct MultiplyAdd;

/// Measures the maximum multiply-add rate of the calling thread. It is repeated between other
/// measurements, so that a fraction of the peak uses a peak of the same time: clock rates drift,
/// and other programs' load changes. Defined in tools/bench/peak.cpp.
class PeakMeter {
 public:
  /// Finds the fastest instruction set. Takes a few milliseconds.
  PeakMeter();

  /// Single-precision GFLOP/s; a multiply-add counts as two operations. The mean of a short
  /// measurement now and the one of the previous call (or constructor).
  double gflops_around();

 private:
  const MultiplyAdd& kind_;
  double last_;
};

/// Number of heap allocations by the calling thread since it started: all calls of malloc, realloc
/// and the like, including those by operator new and by libraries. Nullopt in sanitizer builds,
/// which bring their own heap and do not count.
std::optional<std::uint64_t> thread_allocations();

/// The median; for an even number of values, the mean of the two in the middle. NaN if any value is
/// NaN. `values` must not be empty.
double median_of(std::vector<double> values);

/// Up to three figures per slice of work.
using SliceFigures = std::array<double, 3>;

/// The result of measure_slices().
struct Slices {
  SliceFigures medians;
  double count = 0;
  double allocations = 0;  // sum over all slices; NaN if they are not counted
};

/// Calls `slice` repeatedly for `seconds` of wall-clock time, at least once. With many slices of a
/// few milliseconds, short disturbances do not affect the medians. Allocates nothing between
/// slices.
Slices measure_slices(double seconds, const std::function<SliceFigures()>& slice);

}  // namespace senet
