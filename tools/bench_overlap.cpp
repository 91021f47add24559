#include "tools/bench_overlap.hpp"

#include <fmt/core.h>

#include <limits>

#include "tools/overlap_run.hpp"
#include "train_bridge/linear_algebra.hpp"

namespace senet {
namespace {

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : std::numeric_limits<double>::quiet_NaN();
}

/// The recipe, with what the command line says otherwise.
Result<RunConfig> config_for(const RunGame& game, const BenchSettings& settings,
                             const BenchNetwork& network) {
  Result<RunConfig> config = default_config(game);
  if (!config) return config;
  config->network = network.network.spec();
  config->selfplay.play.seed = settings.seed;
  config->selfplay.workers = settings.workers.front();
  config->selfplay.worker.visits = config->selfplay.play.full_visits;
  config->learn.learning_rate = 0;
  config->learn.begin_after = config->learn.batch_rows;  // a long wait for nothing
  return config;
}

/// Everything of a benchmark that lasts from run to run.
class Overlap {
 public:
  static Result<std::unique_ptr<Overlap>> make(const RunGame& game, const RunConfig& config,
                                               const TrainerChoice& backend,
                                               const BenchNetwork& network) {
    auto folder = ScratchFolder::make("senet-overlap-");
    if (!folder) return folder.error();
    std::error_code error;
    std::filesystem::create_directories(folder->path() / "weights", error);
    auto log = RecordLog::open(folder->path() / "games.senet", config.game, {});
    if (!log) return log.error();
    use_single_threaded_blas();
    auto made = std::unique_ptr<Overlap>(new Overlap);
    TrainerChoice choice = backend;
    choice.steps_at_risk = config.learn.steps_per_iteration;
    ChosenTrainer chosen =
        choose_trainer(choice, network.network, batch_shape(game.shape, config.learn),
                       config.learn.trainer, [overlap = made.get()](const std::string& reason) {
                         const std::lock_guard lock(overlap->mutex_);
                         overlap->lost_ = reason;
                       });
    if (!chosen.warnings.empty()) return fail(chosen.warnings.front());
    chosen.trainer->warm_up();
    made->subject_ = fmt::format("{}/{}/{}/{}/workers-{}", config.game,
                                 name_of(config.selfplay.worker.search.evaluates), network.name,
                                 chosen.trainer->name(), config.selfplay.workers);
    made->run_.emplace(game, config, copy_of(network.network), std::move(chosen.trainer),
                       std::move(*folder), std::move(*log));
    return made;
  }

  Result<Figures> run(double seconds) {
    if (!std::exchange(has_run_, true)) {
      // All games begin together: until they are of all ages, and the learner has what it wants.
      run_->open_tap();
      run_->play_for(seconds);
      run_->close_tap();
    }
    OverlapCounts alone = run_->play_for(seconds / 2);
    run_->open_tap();
    const OverlapCounts beside = run_->play_for(seconds);
    run_->close_tap();
    alone.add(run_->play_for(seconds / 2), 1);
    if (const auto alive = run_->alive(); !alive) return alive.error();
    const std::lock_guard lock(mutex_);
    if (!lost_.empty()) return fail(lost_);
    all_beside_.add(beside, 1);
    return figures_of(alone, beside);
  }

 private:
  Overlap() = default;

  Figures figures_of(const OverlapCounts& alone, const OverlapCounts& beside) const {
    Figures figures;
    const auto add = [&](const char* name, double value, const char* unit) {
      figures.push_back({subject_, name, value, unit});
    };
    const double rows_alone = alone.rows / alone.seconds;
    const double rows_beside = beside.rows / beside.seconds;
    add("slowdown", 1 - ratio(rows_beside, rows_alone), "share");
    add("evaluations_per_second_alone", rows_alone, "rows/s");
    add("evaluations_per_second_beside", rows_beside, "rows/s");
    add("games_per_minute_alone", alone.games / alone.seconds * 60, "games/min");
    add("games_per_minute_beside", beside.games / beside.seconds * 60, "games/min");
    add("steps_per_second", beside.steps / beside.seconds, "steps/s");
    add("dropped_steps_per_second", beside.dropped_steps / beside.seconds, "steps/s");
    add("publications_per_second", beside.publications / beside.seconds, "networks/s");
    add("take_time", ratio(all_beside_.swap_ns, all_beside_.swaps) / 1e3, "us");
    add("longest_take_time", static_cast<double>(run_->longest_swap_ns()) / 1e3, "us");
    add("publish_time", ratio(all_beside_.publish_ns, all_beside_.publications) / 1e3, "us");
    return figures;
  }

  std::string subject_;
  bool has_run_ = false;
  OverlapCounts all_beside_;  // of all runs: a short one may see no publication
  std::mutex mutex_;
  std::string lost_;  // why the device was, if it was
  std::optional<OverlapRun> run_;
};

}  // namespace

Result<Benchmark> prepare_overlap(const std::string& game, const BenchSettings& settings) {
  const Result<const RunGame*> run_game = find_game<RunGame>(game);
  if (!run_game) return run_game.error();
  const Result<RunConfig> recipe = default_config(**run_game);
  if (!recipe) return recipe.error();
  NetworkSpec reference = recipe->network;
  reference.evaluates = recipe->selfplay.worker.search.evaluates;
  Result<BenchNetwork> network = bench_network(settings, reference);
  if (!network) return network.error();
  const Result<RunConfig> config = config_for(**run_game, settings, *network);
  if (!config) return config.error();
  auto overlap = Overlap::make(**run_game, *config, settings.trainer, *network);
  if (!overlap) return overlap.error();
  return Benchmark([overlap = std::move(*overlap), seconds = settings.seconds] {
    return overlap->run(seconds);
  });
}

}  // namespace senet
