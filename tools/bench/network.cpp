// Benchmarks of forward passes and of training steps.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <functional>
#include <future>
#include <span>

#include "games/random.hpp"
#include "nn/safetensors.hpp"
#include "tools/bench/benchmarks.hpp"
#include "tools/bench/timing.hpp"
#include "train_bridge/choose_trainer.hpp"

namespace senet {
namespace {

/// Samples without zero features, and with all logits as targets or none.
TrainBatch dense_batch(const NetworkSpec& spec, std::size_t rows, std::uint64_t seed,
                       bool has_targets) {
  const std::size_t logits = spec.policy_logits;
  TrainBatch batch({.rows = rows,
                    .max_active = spec.features,
                    .max_legal = logits,
                    .logits_per_action = 1,
                    .outcomes = spec.outcomes,
                    .action_room = rows * logits});
  Random random(seed, 1, 0, Purpose::kTest);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::span<float> outcomes = batch.add([&](FeatureRow& row) {
      for (std::size_t k = 0; k < spec.features; ++k) row.add(k, random.uniform() + 0.01f);
    });
    outcomes[random.below(static_cast<std::uint32_t>(spec.outcomes))] = 1;
    for (std::size_t k = 0; k < logits && has_targets; ++k) {
      const std::array<std::uint16_t, 1> logit{static_cast<std::uint16_t>(k)};
      batch.add_action(1.0f / static_cast<float>(logits), logit);
    }
  }
  return batch;
}

double nonzeros(const TrainBatch& batch) {
  double active = 0;
  for (std::size_t row = 0; row < batch.size(); ++row) {
    active += static_cast<double>(batch.index(row).size());
  }
  return active / static_cast<double>(batch.size());
}

/// A function that writes the features of a row of `batch` into another row.
auto features_of(const TrainBatch& batch, std::size_t row) {
  return [&batch, row](FeatureRow& to) {
    for (std::size_t i = 0; i < batch.index(row).size(); ++i) {
      to.add(batch.index(row)[i], batch.value(row)[i]);
    }
  };
}

/// The outputs that a search requests for a row, and their memory.
struct Answer {
  std::vector<std::uint16_t> wanted;  // the logits of the row's actions, without duplicates
  std::vector<float> logits, outcomes;

  Answer(const TrainBatch& batch, std::size_t row) : outcomes(batch.shape().outcomes) {
    for (const std::uint16_t logit : batch.logits_of(row)) {
      const bool is_new = std::ranges::find(wanted, logit) == wanted.end();
      if (is_new && logit != kNoLogit) wanted.push_back(logit);
    }
    logits.resize(wanted.size());
  }
};

/// Measures repeated passes over all rows, in batches of `rows`.
void measure_forward(Figures& figures, const std::string& subject, Evaluator& evaluator,
                     const TrainBatch& all, std::size_t rows, double dense_gflop, double seconds) {
  std::deque<Answer> answers;  // batches hold pointers to its elements
  std::vector<Batch> batches;
  double logits = 0;
  for (std::size_t row = 0; row < all.size(); ++row) {
    if (row % rows == 0) batches.emplace_back(rows, RowSize{.max_active = all.shape().max_active});
    Answer& answer = answers.emplace_back(all, row);
    batches.back().add({answer.outcomes, answer.wanted, answer.logits.data()},
                       features_of(all, row));
    logits += static_cast<double>(answer.wanted.size());
  }
  const auto run = [&] {
    for (Batch& batch : batches) evaluator.forward(batch);
  };
  run();
  const auto states = static_cast<double>(all.size()), passes = static_cast<double>(batches.size());
  PeakMeter meter;
  const auto slices = measure_slices(seconds, [&]() -> SliceFigures {
    const double began = thread_seconds();
    run();
    const double rate = states / (thread_seconds() - began);
    const double peak = meter.gflops_around();
    return {rate, peak, rate * dense_gflop / peak};
  });
  const auto [rate, peak, fraction] = slices.medians;
  add_figures(figures, subject,
              {{"states_per_second", rate, "states/s"},
               {"latency", 1e6 * states / passes / rate, "us"},
               {"dense_gflops", rate * dense_gflop, "GFLOP/s"},
               {"peak_gflops", peak, "GFLOP/s"},
               {"peak_fraction", fraction, "share"},
               {"nonzeros", nonzeros(all), "features/state"},
               {"requested_logits", logits / states, "logits/state"},
               {"allocations_per_forward", slices.allocations / (slices.count * passes),
                "allocations/forward"}});
}

void run_forward(const BenchCase& bench, const TrainBatch& sparse, Figures& figures) {
  const BenchSettings& settings = bench.settings;
  const NetworkSpec& spec = bench.network.spec();
  std::vector<EvaluatorKind> kinds{settings.evaluation.kind};
  if (settings.evaluation.kind == EvaluatorKind::kAuto) {
    kinds = {EvaluatorKind::kFused, EvaluatorKind::kOneDnn};
  }
  const Weights weights(bench.network.clone());
  const TrainBatch dense = dense_batch(spec, sparse.size(), settings.seed, true);
  for (const EvaluatorKind kind : kinds) {
    for (const std::size_t rows : {1, 16, 64, 256}) {
      const auto evaluator = make_evaluator(kind, weights, rows, settings.evaluation.exact).value();
      const auto measure = [&](const char* inputs, const TrainBatch& batch) {
        measure_forward(
            figures,
            fmt::format("{}/{}/{}/{}{}/{}/batch-{}", spec.game, name_of(settings.search.evaluates),
                        bench.network_name, name_of(kind),
                        settings.evaluation.exact ? "-exact" : "", inputs, rows),
            *evaluator, batch, rows, dense_flop(spec) * 1e-9, settings.seconds);
      };
      measure("sparse", sparse);
      measure("dense", dense);
    }
  }
}

/// Writes or replaces the file of settings.saved_batch; prepare_train() describes the format.
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

void keep_row(Trainer& trainer, const TrainBatch& batch, std::size_t row) {
  TrainBatch::Shape shape = batch.shape();
  shape.rows = 1;
  TrainBatch image(shape);
  std::ranges::copy(batch.outcomes(row), image.add(features_of(batch, row)).begin());
  const auto targets = batch.targets_of(row);
  const std::size_t each = shape.logits_per_action;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    image.add_action(targets[i], batch.logits_of(row).subspan(i * each, each));
  }
  trainer.keep(static_cast<std::uint32_t>(row), image);
}

