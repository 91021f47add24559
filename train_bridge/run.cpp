#include "train_bridge/run.hpp"

#include <absl/cleanup/cleanup.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <span>
#include <thread>
#include <utility>

#include "train_bridge/run_figures.hpp"

namespace senet {
namespace {

using Clock = std::chrono::steady_clock;

// Interval between checks of orders, limits and metrics.
constexpr std::chrono::milliseconds kPeriod{100};

// Files of the run folder.
constexpr const char* kConfigFile = "config.json";
constexpr const char* kGamesFile = "games.senet";
constexpr const char* kCheckpointFile = "checkpoint.safetensors";

// Removes files left half-written by a killed process. The locked game log excludes other writers.
void remove_half_written(const std::filesystem::path& folder) {
  std::error_code unknown;
  for (const auto& entry : std::filesystem::directory_iterator(folder, unknown)) {
    if (entry.path().extension() == ".tmp") std::filesystem::remove(entry.path(), unknown);
  }
}

// Opens the run folder and its game log, which locks the folder for other processes.
Result<RecordLog> open_folder(const RunOptions& options, std::string_view game,
                              const std::function<void(const std::string&)>& warning) {
  if (options.folder.empty()) return fail("folder: name the run folder");
  std::error_code error;
  if (!options.resume && std::filesystem::exists(options.folder / kConfigFile, error)) {
    return fail(
        fmt::format("{} already holds a run: continue it with --resume, or name another folder",
                    options.folder.string()));
  }
  std::filesystem::create_directories(options.folder / "weights", error);
  if (error) return fail(fmt::format("{}: {}", options.folder.string(), error.message()));
  Result<RecordLog> log = RecordLog::open(options.folder / kGamesFile, game, {});
  if (!log) return log;
  const RecoveryReport& found = log->recovery();
  if (!options.resume && log->records() > 0) {
    return fail(fmt::format("{} contains games but no config.json", options.folder.string()));
  }
  if (found.moved_bytes > 0 && warning) {
    warning(fmt::format("game log: {} damaged bytes at the end were moved to {}", found.moved_bytes,
                        found.moved_to.string()));
  }
  remove_half_written(options.folder);
  remove_half_written(options.folder / "weights");
  return log;
}

// Replaces empty hooks by no-ops.
RunHooks complete(RunHooks hooks) {
  if (!hooks.begins) hooks.begins = [](const RunBeginning&) {};
  if (!hooks.progresses) hooks.progresses = [](const RunProgress&) {};
  if (!hooks.order) hooks.order = [] { return RunOrder::kContinue; };
  if (!hooks.learns) hooks.learns = [] { return true; };
  if (!hooks.warning) hooks.warning = [](const std::string&) {};
  if (!hooks.note) hooks.note = [](const std::string&) {};
  return hooks;
}

}  // namespace

Result<Run::Start> Run::start_of(const RunConfig& config, const RunOptions& options) {
  const auto checkpoint_file = options.folder / kCheckpointFile;
  std::error_code unknown;
  if (options.resume && std::filesystem::exists(checkpoint_file, unknown)) {
    if (!options.weights.empty()) return fail("weights: a resumed run has its own weights");
    Result<Checkpoint> checkpoint = load_checkpoint(checkpoint_file, config.network);
    if (!checkpoint) return checkpoint.error();
    Network network = network_of(config.network, checkpoint->trainer, config.learn.play_weights);
    return Start{std::move(network), std::move(*checkpoint)};
  }
  if (options.weights.empty()) {
    return Start{initial_network(config.network, config.selfplay.play.seed), std::nullopt};
  }
  Result<Network> given = load_network(options.weights);
  if (!given) return fail("weights: " + given.error().reason());
  const std::string file = options.weights.string();
  if (const auto fits = check_contract(given->spec(), config.network); !fits) {
    return fail(fmt::format("weights: {}: {}", file, fits.error().reason()));
  }
  Result<Network> network = enlarged_network(*given, config.network, config.selfplay.play.seed);
  if (!network) {
    return fail(fmt::format("weights: {}: the network's shape is not the run's: {}", file,
                            network.error().reason()));
  }
  return Start{std::move(*network), std::nullopt};
}

Result<Run> Run::open(const RunGame& game, const RunConfig& config, const RunOptions& options,
                      const std::function<void(const std::string&)>& warning) {
  if (const auto checked = check_config(game, config); !checked) return checked.error();
  RunConfig complete = config;
  complete.network.evaluates = config.selfplay.worker.search.evaluates;
  Result<Start> start = start_of(complete, options);
  if (!start) return start.error();
  const std::uint64_t planned = config.learn.planned_games;
  if (planned > 0 && start->checkpoint && start->checkpoint->games >= planned) {
    return fail(
        fmt::format("planned-games: the run has played its {} games; a larger number "
                    "lengthens it",
                    planned));
  }
  Result<RecordLog> log = open_folder(options, config.game, warning);
  if (!log) return log.error();
  return Run(game, std::move(complete), options, std::move(*start), std::move(*log));
}

Result<RunSummary> Run::play(const RunHooks& given) {
  const RunHooks hooks = complete(given);
  const RunOptions& options = options_;
  // config.json records the evaluator that was chosen, so that a resumed run has the same.
  resolve(config_.selfplay.worker.evaluation, start_.network);
  RunConfig config = config_;
  if (config.selfplay.workers == 0) config.selfplay.workers = default_workers();
  config.selfplay.worker.visits = config.selfplay.play.full_visits;
  if (!options.train) config.learn.samples_per_position = 0;

  TrainerChoice choice = options.trainer;
  choice.steps_at_risk = config.learn.steps_per_iteration;
  choice.replay = replay_room(game_->shape, config.learn);
  ChosenTrainer chosen =
      choose_trainer(choice, start_.network, batch_shape(game_->shape, config.learn),
                     config.learn.trainer, [&hooks](const std::string& reason) {
                       hooks.warning("the device was lost, the CPU trains from now on: " + reason);
                     });
  for (const std::string& warning : chosen.warnings) hooks.warning(warning);
  for (const std::string& note : chosen.notes) hooks.note(note);
  const std::unique_ptr<Trainer> trainer = std::move(chosen.trainer);
  const bool is_new = !start_.checkpoint;
  const Checkpoint from = std::move(start_.checkpoint).value_or(Checkpoint{});
  if (!is_new) {
    if (const auto restored = trainer->restore(from.trainer); !restored) return restored.error();
  }
  trainer->warm_up();

  const std::uint64_t network_id = start_.network.id();
  ModelStore models(std::move(start_.network));
  BoundedQueue<GameRecord> queue(config.queue_games);
  QueueSink sink(queue, hooks.learns);
  const std::unique_ptr<Replay> replay = game_->make_replay(*game_->any, config.learn);
  TrainingLoop loop({.settings = config.learn,
                     .replay = *replay,
                     .trainer = *trainer,
                     .log = log_,
                     .games = queue,
                     .models = models,
                     .seed = config.selfplay.play.seed,
                     .folder = options.folder,
                     .outcome_values = game_->any->outcome_values},
                    from);
  if (const auto refilled = loop.refill(options.folder / kGamesFile); !refilled) {
    return refilled.error();
  }
  // config.json is written last: a folder that has it has everything needed to resume.
  if (is_new) {
    if (const auto saved = loop.save(); !saved) return saved.error();
  }
  if (const auto saved = save_config(config_, options.folder / kConfigFile); !saved) {
    return saved.error();
  }
  const std::uint64_t first = loop.next_game();
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max() - first;
  if (options.games > 0) most = std::min(most, options.games);
  if (const std::uint64_t planned = config.learn.planned_games; planned > 0) {
    most = std::min(most, planned - std::min(planned, loop.progress().games));
  }
  GameNumbers numbers(first, first + most);

  hooks.begins({config, network_id, chosen.description, loop.progress().games});
  RunFigures figures(options.folder, config.game, config.selfplay.workers,
                     {.seconds_before = from.seconds, .learn = loop.progress()}, hooks.warning);
  figures.note(fmt::format("began after {} games", loop.progress().games));
  // Workers give way to the trainer where they share processors with it, as by default on two: it
  // takes the time it needs, and they take the rest. On Linux the call is about its thread only.
  SelfPlayHooks give_way;
  if (options.train) {
    give_way.begins = [](std::size_t, AnyWorker&) { static_cast<void>(nice(10)); };
  }
  const std::unique_ptr<AnySelfPlayThreads> players = game_->start_selfplay(
      *game_->any, config.selfplay, models, numbers, sink, std::move(give_way));
  Result<void> trained;
  std::atomic<bool> learning{true};
  std::jthread trainer_thread([&] {
    trained = loop.run();
    // Lanes that are still playing must not wait for a trainer that has ended.
    queue.close();
    learning = false;
  });
  // On any exception, no thread is left waiting.
  const absl::Cleanup close_queue = [&] { queue.close(); };

  const auto look = [&](RunPhase phase) -> const RunProgress& {
    const RunProgress& now = figures.look({.phase = phase,
                                           .learn = loop.progress(),
                                           .finished_games = sink.finished(),
                                           .publish_ns = models.held_ns()},
                                          players->reports());
    hooks.progresses(now);
    return now;
  };
  for (RunPhase phase = RunPhase::kPlaying; players->running() > 0;) {
    std::this_thread::sleep_for(kPeriod);
    const RunOrder order = hooks.order();
    const bool late = options.minutes > 0 && figures.elapsed() >= options.minutes * 60;
    if (order == RunOrder::kDrop) {
      players->abandon();
      phase = RunPhase::kDropping;
    } else if (phase == RunPhase::kPlaying && (order == RunOrder::kFinish || late || !learning)) {
      phase = RunPhase::kFinishing;
    }
    if (phase != RunPhase::kPlaying) numbers.halt();
    look(phase);
  }
  const Result<void> played = players->join();
  queue.close();
  while (learning) {
    std::this_thread::sleep_for(kPeriod / 2);
    look(RunPhase::kSaving);
  }
  trainer_thread.join();
  const RunProgress& last = look(RunPhase::kSaving);
  figures.record();
  figures.end(!trained ? trained.error().reason() : !played ? played.error().reason() : "ended");
  const std::uint64_t lost = sink.refused() + queue.size();
  if (!trained && lost > 0) {
    return fail(fmt::format("{}; {} more finished games could not be written",
                            trained.error().reason(), lost));
  }
  if (!trained) return trained.error();
  if (!played) return played.error();
  return RunSummary{last, options.folder / "weights" / "latest.safetensors"};
}

Result<RunSummary> run(const RunGame& game, const RunConfig& config, const RunOptions& options,
                       const RunHooks& hooks) {
  Result<Run> opened = Run::open(game, config, options, hooks.warning);
  if (!opened) return opened.error();
  return opened->play(hooks);
}

}  // namespace senet
