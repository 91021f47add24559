#include "tools/benchmarks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <valarray>

#include "tools/scratch_folder.hpp"
#include "train_bridge/run.hpp"

namespace senet {
namespace {

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : std::numeric_limits<double>::quiet_NaN();
}

/// What there has been up to a moment, or between two; by Count.
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

/// The recipe, with what the command line says otherwise.
RunConfig config_for(const BenchCase& bench, RunConfig config, const BenchNetwork& network) {
  const std::size_t players = bench.settings.players;
  config.network = network.network.spec();
  config.selfplay.play.seed = bench.settings.seed;
  config.selfplay.workers = players > 0 ? players : default_workers();
  config.learn.learning_rate = 1e-20f;                 // changes no weight that is not 0
  config.learn.begin_after = config.learn.batch_rows;  // a long wait for nothing
  return config;
}

/// A run that plays from its making on, and whose games go to its learner while the tap is open.
/// Stays where it is.
class Overlap {
 public:
  static Result<std::unique_ptr<Overlap>> make(const RunGame& game, const RunConfig& config,
                                               const TrainerChoice& trainer,
                                               const BenchNetwork& network) {
    auto folder = ScratchFolder::make("senet-overlap-");
    if (!folder) return folder.error();
    const auto weights = folder->path() / "start.safetensors";
    if (const auto saved = save_network(network.network, weights); !saved) return saved.error();
    auto run = Run::open(
        game, config, {.folder = folder->path() / "run", .weights = weights, .trainer = trainer});
    if (!run) return run.error();
    auto made = std::unique_ptr<Overlap>(new Overlap(std::move(*folder), std::move(*run)));
    const auto begins = [&] { return !made->trainer_.empty() || !made->trouble_.empty(); };
    made->wait_until(std::chrono::hours(1), begins);
    const std::lock_guard lock(made->mutex_);
    if (!made->trouble_.empty()) return fail(made->trouble_);
    made->subject_ = fmt::format("{}/{}/{}/{}/workers-{}", config.game,
                                 name_of(config.selfplay.worker.search.evaluates), network.name,
                                 made->trainer_, config.selfplay.workers);
    return made;
  }
  ~Overlap() { ends_ = true; }
  Overlap(const Overlap&) = delete;
  Overlap& operator=(const Overlap&) = delete;

  Result<Figures> measure(double seconds) {
    if (!std::exchange(has_run_, true)) {
      // All games begin together: until they are of all ages, and the learner has what it wants.
      open_tap();
      play_for(seconds);
      close_tap();
    }
    Counts alone = play_for(seconds / 2);
    open_tap();
    const Counts beside = play_for(seconds);
    close_tap();
    alone += play_for(seconds / 2);
    const std::lock_guard lock(mutex_);
    if (!trouble_.empty()) return fail(trouble_);
    all_beside_ += beside;
    return figures_of(alone, beside);
  }

 private:
  static constexpr std::chrono::minutes kPatience{1};

  Overlap(ScratchFolder folder, Run run)
      : folder_(std::move(folder)), run_(std::move(run)), thread_([this] { play(); }) {}

  void play() {
    RunHooks hooks;
    hooks.begins = [this](const RunBeginning& begins) {
      const std::lock_guard lock(mutex_);
      trainer_ = begins.trainer.substr(0, begins.trainer.find(','));
    };
    hooks.progresses = [this](const RunProgress& progress) {
      const std::lock_guard lock(mutex_);
      now_ = progress;
      changed_.notify_one();
    };
    hooks.order = [this] { return ends_ ? RunOrder::kDrop : RunOrder::kGoOn; };
    hooks.learns = [this] { return tap_is_open_.load(std::memory_order_relaxed); };
    hooks.warning = [this](const std::string& reason) { note_trouble(reason); };
    const Result<RunSummary> ended = run_.play(hooks);
    note_trouble(ended ? "the run has ended" : ended.error().reason());
  }
  void note_trouble(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    if (trouble_.empty()) trouble_ = reason;
    changed_.notify_one();
  }

