#include "tools/benchmarks.hpp"

#include <fmt/core.h>

#include <functional>
#include <future>
#include <numeric>
#include <utility>

#include "games/random.hpp"
#include "tools/bench_of.hpp"
#include "tools/bench_timing.hpp"

namespace senet {
namespace {

constexpr std::size_t kPositions = 256;  // which fill batches of every size

/// Rows without a zero, of which all logits are wanted.
RecordedBatches dense_batches(const NetworkSpec& spec, std::size_t rows, std::uint64_t seed) {
  RecordedBatches dense(rows, spec.features, spec.outcomes);
  Random random(seed, 0, 0, Purpose::kTest);
  std::vector<std::uint16_t> all(spec.policy_logits);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  for (std::size_t k = 0; k < kPositions; ++k) {
    dense.add(all, [&](FeatureRow& row) {
      for (std::size_t i = 0; i < spec.features; ++i) row.add(i, random.uniform() + 0.01f);
    });
  }
  return dense;
}

void measure(Figures& figures, const std::string& subject, Evaluator& evaluator,
             const RecordedBatches& recorded, double dense_gflop, double seconds) {
  const PeakMeter meter;
  const auto run = [&] {
    for (const Batch& batch : recorded.batches) evaluator.forward(batch);
  };
  run();
  double peak_after = meter.gflops();
  const auto slices = measure_slices(seconds, [&]() -> std::array<double, 3> {
    const double began = thread_seconds();
    run();
    const double rate = recorded.rows() / (thread_seconds() - began);
    const double peak_before = std::exchange(peak_after, meter.gflops());
    const double peak = (peak_before + peak_after) / 2;
    return {rate, peak, rate * dense_gflop / peak};
  });
  const auto [rate, peak, fraction] = slices.medians;
  const auto batches = static_cast<double>(recorded.batches.size());
  add_figures(figures, subject,
              {{"states_per_second", rate, "states/s"},
               {"latency", 1e6 * recorded.rows() / batches / rate, "us"},
               {"dense_gflops", rate * dense_gflop, "GFLOP/s"},
               {"peak_gflops", peak, "GFLOP/s"},
               {"peak_fraction", fraction, "share"},
               {"nonzeros", recorded.active / recorded.rows(), "features/state"},
               {"wanted_logits", recorded.logits / recorded.rows(), "logits/state"},
               {"allocations_per_forward", slices.allocations / (slices.count * batches),
                "allocations/forward"}});
}

Figures run(const BenchCase& bench, const std::vector<AnyState>& positions) {
  const BenchSettings& settings = bench.settings;
  const NetworkSpec& spec = bench.network.spec();
  std::vector<EvaluatorKind> kinds{settings.evaluator};
  if (settings.evaluator == EvaluatorKind::kAuto) {
    kinds = {EvaluatorKind::kFused, EvaluatorKind::kOneDnn};
  }
  const Weights weights(copy_of(bench.network));
  Figures figures;
  for (const EvaluatorKind kind : kinds) {
    for (const std::size_t rows : {1, 16, 64, 256}) {
      const auto evaluator = make_evaluator(kind, weights, rows, settings.exact).value();
      const auto measure_kind = [&](const char* inputs, const RecordedBatches& recorded) {
        measure(figures,
                fmt::format("{}/{}/{}/{}{}/{}/batch-{}", spec.game, name_of(settings.evaluates),
                            bench.network_name, name_of(kind), settings.exact ? "-exact" : "",
                            inputs, rows),
                *evaluator, recorded, dense_flop(spec) * 1e-9, settings.seconds);
      };
      measure_kind("sparse", bench.typed.record_batches(positions, rows, settings.evaluates));
      measure_kind("dense", dense_batches(spec, rows, settings.seed));
    }
  }
  return figures;
}

}  // namespace

Benchmark prepare_forward(const BenchCase& bench) {
  std::vector<AnyState> positions = recorded_decisions(bench, kPositions);
  if (bench.settings.evaluates == Evaluates::kAfterstates) {
    Random random(bench.settings.seed, 1, 0, Purpose::kTest);
    for (AnyState& position : positions) {
      AnyState after = position;
      after.play(draw_action(position, random));
      if (after.turn() != Turn::kOver) position = after;
    }
  }
  return [&bench, positions = std::move(positions)] {
    // oneDNN leaves settings in the thread that runs it: give it one of its own.
    return std::async(std::launch::async, run, std::cref(bench), std::cref(positions)).get();
  };
}

}  // namespace senet
