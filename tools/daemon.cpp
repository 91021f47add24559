#include "tools/daemon.hpp"

#include <absl/cleanup/cleanup.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <optional>
#include <thread>

#include "games/json.hpp"
#include "selfplay/selfplay_threads.hpp"
#include "tools/programs.hpp"
#include "tools/resident_memory.hpp"
#include "tools/stop_signals.hpp"
#include "train_bridge/linear_algebra.hpp"
#include "train_bridge/training_loop.hpp"

namespace senet {
namespace {

using Clock = std::chrono::steady_clock;

struct Totals {
  std::uint64_t rows = 0, searches = 0, visits = 0, waits = 0, forwards = 0;
};

Totals sum(const std::deque<WorkerReport>& reports) {
  Totals totals;
  for (const WorkerReport& report : reports) {
    totals.rows += report.rows.load(std::memory_order_relaxed);
    totals.searches += report.searches.load(std::memory_order_relaxed);
    totals.visits += report.visits.load(std::memory_order_relaxed);
    totals.waits += report.waits.load(std::memory_order_relaxed);
    totals.forwards += report.forwards.load(std::memory_order_relaxed);
  }
  return totals;
}

std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds);
  return fmt::format("{:02}:{:02}", whole / 60, whole % 60);
}

// The live line on a terminal, now and then a line of a log elsewhere; and metrics.jsonl for
// programs.
class Watch {
 public:
  /// `games` of earlier calls are not counted in the rates, their `seconds` are in metrics.jsonl.
  Watch(const std::filesystem::path& metrics, bool quiet, std::uint64_t games, double seconds)
      : quiet_(quiet),
        terminal_(isatty(STDERR_FILENO) != 0),
        metrics_(metrics, std::ios::app),
        before_(seconds),
        games_(games) {}
  ~Watch() {
    if (terminal_ && !quiet_) std::fputc('\n', stderr);
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// `doing` is a text that lives on.
  void show(const LearnProgress& learn, const Totals& play, std::string_view doing) {
    const double now = elapsed();
    if (now - counted_at_ >= 1) {
      rate_ = static_cast<double>(learn.games - games_) / (now - counted_at_) * 60;
      rows_rate_ = static_cast<double>(play.rows - rows_) / (now - counted_at_);
      games_ = learn.games, rows_ = play.rows, counted_at_ = now;
    }
    if (!quiet_ && (terminal_ || now - said_at_ >= 10 || doing != said_)) {
      said_at_ = now;
      said_ = doing;
      std::string line = fmt::format(
          "{} {} | {} games, {:.0f}/min | {:.0f} K evaluations/s | step {}, network {} | loss "
          "{:.3f} "
          "+ {:.3f} | {:.0f} MiB",
          clock_text(now), doing, learn.games, rate_, rows_rate_ / 1000, learn.steps,
          learn.iterations, learn.policy_loss, learn.value_loss, resident_mib());
      // A longer line would wrap, and every refresh would leave its first half behind.
      if (terminal_)
        line = "\r\x1b[K" + line.substr(0, terminal_columns() - 1);
      else
        line += '\n';
      // A terminal that has gone is no reason to end: whatever this cannot say, metrics.jsonl does.
      static_cast<void>(std::fputs(line.c_str(), stderr));
      std::fflush(stderr);
    }
    if (now - recorded_at_ >= 10) record(learn, play);
  }

  /// Adds a line to metrics.jsonl.
  void record(const LearnProgress& learn, const Totals& play) {
    const double now = elapsed();
    recorded_at_ = now;
    // Of all threads since this process began; unlike `seconds` the same on a busy machine.
    const double cpu_seconds = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    metrics_ << Json::object({{"seconds", before_ + now},
                              {"cpu_seconds", cpu_seconds},
                              {"games", learn.games},
                              {"positions", learn.positions},
                              {"games_per_minute", rate_},
                              {"evaluations_per_second", rows_rate_},
                              {"searches", play.searches},
                              {"visits", play.visits},
                              {"hand_over_waits", play.waits},
                              {"steps", learn.steps},
                              {"dropped_steps", learn.dropped_steps},
                              {"skipped_steps", learn.skipped_steps},
                              {"networks", learn.iterations},
                              {"train_seconds", learn.train_seconds},
                              {"policy_loss", learn.policy_loss},
                              {"value_loss", learn.value_loss},
                              {"turns_per_game", learn.mean_plies},
                              {"resident_mib", resident_mib()}})
                    .dump()
             << std::endl;
  }

  double elapsed() const { return seconds(Clock::now() - began_); }

 private:
  static double seconds(Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  }

  const bool quiet_, terminal_;
  std::ofstream metrics_;
  const Clock::time_point began_ = Clock::now();
  const double before_;
  std::string_view said_;
  double counted_at_ = 0, said_at_ = -10, recorded_at_ = 0, rate_ = 0, rows_rate_ = 0;
  std::uint64_t games_, rows_ = 0;
};

// Files that were being written when a process was killed. Nobody else writes here: the game log is
// ours.
void remove_half_written(const std::filesystem::path& folder) {
  std::error_code unknown;
  for (const auto& entry : std::filesystem::directory_iterator(folder, unknown)) {
    if (entry.path().extension() == ".tmp") std::filesystem::remove(entry.path(), unknown);
  }
}

// What a run goes on from: its checkpoint, or the weights it was given, or fresh ones.
struct RunStart {
  Network network;
  std::optional<Checkpoint> checkpoint;
};

Result<RunStart> start_of(const RunConfig& config, const DaemonOptions& options) {
  const auto checkpoint_file = options.folder / "checkpoint.safetensors";
  std::error_code unknown;
  if (options.resume && std::filesystem::exists(checkpoint_file, unknown)) {
    if (!options.weights.empty()) return fail("--weights: the run has weights of its own");
    Result<Checkpoint> checkpoint = load_checkpoint(checkpoint_file, config.network);
    if (!checkpoint) return checkpoint.error();
    Network network(config.network, checkpoint->trainer.ema);
    return RunStart{std::move(network), std::move(*checkpoint)};
  }
  if (options.weights.empty()) {
    return RunStart{initial_network(config.network, config.selfplay.play.seed), std::nullopt};
  }
  Result<Network> given = load_network(options.weights);
  if (!given) return fail("--weights: " + given.error().reason());
  NetworkSpec shape = given->spec();
  shape.evaluates = config.network.evaluates;
  if (shape != config.network) {
    return fail(fmt::format("--weights: {}: its shape is not the run's (--width, --blocks ...)",
                            options.weights.string()));
  }
  const std::span<const float> parameters = given->parameters();
  return RunStart{Network(std::move(shape), {parameters.begin(), parameters.end()}), std::nullopt};
}

// The run's folder with its game log, which nobody else can open from now on.
Result<RecordLog> open_folder(const DaemonOptions& options, std::string_view game) {
  std::error_code error;
  std::filesystem::create_directories(options.folder / "weights", error);
  if (error) return fail(fmt::format("{}: {}", options.folder.string(), error.message()));
  Result<RecordLog> log = RecordLog::open(options.folder / "games.senet", game, {});
  if (!log) return log;
  const RecoveryReport& found = log->recovery();
  if (!options.resume && found.records > 0) {
    return fail(fmt::format("{} holds games but no settings of a run", options.folder.string()));
  }
  if (found.moved_bytes > 0) {
    fmt::print(stderr, "game log: {} damaged bytes at its end were moved to {}\n",
               found.moved_bytes, found.moved_to.string());
  }
  remove_half_written(options.folder);
  remove_half_written(options.folder / "weights");
  return log;
}

// All that a run needs, read and found good, its folder opened.
struct Prepared {
  const Programs* programs;
  RunConfig config;
  DaemonOptions options;
  RunStart start;
  RecordLog log;
};

Result<void> run(Prepared& prepared) {
  const Programs& programs = *prepared.programs;
  StopSignals signals(StopSignals::Mode::kEach);
  RunConfig& config = prepared.config;
  const DaemonOptions& options = prepared.options;
  RunStart* const start = &prepared.start;
  const RunConfig as_given = config;
  if (config.selfplay.workers == 0) config.selfplay.workers = default_workers();
  WorkerSettings& worker = config.selfplay.worker;
  worker.visits = config.selfplay.play.full_visits;
  worker.evaluator =
      resolve_kind(worker.evaluator, start->network, worker.batch_rows, worker.exact);
  if (!options.train) config.learn.samples_per_position = 0;

  use_single_threaded_blas();
  const TrainBatch::Shape shape = batch_shape(programs.shape, config.learn);
  TrainerChoice choice = options.trainer;
  choice.steps_at_risk = config.learn.steps_per_iteration;
  choice.replay = replay_room(programs.shape, config.learn);
  ChosenTrainer chosen = choose_trainer(
      choice, start->network, shape, config.learn.trainer, [](const std::string& reason) {
        fmt::print(stderr,
                   "\nsenet selfplay: the device was lost, the CPU trains from now on: {}\n",
                   reason);
      });
  for (const std::string& warning : chosen.warnings) {
    fmt::print(stderr, "senet selfplay: {}\n", warning);
  }
  const std::unique_ptr<Trainer> trainer = std::move(chosen.trainer);
  if (start->checkpoint) {
    const auto restored = trainer->restore(start->checkpoint->trainer);
    if (!restored) return restored;
  }
  trainer->warm_up();

  const std::uint64_t network_id = start->network.id();
  ModelStore models(std::move(start->network));
  BoundedQueue<GameRecord> queue(config.queue_games);
  QueueSink sink(queue);
  const std::unique_ptr<Replay> replay = programs.make_replay(config.learn);
  TrainingLoop loop({.settings = config.learn,
                     .replay = *replay,
                     .trainer = *trainer,
                     .log = prepared.log,
                     .games = queue,
                     .models = models,
                     .seed = config.selfplay.play.seed,
                     .folder = options.folder},
                    start->checkpoint.value_or(Checkpoint{}));
  if (const auto refilled = loop.refill(options.folder / "games.senet"); !refilled) return refilled;
  // The settings come last: a folder that has them has all that --resume needs.
  if (!start->checkpoint) {
    if (const auto saved = loop.save(); !saved) return saved;
  }
  if (const auto saved = save_config(as_given, options.folder / "config.json"); !saved)
    return saved;
  const std::uint64_t first = loop.next_game();
  GameNumbers numbers(
      first, options.games > 0 ? first + options.games : std::numeric_limits<std::uint64_t>::max());

  fmt::print(
      stderr,
      "{} | {} workers x {} lanes, {} visits | network {} ({} parameters) | trainer {} | {}\n",
      config.game, config.selfplay.workers, config.selfplay.worker.lanes,
      config.selfplay.play.full_visits, id_text(network_id), parameter_count(config.network),
      chosen.description, options.folder.string());
  Watch watch(options.folder / "metrics.jsonl", options.quiet, loop.progress().games,
              start->checkpoint ? start->checkpoint->seconds : 0);
  const std::unique_ptr<AnySelfPlayThreads> players =
      programs.start_selfplay(config.selfplay, models, numbers, sink);
  Result<void> learnt;
  std::atomic<bool> learning{true};
  std::jthread learner([&] {
    learnt = loop.run();
    // Whoever still plays must not wait for a learner that has gone.
    queue.close();
    learning = false;
  });
  // Whatever throws here leaves nobody waiting.
  const absl::Cleanup close_queue = [&] { queue.close(); };

  std::string_view doing = "playing";
  bool told = false;
  while (players->running() > 0) {
    const bool told_now = signals.wait(std::chrono::milliseconds(250));
    const bool late = options.minutes > 0 && watch.elapsed() >= options.minutes * 60;
    if (told_now && told) {
      players->abandon();
      doing = "leaving the games under way";
    } else if (told_now || late || !learning) {
      numbers.halt();
      doing = "finishing the games under way";
    }
    told |= told_now;
    watch.show(loop.progress(), sum(players->reports()), doing);
  }
  const Result<void> played = players->join();
  queue.close();
  while (learning) {
    signals.wait(std::chrono::milliseconds(50));
    watch.show(loop.progress(), sum(players->reports()), "saving");
  }
  learner.join();
  watch.record(loop.progress(), sum(players->reports()));
  const std::uint64_t lost = sink.refused() + queue.size();
  if (!learnt && lost > 0) {
    return fail(fmt::format("{}; {} more finished games could not be written",
                            learnt.error().reason(), lost));
  }
  return learnt ? played : learnt;
}

}  // namespace

Result<Job> prepare_daemon(const RunConfig& config, const DaemonOptions& options) {
  const Result<const Programs*> programs = find_game<Programs>(config.game);
  if (!programs) return programs.error();
  RunConfig complete = config;
  complete.network.evaluates = config.selfplay.worker.search.evaluates;
  Result<RunStart> start = start_of(complete, options);
  if (!start) return start.error();
  Result<RecordLog> log = open_folder(options, config.game);
  if (!log) return log.error();
  return Job([prepared = Prepared{*programs, std::move(complete), options, std::move(*start),
                                  std::move(*log)}]() mutable { return run(prepared); });
}

}  // namespace senet
