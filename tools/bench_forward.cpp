#include "tools/bench_forward.hpp"

#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "tools/bench_peak.hpp"
#include "tools/counted_malloc.hpp"
#include "tools/programs.hpp"
#include "tools/recorded_batches.hpp"
#include "tools/thread_clock.hpp"
#include "train_bridge/run_game.hpp"

namespace senet {
namespace {

constexpr std::size_t kPositions = 256;

struct Rates {
  double states_per_second = 0;  // medians over passes through all batches
  double peak_gflops = 0;
  double peak_fraction = 0;
  double allocations_per_forward = 0;  // NaN when they are not counted
};

Rates rates_of(Evaluator& evaluator, const RecordedBatches& recorded, double dense_gflop,
               double seconds) {
  using Clock = std::chrono::steady_clock;
  const PeakMeter meter;
  std::vector<double> rates, peaks, fractions;
  for (auto* const values : {&rates, &peaks, &fractions}) values->reserve(1 << 18);
  for (const Batch& batch : recorded.batches()) evaluator.forward(batch);
  const std::uint64_t before = thread_allocations().value_or(0);
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  double peak_before = meter.gflops();
  do {
    const double began = ThreadClock::now();
    for (const Batch& batch : recorded.batches()) evaluator.forward(batch);
    const double time = ThreadClock::now() - began;
    const double peak_after = meter.gflops();
    rates.push_back(recorded.rows() / time);
    peaks.push_back((peak_before + peak_after) / 2);
    fractions.push_back(rates.back() * dense_gflop / peaks.back());
    peak_before = peak_after;
  } while (Clock::now() < end && rates.size() < rates.capacity());
  const auto allocations = static_cast<double>(thread_allocations().value_or(0) - before);
  const auto forwards = static_cast<double>(rates.size() * recorded.batches().size());
  return {median_of(std::move(rates)), median_of(std::move(peaks)), median_of(std::move(fractions)),
          thread_allocations() ? allocations / forwards : std::nan("")};
}

void add_figures(Figures& figures, std::string subject, const Rates& rates,
                 const RecordedBatches& recorded, double dense_gflop) {
  const auto rows = static_cast<double>(recorded.batches().front().size());
  const auto add = [&](const char* name, double value, const char* unit) {
    figures.push_back({subject, name, value, unit});
  };
  add("states_per_second", rates.states_per_second, "states/s");
  add("latency", 1e6 * rows / rates.states_per_second, "us");
  add("dense_gflops", rates.states_per_second * dense_gflop, "GFLOP/s");
  add("peak_gflops", rates.peak_gflops, "GFLOP/s");
  add("peak_fraction", rates.peak_fraction, "share");
  add("nonzeros", recorded.mean_active(), "features/state");
  add("wanted_logits", recorded.mean_wanted(), "logits/state");
  add("allocations_per_forward", rates.allocations_per_forward, "allocations/forward");
}

Result<Figures> run(const Programs& programs, const BenchSettings& settings,
                    const BenchNetwork& network, const std::vector<AnyState>& positions) {
  const NetworkSpec& spec = network.network.spec();
  std::vector<EvaluatorKind> kinds{settings.evaluator};
  if (settings.evaluator == EvaluatorKind::kAuto) {
    kinds = {EvaluatorKind::kFused, EvaluatorKind::kOneDnn};
  }
  const Weights weights(copy_of(network.network));
  const double dense_gflop = dense_flop(spec) * 1e-9;
  Figures figures;
  for (const EvaluatorKind kind : kinds) {
    for (const std::size_t rows : {1, 16, 64, 256}) {
      const auto evaluator = make_evaluator(kind, weights, rows, settings.exact);
      if (!evaluator) return evaluator.error();
      const auto measure = [&](const char* inputs, const RecordedBatches& recorded) {
        const std::string subject =
            fmt::format("{}/{}/{}/{}{}/{}/batch-{}", spec.game, name_of(settings.evaluates),
                        network.name, name_of(kind), settings.exact ? "-exact" : "", inputs, rows);
        add_figures(figures, subject,
                    rates_of(**evaluator, recorded, dense_gflop, settings.seconds), recorded,
                    dense_gflop);
      };
      measure("sparse", *programs.record_batches(positions, rows, settings.evaluates));
      measure("dense", *RecordedBatches::dense(spec, kPositions, rows, settings.seed));
    }
  }
  return figures;
}

}  // namespace

Result<Benchmark> prepare_forward(const std::string& game, const BenchSettings& settings) {
  const Result<const Programs*> programs = find_game<Programs>(game);
  if (!programs) return programs.error();
  Result<BenchNetwork> network =
      bench_network(settings, (*find_game<RunGame>(game))->reference_spec());
  if (!network) return network.error();
  auto positions = (*programs)->recorded_decisions(settings, network->network, kPositions);
  if (!positions) return positions.error();
  if (settings.evaluates == Evaluates::kAfterstates) {
    Random random(settings.seed, 1, 0, Purpose::kTest);
    for (AnyState& position : *positions) {
      AnyState after = position;
      after.play(draw_action(position, random));
      if (after.turn() != Turn::kOver) position = after;
    }
  }
  return Benchmark([programs = *programs, settings, network = std::move(*network),
                    positions = std::move(*positions)] {
    // oneDNN leaves settings in the thread that runs it: give it one of its own.
    Result<Figures> figures;
    std::thread([&] { figures = run(*programs, settings, network, positions); }).join();
    return figures;
  });
}

}  // namespace senet
