#include "tools/benchmarks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "nn/safetensors.hpp"
#include "tools/bench_of.hpp"
#include "tools/bench_timing.hpp"
#include "train_bridge/choose_trainer.hpp"
#include "train_bridge/linear_algebra.hpp"

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

/// Replaces the file of prepare_train(), or says why not.
Result<void> save_batch(const TrainBatch& batch, std::size_t features,
                        const std::filesystem::path& file) {
  const std::size_t rows = batch.size(), outcomes = batch.shape().outcomes,
                    per_action = batch.shape().logits_per_action;
  std::size_t most = 0;
  for (std::size_t row = 0; row < rows; ++row) most = std::max(most, batch.targets_of(row).size());

  std::vector<float> dense(rows * features), values(rows * outcomes), targets(rows * most);
  std::vector<float> logits(rows * most * per_action, -1);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < batch.index(row).size(); ++i) {
      dense[row * features + batch.index(row)[i]] = batch.value(row)[i];
    }
    std::ranges::copy(batch.outcomes(row), &values[row * outcomes]);
    std::ranges::copy(batch.targets_of(row), targets.begin() + static_cast<long>(row * most));
    const auto numbers = batch.logits_of(row);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] != kNoLogit) logits[row * most * per_action + i] = numbers[i];
    }
  }
  const std::array<TensorValues, 4> tensors{{{"features", {rows, features}, dense},
                                             {"outcomes", {rows, outcomes}, values},
                                             {"targets", {rows, most}, targets},
                                             {"logits", {rows, most, per_action}, logits}}};
  return save_safetensors(file, {}, tensors);
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

void measure(Figures& figures, const std::string& subject, const BenchCase& bench,
             const TrainBatch& batch, std::size_t threads) {
  const auto rows = static_cast<double>(batch.size());
  // Against as many threads' peak, which they do not have where they share cores.
  const double gflop = 3e-9 * dense_flop(bench.network.spec());
  const PeakMeter meter;
  std::string lost;
  TrainerChoice choice = bench.settings.trainer;
  choice.replay = {.places = batch.size()};
  const ChosenTrainer chosen =
      choose_trainer(choice, bench.network, batch.shape(), {.threads = threads},
                     [&](const std::string& reason) { lost = reason; });
  if (!chosen.warnings.empty()) throw fail(chosen.warnings.front());
  Trainer& trainer = *chosen.trainer;
  trainer.warm_up();
  const bool keeps = trainer.keeps_samples();
  std::vector<DrawnSample> drawn;
  for (std::size_t row = 0; row < batch.size() && keeps; ++row) {
    keep_row(trainer, batch, row);
    drawn.push_back({static_cast<std::uint32_t>(row), false});
  }
  // A device's time is charged to no thread. It answers with the report of the step before: many
  // steps at once, and nothing of ours between them that it could use to catch up.
  const bool on_device = trainer.name() != "cpu";
  const int steps_at_once = on_device ? 64 : 1;
  const auto clock = threads == 1 && !on_device ? &thread_seconds : &wall_seconds;
  double peak_after = on_device ? std::nan("") : meter.gflops();
  const auto slices = measure_slices(bench.settings.seconds, [&]() -> std::array<double, 2> {
    const double began = clock();
    for (int step = 0; step < steps_at_once; ++step) {
      if (!keeps) {
        trainer.step(batch, 1e-3f);
      } else if (!trainer.step_kept(drawn, 1e-3f)) {
        throw fail(lost.empty() ? "the device did not keep the samples" : lost);
      }
    }
    const double rate = rows * steps_at_once / (clock() - began);
    const double peak_before = peak_after;
    if (!on_device) peak_after = meter.gflops();
    const double peak = static_cast<double>(threads) * (peak_before + peak_after) / 2;
    return {rate, rate * gflop / peak};
  });
  if (!lost.empty()) throw fail(lost);
  const auto [rate, cpu_fraction] = slices.medians;
  double active = 0;
  for (std::size_t row = 0; row < batch.size(); ++row) {
    active += static_cast<double>(batch.index(row).size());
  }
  const std::string whose = fmt::format("{}/{}{}/batch-{}/threads-{}", subject, trainer.name(),
                                        keeps ? "-replay" : "", rows, threads);
  add_figures(figures, whose,
              {{"samples_per_second", rate, "samples/s"},
               {"step_time", 1e3 * rows / rate, "ms"},
               {"dense_gflops", rate * gflop, "GFLOP/s"}});
  double fraction = cpu_fraction;
  if (on_device) {
    const StepCost cost = trainer.step_cost();
    add_figures(figures, whose,
                {{"kernels_per_step", static_cast<double>(cost.kernels), "kernels/step"}});
    fraction = 1e9 * rate * gflop / cost.flop_per_second;
  }
  add_figures(figures, whose,
              {{"peak_fraction", fraction, "share"},
               {"nonzeros", active / rows, "features/sample"},
               {"policy_targets", static_cast<double>(batch.actions()) / rows, "actions/sample"},
               {"allocations_per_step", slices.allocations / (slices.count * steps_at_once),
                "allocations/step"}});
}

Figures run(const BenchCase& bench, const std::vector<AnyState>& positions) {
  const BenchSettings& settings = bench.settings;
  const NetworkSpec& spec = bench.network.spec();
  use_single_threaded_blas();
  Figures figures;
  for (const std::size_t rows : settings.train_rows) {
    const std::string subject =
        fmt::format("{}/{}/{}/", spec.game, name_of(settings.evaluates), bench.network_name);
    // Of all games, whether there are more positions than rows or fewer.
    std::vector<AnyState> some;
    for (std::size_t i = 0; i < rows; ++i) some.push_back(positions[i * positions.size() / rows]);
    const TrainBatch sparse = bench.typed.sparse_batch(some, settings);
    if (!settings.saved_batch.empty()) {
      save_batch(sparse, spec.features, settings.saved_batch).value();
    }
    const TrainBatch dense = dense_batch(spec, rows, settings);
    for (const std::size_t threads : settings.workers) {
      measure(figures, subject + "sparse", bench, sparse, threads);
      // A device writes the inputs out anyway, and would wait for the host to pack them.
      if (settings.trainer.backend == TrainerBackend::kCuda) continue;
      measure(figures, subject + "dense", bench, dense, threads);
    }
  }
  return figures;
}

}  // namespace

Benchmark prepare_train(const BenchCase& bench) {
  return
      [&bench, positions = recorded_decisions(bench, kRecorded)] { return run(bench, positions); };
}

}  // namespace senet