void measure_steps(Figures& figures, const std::string& subject, const BenchCase& bench,
                   const TrainBatch& batch, std::size_t threads) {
  const auto rows = static_cast<double>(batch.size());
  // Relative to `threads` times one thread's peak, which is too high if threads share a core.
  const double gflop = 3e-9 * dense_flop(bench.network.spec());
  PeakMeter meter;
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
  // Device time is not in any thread's CPU time. A device step returns the report of the previous
  // step, so time many steps together, without other work between them.
  const bool on_device = trainer.name() != "cpu";
  const int steps_at_once = on_device ? 64 : 1;
  const auto clock = threads == 1 && !on_device ? &thread_seconds : &wall_seconds;
  const auto slices = measure_slices(bench.settings.seconds, [&]() -> SliceFigures {
    const double began = clock();
    for (int step = 0; step < steps_at_once; ++step) {
      if (!keeps) {
        trainer.step(batch, 1e-3f);
      } else if (!trainer.step_kept(drawn, 1e-3f)) {
        throw fail(lost.empty() ? "the device did not keep the samples" : lost);
      }
    }
    const double rate = rows * steps_at_once / (clock() - began);
    const double peak = on_device ? std::nan("") : meter.gflops_around();
    return {rate, rate * gflop / (static_cast<double>(threads) * peak)};
  });
  if (!lost.empty()) throw fail(lost);
  const double rate = slices.medians[0], cpu_fraction = slices.medians[1];
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
               {"nonzeros", nonzeros(batch), "features/sample"},
               {"policy_targets", static_cast<double>(batch.actions()) / rows, "actions/sample"},
               {"parameters", static_cast<double>(bench.network.parameters().size()), "parameters"},
               {"allocations_per_step", slices.allocations / (slices.count * steps_at_once),
                "allocations/step"}});
}

void run_steps(const BenchCase& bench, const std::vector<AnyState>& positions, Figures& figures) {
  const BenchSettings& settings = bench.settings;
  const NetworkSpec& spec = bench.network.spec();
  for (const std::size_t rows : settings.train_rows) {
    const std::string subject =
        fmt::format("{}/{}/{}/", spec.game, name_of(settings.search.evaluates), bench.network_name);
    // Spread over all games, whether there are more positions than rows or fewer.
    std::vector<AnyState> some;
    for (std::size_t i = 0; i < rows; ++i) some.push_back(positions[i * positions.size() / rows]);
    const TrainBatch sparse = bench.typed.sparse_batch(some, settings);
    if (!settings.saved_batch.empty()) {
      save_batch(sparse, spec.features, settings.saved_batch).value();
    }
    const bool has_targets = settings.search.evaluates == Evaluates::kPosition;
    const TrainBatch dense = dense_batch(spec, rows, settings.seed, has_targets);
    for (const std::size_t threads : settings.workers) {
      measure_steps(figures, subject + "sparse", bench, sparse, threads);
      // A device stores dense inputs anyway, and packing on the host would be the bottleneck.
      if (settings.trainer.backend == TrainerBackend::kCuda) continue;
      measure_steps(figures, subject + "dense", bench, dense, threads);
    }
  }
}

}  // namespace

Benchmark prepare_forward(const BenchCase& bench) {
  constexpr std::size_t kPositions = 256;  // a multiple of all batch sizes
  std::vector<AnyState> positions = recorded_decisions(bench, kPositions);
  if (bench.settings.search.evaluates == Evaluates::kAfterstates) {
    Random random(bench.settings.seed, 1, 0, Purpose::kTest);
    for (AnyState& position : positions) {
      AnyState after = position;
      after.play(draw_action(position, random));
      if (after.turn() != Turn::kOver) position = after;
    }
  }
  return [&bench, sparse = bench.typed.sparse_batch(positions, bench.settings)](Figures& figures) {
    // oneDNN changes settings of the thread that runs it, so use a separate thread.
    std::async(std::launch::async, run_forward, std::cref(bench), std::cref(sparse),
               std::ref(figures))
        .get();
  };
}

Benchmark prepare_train(const BenchCase& bench) {
  constexpr std::size_t kPositions = 1024;
  return [&bench, positions = recorded_decisions(bench, kPositions)](Figures& figures) {
    run_steps(bench, positions, figures);
  };
}

}  // namespace senet