  /// Waits until `done`, at most for this time, or until there is trouble; the counts of then.
  template <class Done>
  Counts wait_until(std::chrono::duration<double> most, Done&& done) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, most, [&] { return !trouble_.empty() || done(); });
    return counts_of(now_);
  }
  /// The counts of a moment that is not over yet.
  Counts look() {
    return wait_until(kPatience, [this, last = -1.0]() mutable {
      if (last < 0) last = now_.seconds;
      return now_.seconds > last;
    });
  }

  /// Lets the learner have the games, until it steps; or takes them away, until it has come to
  /// rest.
  void open_tap() {
    const double before = look()[kSteps];
    tap_is_open_ = true;
    wait_until(kPatience, [&] { return static_cast<double>(now_.learn.steps) > before; });
  }
  void close_tap() {
    tap_is_open_ = false;
    wait_until(kPatience, [this, seen = std::uint64_t{0}, changed = 0.0]() mutable {
      const std::uint64_t learnt = now_.learn.steps + now_.learn.games;
      if (std::exchange(seen, learnt) != learnt) changed = now_.seconds;
      return now_.seconds - changed > 0.2;
    });
  }

  Counts play_for(double seconds) {
    const Counts before = look();
    const std::chrono::duration<double> time(seconds);
    return wait_until(time + kPatience,
                      [&] { return now_.seconds >= before[kSeconds] + seconds; }) -
           before;
  }

  Figures figures_of(const Counts& alone, const Counts& beside) const {
    Figures figures;
    const auto rate = [](const Counts& counts, Count count) {
      return counts[count] / counts[kSeconds];
    };
    add_figures(
        figures, subject_,
        {{"slowdown", 1 - ratio(rate(beside, kRows), rate(alone, kRows)), "share"},
         {"evaluations_per_second_alone", rate(alone, kRows), "rows/s"},
         {"evaluations_per_second_beside", rate(beside, kRows), "rows/s"},
         {"games_per_minute_alone", rate(alone, kGames) * 60, "games/min"},
         {"games_per_minute_beside", rate(beside, kGames) * 60, "games/min"},
         {"steps_per_second", rate(beside, kSteps), "steps/s"},
         {"dropped_steps_per_second", rate(beside, kDroppedSteps), "steps/s"},
         {"publications_per_second", rate(beside, kPublications), "networks/s"},
         {"take_time", ratio(all_beside_[kSwapNs], all_beside_[kSwaps]) / 1e3, "us"},
         {"longest_take_time", static_cast<double>(now_.longest_swap_ns) / 1e3, "us"},
         {"publish_time", ratio(all_beside_[kPublishNs], all_beside_[kPublications]) / 1e3, "us"}});
    return figures;
  }

  const ScratchFolder folder_;
  Run run_;
  std::string subject_;
  bool has_run_ = false;
  Counts all_beside_ = Counts(kCounts);  // of all runs: a short one may see no publication
  std::atomic<bool> tap_is_open_{false}, ends_{false};
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::string trainer_;  // once the run has begun
  std::string trouble_;  // why there is nothing to measure, if there is not
  RunProgress now_;
  std::jthread thread_;
};

}  // namespace

Benchmark prepare_overlap(const BenchCase& bench) {
  const RunConfig recipe = default_config(bench.run_game).value();
  NetworkSpec reference = recipe.network;
  reference.evaluates = recipe.selfplay.worker.search.evaluates;
  const BenchNetwork network = bench_network(bench.settings, reference).value();
  auto overlap = Overlap::make(bench.run_game, config_for(bench, recipe, network),
                               bench.settings.trainer, network)
                     .value();
  return [overlap = std::move(overlap), seconds = bench.settings.seconds] {
    return overlap->measure(seconds);
  };
}

}  // namespace senet
