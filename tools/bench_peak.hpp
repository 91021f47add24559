// How many fused multiply-adds this machine can do at most: what every other rate is a share of.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace senet {

/// One instruction set that the program can measure.
struct MultiplyAdd {
  std::string_view name;  // "avx512", "avx2", "portable"
  /// Runs `rounds` steps of independent chains of multiply-adds held in registers; a result that
  /// depends on all of them, so that none can be left out.
  float (*chains)(std::uint64_t rounds);
  double flop_per_round;
};

/// Those that this processor runs, widest first. Never empty.
std::span<const MultiplyAdd> runnable_multiply_adds();

/// Single-precision GFLOP/s (a multiply-add is two) of `threads` threads at once for `seconds`:
/// each thread's fastest few milliseconds, added up.
double peak_gflops(const MultiplyAdd& kind, std::size_t threads, double seconds);

/// The calling thread's peak, taken again and again between other measurements, so that a share of
/// it is of the same moment: clocks drift, and neighbours come and go.
class PeakMeter {
 public:
  /// Finds the fastest kind in a few milliseconds.
  PeakMeter();

  /// GFLOP/s of a fraction of a millisecond.
  double gflops() const;

 private:
  MultiplyAdd kind_;
};

}  // namespace senet
