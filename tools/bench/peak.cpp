#include "tools/bench/benchmarks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tools/bench/timing.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace senet {

/// The multiply-add benchmark of one instruction set.
struct MultiplyAdd {
  std::string_view name;
  /// Runs `rounds` steps of independent chains of multiply-adds in registers. The result depends on
  /// all of them, so that the compiler cannot remove any.
  float (*chains)(std::uint64_t rounds);
  double flop_per_round;
};

namespace {

// A multiply-add takes about four cycles, and two can start in each cycle, so eight chains keep the
// units busy. Twelve are enough on every known processor and leave registers for the operands.
constexpr int kChains = 12;

float portable_chains(std::uint64_t rounds) {
  std::array<float, kChains> sums{};
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (float& sum : sums) sum = sum * 0.999f + 0.001f;
  }
  return std::accumulate(sums.begin(), sums.end(), 0.0f);
}

#if defined(__x86_64__)

[[gnu::target("avx2,fma")]] float avx2_chains(std::uint64_t rounds) {
  const __m256 factor = _mm256_set1_ps(0.999f), addend = _mm256_set1_ps(0.001f);
  __m256 sums[kChains];
  for (__m256& sum : sums) sum = _mm256_setzero_ps();
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(sum, factor, addend);
  }
  for (int i = 1; i < kChains; ++i) sums[0] = _mm256_add_ps(sums[0], sums[i]);
  return _mm256_cvtss_f32(sums[0]);
}

[[gnu::target("avx512f")]] float avx512_chains(std::uint64_t rounds) {
  const __m512 factor = _mm512_set1_ps(0.999f), addend = _mm512_set1_ps(0.001f);
  __m512 sums[kChains];
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(sum, factor, addend);
  }
  for (int i = 1; i < kChains; ++i) sums[0] = _mm512_add_ps(sums[0], sums[i]);
  return _mm512_cvtss_f32(sums[0]);
}

constexpr std::array<MultiplyAdd, 3> kKinds{{{"avx512", avx512_chains, 2.0 * 16 * kChains},
                                             {"avx2", avx2_chains, 2.0 * 8 * kChains},
                                             {"portable", portable_chains, 2.0 * kChains}}};

std::size_t first_runnable() {
  if (__builtin_cpu_supports("avx512f")) return 0;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 1 : 2;
}

#else

constexpr std::array<MultiplyAdd, 1> kKinds{{{"portable", portable_chains, 2.0 * kChains}}};

std::size_t first_runnable() { return 0; }

#endif

/// The instruction sets that this processor supports, widest first. Never empty.
std::span<const MultiplyAdd> runnable_multiply_adds() {
  return std::span(kKinds).subspan(first_runnable());
}

/// GFLOP/s of one slice of `rounds` rounds.
double slice_gflops(const MultiplyAdd& kind, std::uint64_t rounds) {
  const double began = thread_seconds();
  [[maybe_unused]] volatile float kept = kind.chains(rounds);  // keeps the loop from being removed
  const double time = thread_seconds() - began;
  return 1e-9 * static_cast<double>(rounds) * kind.flop_per_round / time;
}

double fastest_slice(const MultiplyAdd& kind, double seconds) {
  double fastest = 0;
  const double end = wall_seconds() + seconds;
  do {
    fastest = std::max(fastest, slice_gflops(kind, 1 << 18));
  } while (wall_seconds() < end);
  return fastest;
}

double peak_gflops(const MultiplyAdd& kind, std::size_t threads, double seconds) {
  std::vector<double> rates(threads);
  {
    std::vector<std::jthread> running;
    for (double& rate : rates) {
      running.emplace_back([&] { rate = fastest_slice(kind, seconds); });
    }
  }
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

}  // namespace

PeakMeter::PeakMeter()
    : kind_(*std::ranges::max_element(
          runnable_multiply_adds(), {},
          [](const MultiplyAdd& kind) { return fastest_slice(kind, 0.005); })),
      last_(slice_gflops(kind_, 1 << 16)) {}

double PeakMeter::gflops_around() {
  const double before = std::exchange(last_, slice_gflops(kind_, 1 << 16));
  return (before + last_) / 2;
}

Benchmark prepare_peak(const BenchSettings& settings) {
  std::vector<std::size_t> thread_counts{1};
  for (const std::size_t workers : settings.workers) {
    if (workers > 1) thread_counts.push_back(workers);
  }
  return [thread_counts, seconds = settings.seconds](Figures& figures) {
    for (const MultiplyAdd& kind : runnable_multiply_adds()) {
      for (const std::size_t threads : thread_counts) {
        add_figures(figures, fmt::format("{}/threads-{}", kind.name, threads),
                    {{"multiply_add", peak_gflops(kind, threads, seconds), "GFLOP/s"}});
      }
    }
  };
}

}  // namespace senet
