#include "train_bridge/run.hpp"

#include <absl/cleanup/cleanup.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <random>
#include <span>
#include <thread>
#include <utility>

#include "games/json.hpp"
#include "nn/file.hpp"
#include "selfplay/parked_file.hpp"
#include "train_bridge/run_figures.hpp"
#include "train_bridge/run_lock.hpp"
#include "train_bridge/stall_watch.hpp"

namespace senet {
namespace {

using Clock = std::chrono::steady_clock;

// Interval between checks of orders, limits and metrics.
constexpr std::chrono::milliseconds kPeriod{100};
// For a checkpoint's copies of the games in play.
constexpr std::chrono::milliseconds kLongestPark{2000};

// Files of the run folder.
constexpr const char* kConfigFile = "config.json";
constexpr const char* kChangesFile = "changes.jsonl";
constexpr const char* kParkedFile = "parked.senet";
constexpr const char* kWeightsFolder = "weights";
constexpr const char* kLatestFile = "latest.safetensors";

// "1 record", "2 records".
std::string count_of(std::uint64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

// When this share of the planned run is done.
std::uint32_t visit_limit(const PlaySettings& play, double done) {
  const float limit = play.visit_limit.at(done);
  if (limit == 0) return std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::max(std::lround(limit), 1l));
}

// Removes files of ours that a killed process left half-written. The folder's lock excludes other
// writers.
void remove_half_written(const std::filesystem::path& folder, bool (*is_ours)(std::string_view)) {
  std::error_code error, unknown;
  std::filesystem::directory_iterator at(folder, error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    const bool is_file = at->symlink_status(unknown).type() == std::filesystem::file_type::regular;
    if (is_file && is_ours(replaced_name(at->path()))) {
      std::filesystem::remove(at->path(), unknown);
    }
  }
}

// Warns of everything that opening the log showed. `existed`: whether its file did.
void warn_of_log(const GameLog& log, const RunOptions& options, bool existed,
                 const std::optional<Checkpoint>& checkpoint,
                 const std::function<void(const std::string&)>& warning) {
  const RecoveryReport& found = log.recovery();
  for (const std::string& text : log.warnings()) warning("game log: " + text);
  if (options.resume && found.created) {
    std::string text =
        fmt::format("game log: {} {}: a new log was begun", log.growing_file().string(),
                    existed ? "contained no games" : "was missing");
    if (checkpoint && log.segments().empty()) {
      text += fmt::format(", without the {} that the checkpoint counts",
                          count_of(checkpoint->games, "game"));
    }
    warning(text);
  } else if (checkpoint && log.position() < LogPosition(checkpoint->log_position)) {
    const LogPosition now = log.position(), then(checkpoint->log_position);
    const bool is_same = now.number() == then.number();
    warning(fmt::format(
        "game log: its end is missing: it has {} {}, but had {} when the checkpoint was written",
        is_same ? now.offset() : now.number(), is_same ? "bytes" : "files",
        is_same ? then.offset() : then.number()));
  }
  if (found.damaged_bytes > 0) {
    warning(fmt::format("game log: skipped {} in {}", count_of(found.damaged_bytes, "damaged byte"),
                        count_of(found.damaged_places, "place")));
  }
  if (found.moved_bytes > 0) {
    warning(fmt::format("game log: {} damaged bytes at the end were moved to {}", found.moved_bytes,
                        found.moved_to.string()));
  }
}

// Warns of the records of `log` that a run cannot or must not learn from.
void warn_of_records(const std::string& log, const RefillReport& found, std::uint64_t games,
                     const std::function<void(const std::string&)>& warning) {
  const auto warn_of_skipped = [&](const SkippedRecords& skipped, std::string_view what) {
    if (skipped.count == 0) return;
    const std::string file = skipped.first_in.filename().string();
    warning(fmt::format("{}: skipped {} that {}, the first at byte {}{}: {}", log,
                        count_of(skipped.count, "record"), what, skipped.first_at,
                        file == kGrowingFile ? "" : " of " + file, skipped.first_reason));
  };
  for (const std::string& reason : found.unreadable) warning(log + ": " + reason);
  warn_of_skipped(found.undecodable, "cannot be decoded");
  warn_of_skipped(found.illegal, found.illegal.count == 1 ? "breaks the rules" : "break the rules");
  if (found.doubled > 0) {
    warning(fmt::format("{}: skipped {} of games that occur earlier in it", log,
                        count_of(found.doubled, "record")));
  }
  if (found.missing > 0) {
    warning(fmt::format("{}: it lacks {} of the {} that the checkpoint counts", log, found.missing,
                        count_of(games, "game")));
  }
}

struct OpenFolder {
  FileHandle lock;
  GameLog log;
  bool had_log;  // before it was opened
};

// Opens the run folder, locks it for other processes and opens its game log.
Result<OpenFolder> open_folder(const RunOptions& options, const RunConfig& config) {
  if (options.folder.empty()) return fail("folder: name the run folder");
  std::error_code error;
  if (!options.resume && std::filesystem::exists(options.folder / kConfigFile, error)) {
    return fail(
        fmt::format("{} already holds a run: continue it with --resume, or name another folder",
                    options.folder.string()));
  }
  std::filesystem::create_directories(options.folder / kWeightsFolder, error);
  if (error) return fail(fmt::format("{}: {}", options.folder.string(), error.message()));
  Result<FileHandle> lock = lock_run(options.folder);
  if (!lock) return lock.error();
  const bool existed = std::filesystem::exists(options.folder / kGrowingFile, error);
  Result<GameLog> log = GameLog::open(options.folder, config.game, log_settings(config.learn));
  if (!log) return log.error();
  if (!options.resume && log->records() > 0) {
    return fail(fmt::format("{} contains games but no config.json", options.folder.string()));
  }
  remove_half_written(options.folder, [](std::string_view name) {
    return name == kConfigFile || name == kParkedFile || name == kMapFile ||
           is_checkpoint_name(name) || is_index_name(name);
  });
  remove_half_written(options.folder / kWeightsFolder, &is_weights_name);
  return OpenFolder{std::move(*lock), std::move(*log), existed};
}

// Gives the numbers what an earlier call left: games that were in play, and numbers of games that
// it had begun after the last checkpoint. A parked game that is in the log was finished later.
GameNumbers numbers_to_play(std::vector<GameRecord> parked, const TrainingLoop& loop,
                            std::uint64_t most) {
  std::erase_if(parked,
                [&](const GameRecord& game) { return loop.seen().contains(game.game_number); });
  SeenGames known = loop.seen();
  std::uint64_t first = loop.next_game();
  for (const GameRecord& game : parked) {
    known.add(game.game_number);
    first = std::max(first, game.game_number + 1);
  }
  const std::vector<std::uint64_t> missing = known.unseen(loop.first_open(), first);
  most = std::min(most, GameRecord::kMaxGameNumber - std::min(first, GameRecord::kMaxGameNumber));
  return {std::deque<GameRecord>(std::make_move_iterator(parked.begin()),
                                 std::make_move_iterator(parked.end())),
          std::deque<std::uint64_t>(missing.begin(), missing.end()), first, most};
}

// Adds a line for each change to the list of a run's changes. It is on the disk before config.json
// has the new values.
Result<void> record_changes(const std::filesystem::path& file, std::uint64_t games,
                            std::span<const SettingChange> changes) {
  if (changes.empty()) return {};
  std::string lines;
  for (const SettingChange& change : changes) {
    lines += json_text({{"time", unix_seconds()},
                        {"games", games},
                        {"setting", change.setting},
                        {"old", change.before},
                        {"new", change.after}}) +
             '\n';
  }
  Result<FileHandle> list = open_lines(file);
  if (!list) return list.error();
  const auto added = list->append(std::as_bytes(std::span(lines)));
  return added ? list->sync() : added;
}

// Not 0, which is no id.
std::uint64_t new_run_id() {
  std::random_device random;
  std::uint64_t id = 0;
  while (id == 0) id = (std::uint64_t{random()} << 32) | random();
  return id;
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

// The state of a new run with these weights; empty: random ones.
Result<Run::Start> Run::new_start(const RunConfig& config, const std::filesystem::path& weights) {
  if (weights.empty()) {
    return Start{initial_network(config.network, config.selfplay.play.seed), std::nullopt,
                 new_run_id()};
  }
  Result<Network> given = load_network(weights);
  if (!given) return fail("weights: " + given.error().reason());
  const std::string file = weights.string();
  if (const auto fits = check_contract(given->spec(), config.network); !fits) {
    return fail(fmt::format("weights: {}: {}", file, fits.error().reason()));
  }
  Result<Network> network = enlarged_network(*given, config.network, config.selfplay.play.seed);
  if (!network) {
    return fail(fmt::format("weights: {}: the network's shape is not the run's: {}", file,
                            network.error().reason()));
  }
  return Start{std::move(*network), std::nullopt, new_run_id()};
}

// The state of the run in the folder, whose log has so many games.
Result<Run::Start> Run::resumed_start(const RunConfig& config, const RunOptions& options,
                                      std::uint64_t games,
                                      const std::function<void(const std::string&)>& warning) {
  if (!options.weights.empty()) return fail("weights: a resumed run has its own weights");
  const std::filesystem::path& folder = options.folder;
  const Result<std::uint64_t> run_id = run_id_in(folder / kConfigFile);
  if (!run_id) return run_id.error();
  Result<FoundCheckpoint> found = find_checkpoint(folder, config.network, *run_id);
  if (!found) return found.error();
  const auto weights = folder / kWeightsFolder / kLatestFile;
  // A run that has trained would begin again, with its games but without what it has learned. One
  // that only plays has lost nothing.
  const bool has_trained = has_trained_weights(folder / kWeightsFolder);
  if (!found->checkpoint && (has_trained || (games > 0 && options.train))) {
    std::string reasons;
    for (const auto& [file, reason] : found->newer) {
      reasons.append(reasons.empty() ? " (" : "; ").append(reason);
    }
    if (!reasons.empty()) reasons += ")";
    return fail(
        fmt::format("{}: the run has no checkpoint that can be loaded{}: put one back, or "
                    "start a new run with --weights {}",
                    folder.string(), reasons, weights.string()));
  }
  if (const auto moved = move_aside(*found, warning); !moved) return moved.error();
  std::error_code unknown;
  if (!found->checkpoint) {
    const bool has_weights = std::filesystem::exists(weights, unknown);
    Result<Start> start = new_start(config, has_weights ? weights : "");
    if (start && *run_id != 0) start->run_id = *run_id;
    if (start && warning) {
      warning(fmt::format("{}: the run has no checkpoint and begins again, with {}",
                          folder.string(), has_weights ? weights.string() : "random weights"));
    }
    return start;
  }
  Checkpoint& checkpoint = *found->checkpoint;
  if (*run_id != 0) checkpoint.run_id = *run_id;
  if (checkpoint.run_id == 0) checkpoint.run_id = new_run_id();
  Network network = network_of(config.network, checkpoint.trainer, config.learn.play_weights);
  const std::uint64_t id = checkpoint.run_id;
  return Start{std::move(network), std::move(checkpoint), id};
}

Result<Run> Run::open(const RunGame& game, const RunConfig& config, const RunOptions& options,
                      const std::function<void(const std::string&)>& warning) {
  if (const auto checked = check_config(game, config); !checked) return checked.error();
  const auto starts = game.check_starts(*game.any, config.selfplay.play.starts);
  if (!starts) return starts.error();
  RunConfig complete = config;
  complete.network.evaluates = config.selfplay.worker.search.evaluates;
  // The run may be resumed from another folder.
  complete.selfplay.play.starts.sources = with_absolute_files(config.selfplay.play.starts.sources);
  std::optional<Exam> exam;
  if (std::string& labels = complete.strength.labels; !labels.empty()) {
    std::error_code unknown;
    labels = std::filesystem::absolute(labels, unknown).string();
    Result<Exam> read = read_exam(*game.any, labels);
    if (read) {
      exam = std::move(*read);
    } else {
      // Missing grades are no reason to end a run that had them.
      const auto had = options.resume ? load_config(game, options.folder / kConfigFile)
                                      : Result<RunConfig>(fail(""));
      const std::string reason = "strength-labels: " + read.error().reason();
      if (!had || had->strength.labels != labels) return fail(reason);
      if (warning) warning(reason + ": the run continues without grades");
    }
  }
  std::optional<RecordedGames> from;
  if (!options.from.empty()) {
    if (options.resume) return fail("from: only a new run learns from recorded games");
    Result<RecordedGames> games = RecordedGames::open(
        options.from, config.game,
        [&game](const GameRecord& record) { return game.check_record(*game.any, record); });
    if (!games) return games.error();
    from = std::move(*games);
  }
  Result<Start> start = fail("");
  if (!options.resume) {
    start = new_start(complete, options.weights);
    if (!start) return start.error();
  }
  // Locks the folder: only then are files of a resumed run moved.
  Result<OpenFolder> folder = open_folder(options, config);
  if (!folder) return folder.error();
  std::optional<RunConfig> before;
  if (options.resume) {
    const auto loaded = load_config(game, options.folder / kConfigFile);
    if (!loaded) return loaded.error();
    before = *loaded;
    if (const auto can = check_changes(*before, complete); !can) return can.error();
    start = resumed_start(complete, options, folder->log.records(), warning);
    if (!start) return start.error();
  }
  const std::uint64_t planned = config.learn.planned_games;
  if (planned > 0 && start->checkpoint && start->checkpoint->games >= planned) {
    return fail(
        fmt::format("planned-games: the run has played its {} games; a larger number "
                    "lengthens it",
                    planned));
  }
  const double planned_minutes = config.learn.planned_minutes;
  if (planned_minutes > 0 && start->checkpoint &&
      start->checkpoint->seconds >= planned_minutes * 60) {
    return fail(
        fmt::format("planned-minutes: the run has taken its {} minutes; a larger number "
                    "lengthens it",
                    planned_minutes));
  }
  if (warning) warn_of_log(folder->log, options, folder->had_log, start->checkpoint, warning);
  Run run(game, std::move(complete), options, std::move(*start), std::move(folder->lock),
          std::move(folder->log));
  run.before_ = std::move(before);
  run.exam_ = std::move(exam);
  run.from_ = std::move(from);
  return run;
}

Result<RunSummary> Run::play(const RunHooks& given) {
  RunHooks hooks = complete(given);
  std::mutex warning_mutex;
  hooks.warning = [&warning_mutex, warn = hooks.warning](const std::string& reason) {
    const std::lock_guard lock(warning_mutex);
    warn(reason);
  };
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
  Checkpoint from = std::move(start_.checkpoint).value_or(Checkpoint{});
  from.run_id = start_.run_id;
  if (!is_new) {
    if (const auto restored = trainer->restore(from.trainer); !restored) return restored.error();
  }
  trainer->warm_up();

  ModelStore models(std::move(start_.network));
  // Recorded games wait in their file: of those that wait here when the run is interrupted, the log
  // keeps all, but their steps are made later.
  constexpr std::size_t kRecordedGames = 16;
  BoundedQueue<GameRecord> queue(from_ ? kRecordedGames : config.queue_games);
  QueueSink sink(queue, hooks.learns);
  ParkedGames parked(config.selfplay.workers);
  const GameNumbers* waiting = nullptr;  // has parked games that no lane has taken
  const auto park = [&] {
    // In this order no game is missed; one that occurs twice is only read once.
    std::vector<GameRecord> games;
    if (waiting != nullptr) games = waiting->parked();
    for (GameRecord& game : parked.collect(kLongestPark)) games.push_back(std::move(game));
    return save_parked(options.folder / kParkedFile, config.game, games);
  };
  const float resign_threshold = config.selfplay.play.resign_below * game_->any->value_range;
  const std::unique_ptr<Replay> replay = game_->make_replay(*game_->any, config.learn);
  HardPositions hard;
  TrainingLoop loop({.settings = config.learn,
                     .replay = *replay,
                     .trainer = *trainer,
                     .log = log_,
                     .games = queue,
                     .models = models,
                     .seed = config.selfplay.play.seed,
                     .folder = options.folder,
                     .outcome_values = game_->any->outcome_values,
                     .player_count = game_->any->player_count,
                     .starts = config.selfplay.play.starts,
                     .resign_threshold = resign_threshold,
                     .warning = hooks.warning,
                     .hard = &hard,
                     .park = park,
                     .are_recorded = from_.has_value()},
                    from);
  const Result<RefillReport> refilled = loop.refill();
  if (!refilled) return refilled.error();
  RefillReport found = *refilled;
  // open() has warned of it.
  if (log_.is_new()) found.missing = 0;
  warn_of_records("game log", found, from.games, hooks.warning);
  // config.json is written last: a folder that has it has everything needed to resume.
  if (is_new) {
    if (const auto saved = loop.save(); !saved) return saved.error();
  }
  Strength strength({.game = *game_,
                     .config = config,
                     .exam = exam_ ? &*exam_ : nullptr,
                     .newest = models,
                     .number = from.iterations,
                     .folder = options.folder,
                     .learned = [&loop] { return loop.progress(); },
                     .warning = hooks.warning});
  ModelStore& playing = config.strength.gating ? strength.best() : models;
  std::vector<SettingChange> changes;
  if (before_) changes = changed_settings(*before_, config_);
  const auto recorded =
      record_changes(options.folder / kChangesFile, loop.progress().games, changes);
  if (!recorded) return recorded.error();
  if (const auto saved = save_config(config_, options.folder / kConfigFile, start_.run_id);
      !saved) {
    return saved.error();
  }
  std::uint64_t most = options.games > 0 ? options.games : GameRecord::kMaxGameNumber;
  if (const std::uint64_t planned = config.learn.planned_games; planned > 0) {
    most = std::min(most, planned - std::min(planned, loop.progress().games));
  }
  Result<ParkedFile> left = load_parked(options.folder / kParkedFile, config.game);
  if (left && left->damaged_bytes > 0) {
    hooks.warning(
        fmt::format("{}: skipped {}", kParkedFile, count_of(left->damaged_bytes, "damaged byte")));
  }
  if (!left) {
    const auto moved = move_aside(options.folder / kParkedFile);
    if (!moved) return moved.error();
    hooks.warning(fmt::format("{}: it was moved to {}, and its games begin again",
                              left.error().reason(), moved->string()));
    left = ParkedFile{};
  }
  GameNumbers numbers = numbers_to_play(std::move(left->games), loop, most);
  waiting = &numbers;

  hooks.begins(
      {config, playing.newest().weights->id(), chosen.description, loop.progress().games, changes});
  RunFigures figures(options.folder, *game_->any, config.selfplay.workers,
                     {.seconds_before = from.seconds, .learn = loop.progress()}, hooks.warning);
  figures.note(fmt::format("began after {} games", loop.progress().games));
  for (const SettingChange& change : changes) figures.note(change_text(change));
  // Workers give way to the trainer where they share processors with it, as by default on two: it
  // takes the time it needs, and they take the rest. On Linux the call is about its thread only.
  const LearnProgress begun = loop.progress();
  SelfPlayHooks worker_hooks{.parked = &parked,
                             .hard = &hard,
                             .scramble_moves = begun.scramble_moves,
                             .visits = visit_limit(config.selfplay.play, begun.planned_share)};
  std::vector<std::atomic<bool>> is_playing(config.selfplay.workers);
  worker_hooks.begins = [&](std::size_t number, AnyWorker&) {
    is_playing[number] = true;
    if (options.train) static_cast<void>(nice(10));
  };
  worker_hooks.ended = [&](std::size_t number, AnyWorker&) { is_playing[number] = false; };
  std::unique_ptr<AnySelfPlayThreads> players;
  const RecordFeed* feed = nullptr;
  if (from_) {
    auto made =
        std::make_unique<RecordFeed>(*std::move(from_), config.selfplay.workers, numbers, sink);
    feed = made.get();
    players = std::move(made);
  } else {
    players = game_->start_selfplay(*game_->any, config.selfplay, playing, numbers, sink,
                                    std::move(worker_hooks));
  }
  Result<void> trained;
  std::atomic<bool> learning{true};
  // On any exception, no thread is left waiting: neither lanes nor, below, the trainer.
  const absl::Cleanup free_lanes = [&] { queue.close(); };
  std::jthread trainer_thread([&] {
    try {
      trained = loop.run();
    } catch (const std::bad_alloc&) {
      trained = fail("replay: out of memory for training");
    } catch (const std::exception& error) {  // of a user's game
      trained = fail(fmt::format("training: {}", error.what()));
    }
    // Lanes that are still playing must not wait for a trainer that has ended.
    queue.close();
    learning = false;
  });
  const absl::Cleanup free_trainer = [&] { queue.close(); };

  strength.start();
  StallWatch stalls;
  std::vector<StallWatch::Part> parts(config.selfplay.workers + 1);
  const auto look = [&](RunPhase phase) -> const RunProgress& {
    for (const std::string& note : strength.take_notes()) {
      figures.note(note);
      hooks.note(note);
    }
    parts.back() = {learning, loop.turns()};
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      using enum WorkerReport::Counter;
      const WorkerReport& report = players->reports()[i];
      // A worker whose lanes wait for the trainer's queue counts its waits.
      parts[i] = {is_playing[i],
                  report[kForwards] + report[kRows] + report[kSearches] + report[kWaits]};
    }
    const RunProgress& now = figures.look({.phase = phase,
                                           .learn = loop.progress(),
                                           .finished_games = sink.finished(),
                                           .publish_ns = playing.held_ns(),
                                           .stalled_seconds = stalls.look(figures.elapsed(), parts),
                                           .strength = strength.progress()},
                                          players->reports());
    hooks.progresses(now);
    return now;
  };
  const auto is_late = [&] {
    const double planned = config.learn.planned_minutes;
    return (options.minutes > 0 && figures.elapsed() >= options.minutes * 60) ||
           (planned > 0 && from.seconds + figures.elapsed() >= planned * 60);
  };
  for (RunPhase phase = RunPhase::kPlaying; players->running() > 0;) {
    std::this_thread::sleep_for(kPeriod);
    const RunOrder order = hooks.order();
    // The trainer ends with the reason, even if no game is finished for a long time.
    if (!log_.is_in_place()) queue.close();
    // Other processes would not find the one that plays.
    if (lock_.place() != FileHandle::Place::kAtPath) {
      if (Result<FileHandle> lock = lock_run(options.folder)) lock_ = *std::move(lock);
    }
    // Games that cannot be written are not finished either.
    if (order == RunOrder::kPark || !learning) {
      players->abandon();
      loop.hurry();
      phase = RunPhase::kParking;
    } else if (phase == RunPhase::kPlaying &&
               (order == RunOrder::kFinish || is_late() || loop.progress().has_diverged)) {
      phase = RunPhase::kFinishing;
    }
    if (phase != RunPhase::kPlaying) {
      numbers.halt();
      strength.stop();
    }
    const LearnProgress& learn = look(phase).learn;
    players->limit_scrambles(learn.scramble_moves);
    players->limit_visits(visit_limit(config.selfplay.play, learn.planned_share));
  }
  strength.stop();
  const Result<void> played = players->join();
  if (feed != nullptr) {
    const std::string log = "from: " + options.from.string();
    warn_of_records(log, feed->left_out(), 0, hooks.warning);
    if (feed->damaged_bytes() > 0) {
      hooks.warning(
          fmt::format("{}: skipped {}", log, count_of(feed->damaged_bytes(), "damaged byte")));
    }
  }
  queue.close();
  while (learning) {
    std::this_thread::sleep_for(kPeriod / 2);
    // A game may have earned many steps.
    if (hooks.order() == RunOrder::kPark || (feed != nullptr && is_late())) loop.hurry();
    look(RunPhase::kSaving);
  }
  trainer_thread.join();
  // It has not saved them. Should that fail too, they continue from the last time.
  if (!trained) static_cast<void>(park());
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
  return RunSummary{last, options.folder / kWeightsFolder / kLatestFile};
}

Result<RunSummary> run(const RunGame& game, const RunConfig& config, const RunOptions& options,
                       const RunHooks& hooks) {
  Result<Run> opened = Run::open(game, config, options, hooks.warning);
  if (!opened) return opened.error();
  return opened->play(hooks);
}

}  // namespace senet
