#include "tools/bench_train.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "tools/bench_peak.hpp"
#include "tools/counted_malloc.hpp"
#include "tools/programs.hpp"
#include "tools/saved_batch.hpp"
#include "tools/thread_clock.hpp"
#include "train_bridge/choose_trainer.hpp"
#include "train_bridge/linear_algebra.hpp"
#include "train_bridge/run_game.hpp"

namespace senet {
namespace {

constexpr std::size_t kRecorded = 1024;  // positions

/// Samples without a zero, with all logits as targets.
TrainBatch dense_batch(const NetworkSpec& spec, std::size_t rows, const BenchSettings& settings) {
  const std::size_t logits = spec.policy_logits;
  TrainBatch batch({.rows = rows,
                    .max_active = spec.features,
                    .max_legal = logits,
                    .logits_per_action = 1,
                    .outcomes = spec.outcomes,
                    .action_room = rows * logits});
  Random random(settings.seed, 1, 0, Purpose::kTest);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::span<float> outcomes = batch.add([&](FeatureRow& row) {
      for (std::size_t k = 0; k < spec.features; ++k) row.add(k, random.uniform() + 0.01f);
    });
    make_certain(outcomes, random);
    if (settings.evaluates == Evaluates::kAfterstates) continue;
    for (std::size_t k = 0; k < logits; ++k) {
      const std::array<std::uint16_t, 1> logit{static_cast<std::uint16_t>(k)};
      batch.add_action(1.0f / static_cast<float>(logits), logit);
    }
  }
  return batch;
}

double wall_time() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Hands a row of a batch to a trainer that keeps samples.
void keep_row(Trainer& trainer, const TrainBatch& batch, std::size_t row) {
  TrainBatch::Shape shape = batch.shape();
  shape.rows = 1;
  TrainBatch image(shape);
  const std::span<float> outcomes = image.add([&](FeatureRow& to) {
    for (std::size_t i = 0; i < batch.index(row).size(); ++i) {
      to.add(batch.index(row)[i], batch.value(row)[i]);
    }
  });
  std::ranges::copy(batch.outcomes(row), outcomes.begin());
  for (std::size_t i = batch.first_action(row); i < batch.first_action(row + 1); ++i) {
    image.add_action(batch.target(i), batch.logits(i));
  }
  trainer.keep(static_cast<std::uint32_t>(row), image);
}

Result<void> measure(Figures& figures, const std::string& subject, const BenchSettings& settings,
                     const Network& network, const TrainBatch& batch, std::size_t threads) {
  const auto rows = static_cast<double>(batch.size());
  // Against as many threads' peak, which they do not have where they share cores.
  const double gflop = 3e-9 * dense_flop(network.spec());
  const auto share_of_peak = gflop / static_cast<double>(threads);
  const PeakMeter meter;
  std::string lost;
  TrainerChoice choice = settings.trainer;
  choice.replay = {.places = batch.size()};
  const ChosenTrainer chosen = choose_trainer(choice, network, batch.shape(), {.threads = threads},
                                              [&](const std::string& reason) { lost = reason; });
  if (!chosen.warnings.empty()) return fail(chosen.warnings.front());
  const std::unique_ptr<Trainer>& trainer = chosen.trainer;
  trainer->warm_up();
  std::vector<DrawnSample> drawn;
  drawn.reserve(batch.size());
  for (std::size_t row = 0; row < batch.size() && trainer->keeps_samples(); ++row) {
    keep_row(*trainer, batch, row);
    drawn.push_back({static_cast<std::uint32_t>(row), false});
  }
  const bool keeps = trainer->keeps_samples();
  // A device's time is nobody's thread's. It answers with the report of the step before: many steps
  // at once, and nothing of ours between them that it could use to catch up.
  const bool on_device = trainer->name() != "cpu";
  const int steps_at_once = on_device ? 64 : 1;
  const bool alone = threads == 1 && !on_device;
  const auto clock = alone ? &ThreadClock::now : &wall_time;
  std::vector<double> rates, fractions;
  for (auto* const values : {&rates, &fractions}) values->reserve(1 << 18);
  const std::uint64_t before = thread_allocations().value_or(0);
  const double end = wall_time() + settings.seconds;
  double peak_before = on_device ? 0 : meter.gflops();
  do {
    const double began = clock();
    for (int step = 0; step < steps_at_once; ++step) {
      if (!keeps) {
        trainer->step(batch, 1e-3f);
      } else if (!trainer->step_kept(drawn, 1e-3f)) {
        return fail(lost.empty() ? "the device did not keep the samples" : lost);
      }
    }
    rates.push_back(rows * steps_at_once / (clock() - began));
    if (on_device) continue;
    const double peak_after = meter.gflops();
    fractions.push_back(rates.back() * share_of_peak / ((peak_before + peak_after) / 2));
    peak_before = peak_after;
  } while (wall_time() < end && rates.size() < rates.capacity());
  const auto allocations = static_cast<double>(thread_allocations().value_or(0) - before);
  const auto steps = static_cast<double>(rates.size()) * steps_at_once;
  const double rate = median_of(std::move(rates));

  double active = 0;
  for (std::size_t row = 0; row < batch.size(); ++row) {
    active += static_cast<double>(batch.index(row).size());
  }
  const auto add = [&](const char* name, double value, const char* unit) {
    figures.push_back({fmt::format("{}/{}{}/batch-{}/threads-{}", subject, trainer->name(),
                                   keeps ? "-replay" : "", rows, threads),
                       name, value, unit});
  };
  add("samples_per_second", rate, "samples/s");
  add("step_time", 1e3 * rows / rate, "ms");
  add("dense_gflops", rate * gflop, "GFLOP/s");
  if (on_device) {
    const StepCost cost = trainer->step_cost();
    add("kernels_per_step", static_cast<double>(cost.kernels), "kernels/step");
    fractions = {1e9 * rate * gflop / cost.flop_per_second};
  }
  add("peak_fraction", median_of(std::move(fractions)), "share");
  add("nonzeros", active / rows, "features/sample");
  add("policy_targets", static_cast<double>(batch.actions()) / rows, "actions/sample");
  add("allocations_per_step", thread_allocations() ? allocations / steps : std::nan(""),
      "allocations/step");
  if (!lost.empty()) return fail(lost);
  return {};
}

Result<Figures> run(const Programs& programs, const BenchSettings& settings,
                    const BenchNetwork& network, const std::vector<AnyState>& positions) {
  const NetworkSpec& spec = network.network.spec();
  use_single_threaded_blas();
  Figures figures;
  for (const std::size_t rows : settings.train_rows) {
    const std::string subject =
        fmt::format("{}/{}/{}/", spec.game, name_of(settings.evaluates), network.name);
    // Of all games, whether there are more positions than rows or fewer.
    std::vector<AnyState> some;
    for (std::size_t i = 0; i < rows; ++i) some.push_back(positions[i * positions.size() / rows]);
    const TrainBatch sparse = programs.sparse_batch(some, settings);
    if (!settings.saved_batch.empty()) {
      const auto saved = save_batch(sparse, spec.features, settings.saved_batch);
      if (!saved) return saved.error();
    }
    const TrainBatch dense = dense_batch(spec, rows, settings);
    for (const std::size_t threads : settings.workers) {
      for (const auto& [kind, batch] : {std::pair{"sparse", &sparse}, {"dense", &dense}}) {
        // A device writes the inputs out anyway, and would wait for the host to pack them.
        if (batch == &dense && settings.trainer.backend == TrainerBackend::kCuda) continue;
        const auto done =
            measure(figures, subject + kind, settings, network.network, *batch, threads);
        if (!done) return done.error();
      }
    }
  }
  return figures;
}

}  // namespace

Result<Benchmark> prepare_train(const std::string& game, const BenchSettings& settings) {
  const Result<const Programs*> programs = find_game<Programs>(game);
  if (!programs) return programs.error();
  Result<BenchNetwork> network =
      bench_network(settings, (*find_game<RunGame>(game))->reference_spec());
  if (!network) return network.error();
  auto positions = (*programs)->recorded_decisions(settings, network->network, kRecorded);
  if (!positions) return positions.error();
  return Benchmark(
      [programs = *programs, settings, network = std::move(*network),
       positions = std::move(*positions)] { return run(*programs, settings, network, positions); });
}

}  // namespace senet
