// Self-play with a trainer running in parallel, alternating with self-play alone.
#include <fmt/core.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <valarray>
#include <vector>

#include "tools/bench/benchmarks.hpp"
#include "tools/scratch_folder.hpp"
#include "train_bridge/run.hpp"

namespace senet {
namespace {

/// Totals, or differences of totals; indexed by Count.
using Counts = std::valarray<double>;
enum Count : std::uint8_t {
  kSeconds,
  kGames,
  kRows,
  kSteps,
  kDroppedSteps,
  kPublications,
  kPublishNs,
  kSwaps,
  kSwapNs,
  kCounts
};

Counts counts_of(const RunProgress& run) {
  const auto count = [](std::uint64_t number) { return static_cast<double>(number); };
  return {run.seconds,
          count(run.finished_games),
          count(run.evaluations),
          count(run.learn.steps),
          run.learn.dropped_steps,
          count(run.learn.iterations),
          count(run.publish_ns),
          count(run.swaps),
          count(run.swap_ns)};
}

/// The figures of one run. Those of rare events use all runs so far (`all_with_trainer`), since a
/// short run may have no publication.
Figures figures_of(const std::string& subject, const Counts& alone, const Counts& with_trainer,
                   const Counts& all_with_trainer, std::uint64_t longest_swap_ns) {
  const auto rate = [](const Counts& counts, Count count) {
    return counts[count] / counts[kSeconds];
  };
  Figures figures;
  add_figures(
      figures, subject,
      {{"slowdown", 1 - ratio(rate(with_trainer, kRows), rate(alone, kRows)), "share"},
       {"evaluations_per_second_alone", rate(alone, kRows), "rows/s"},
       {"evaluations_per_second_with_trainer", rate(with_trainer, kRows), "rows/s"},
       {"games_per_minute_alone", rate(alone, kGames) * 60, "games/min"},
       {"games_per_minute_with_trainer", rate(with_trainer, kGames) * 60, "games/min"},
       {"steps_per_second", rate(with_trainer, kSteps), "steps/s"},
       {"dropped_steps_per_second", rate(with_trainer, kDroppedSteps), "steps/s"},
       {"publications_per_second", rate(with_trainer, kPublications), "networks/s"},
       {"swap_time", ratio(all_with_trainer[kSwapNs], all_with_trainer[kSwaps]) / 1e3, "us"},
       {"longest_swap_time", static_cast<double>(longest_swap_ns) / 1e3, "us"},
       {"publish_time", ratio(all_with_trainer[kPublishNs], all_with_trainer[kPublications]) / 1e3,
        "us"}});
  return figures;
}

/// A part of a run.
struct Phase {
  bool learns;     // games go to the trainer
  double seconds;  // measured time, which starts when the trainer steps or is idle
};

/// Measures settings.repeats times. `subject_of` maps the trainer's name to the name of the case.
std::vector<Figures> measure(Run& run, const BenchSettings& settings,
                             const std::function<std::string(std::string_view)>& subject_of) {
  constexpr double kPatience = 60, kRest = 0.2;  // seconds
  // All games start together. The first phase brings them to different stages and gives the trainer
  // enough games.
  std::vector<Phase> phases{{true, settings.seconds}};
  for (std::uint32_t i = 0; i < settings.repeats; ++i) {
    const Phase alone{false, settings.seconds / 2}, with_trainer{true, settings.seconds};
    phases.insert(phases.end(), {alone, with_trainer, alone});
  }
  std::vector<Figures> runs;
  std::vector<Counts> counted;  // by finished phase
  Counts all_with_trainer(kCounts), entered(kCounts);
  std::optional<Counts> measured_from;  // in the current phase
  double trained = 0, learnt_at = 0;
  std::string subject, trouble;
  std::atomic<bool> learns{true}, is_in_trouble{false};

  RunHooks hooks;
  hooks.begins = [&](const RunBeginning& begins) {
    subject = subject_of(begins.trainer.substr(0, begins.trainer.find(',')));
  };
  hooks.progresses = [&](const RunProgress& now) {
    if (counted.size() == phases.size()) return;
    const Phase& phase = phases[counted.size()];
    const Counts counts = counts_of(now);
    const double learnt_now = counts[kSteps] + static_cast<double>(now.learn.games);
    if (std::exchange(trained, learnt_now) != learnt_now) learnt_at = now.seconds;
    if (!measured_from) {
      const bool is_settled =
          phase.learns ? counts[kSteps] > entered[kSteps] : now.seconds - learnt_at > kRest;
      if (is_settled || now.seconds - entered[kSeconds] > kPatience) measured_from = counts;
      return;
    }
    if (now.seconds - (*measured_from)[kSeconds] < phase.seconds) return;
    counted.push_back(counts - *measured_from);
    measured_from.reset();
    entered = counts;
    learnt_at = now.seconds;
    const std::size_t over = counted.size();
    learns = over < phases.size() && phases[over].learns;
    // After the warm-up phase, each repeat has three phases: alone, with the trainer, alone.
    const bool ends_repeat = over > 1 && (over - 1) % 3 == 0;
    if (!ends_repeat) return;
    const Counts& with_trainer = counted[over - 2];
    all_with_trainer += with_trainer;
    runs.push_back(figures_of(subject, counted[over - 3] + counted[over - 1], with_trainer,
                              all_with_trainer, now.longest_swap_ns));
  };
  hooks.order = [&] {
    const bool is_over = counted.size() == phases.size() || is_in_trouble;
    return is_over ? RunOrder::kPark : RunOrder::kContinue;
  };
  hooks.learns = [&] { return learns.load(std::memory_order_relaxed); };
  hooks.warning = [&](const std::string& reason) {
    if (!is_in_trouble.exchange(true)) trouble = reason;
  };
  const Result<RunSummary> ended = run.play(hooks);
  if (is_in_trouble) throw fail(trouble);
  ended.value();
  if (runs.size() < settings.repeats) throw fail("the run ended before the measurement");
  return runs;
}

}  // namespace

Benchmark prepare_overlap(const BenchCase& bench) {
  RunConfig config = default_config(bench.run_game).value();
  NetworkSpec reference = config.network;
  reference.evaluates = config.selfplay.worker.search.evaluates;
  const BenchNetwork network = bench_network(bench.settings, reference).value();
  config.network = network.network.spec();
  config.selfplay.play.seed = bench.settings.seed;
  const std::size_t players = bench.settings.players;
  config.selfplay.workers = players > 0 ? players : default_workers();
  config.learn.learning_rate = 1e-20f;                 // changes only weights that are 0
  config.learn.begin_after = config.learn.batch_rows;  // as early as possible
  const ScratchFolder folder = ScratchFolder::make("senet-overlap-").value();
  const auto weights = folder.path() / "start.safetensors";
  save_network(network.network, weights).value();
  Run run =
      Run::open(
          bench.run_game, config,
          {.folder = folder.path() / "run", .weights = weights, .trainer = bench.settings.trainer})
          .value();
  const auto subject_of = [&](std::string_view trainer) {
    return fmt::format("{}/{}/{}/{}/workers-{}", config.game, name_of(*reference.evaluates),
                       network.name, trainer, config.selfplay.workers);
  };
  return [runs = measure(run, bench.settings, subject_of), next = 0u](Figures& figures) mutable {
    figures = runs.at(next++);
  };
}

}  // namespace senet
