// A whole run of a game: workers that play against themselves, a thread that learns from their
// games, and the calling thread, which watches both. `senet selfplay` is one; so is a program that
// trains a game of its own (senet/train.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "nn/network.hpp"
#include "selfplay/record_log.hpp"
#include "train_bridge/checkpoint.hpp"
#include "train_bridge/choose_trainer.hpp"
#include "train_bridge/run_config.hpp"
#include "train_bridge/training_loop.hpp"

namespace senet {

/// What differs between two calls that work on the same run.
struct RunOptions {
  std::filesystem::path folder = {};  // the run folder
  bool resume = false;  // go on from what is there; else the folder must not hold a run
  std::filesystem::path weights = {};  // start from these instead of fresh ones; empty: fresh
  double minutes = 0;                  // stop after this time; 0: no limit
  std::uint64_t games = 0;             // stop after so many games of this call; 0: no limit
  bool train = true;                   // false: play and record only
  TrainerChoice trainer = {};          // what learns, on this machine
};

/// What a run is doing.
enum class RunPhase : std::uint8_t {
  kPlaying,
  kFinishing,  // no new games begin, those under way are played to their end
  kDropping,   // the games under way are left where they are
  kSaving,     // what was played is learnt from, weights and checkpoint are written
};

/// How far a run has come. All but what `learn` says is of this call.
struct RunProgress {
  RunPhase phase = RunPhase::kPlaying;
  double seconds = 0;         // since this call began to play
  double seconds_before = 0;  // those of the run's earlier calls
  LearnProgress learn;
  std::uint64_t searches = 0, visits = 0;
  std::uint64_t evaluations = 0;      // rows that networks answered
  std::uint64_t hand_over_waits = 0;  // times that a lane found the learner's queue full
  std::uint64_t finished_games = 0;   // of players, learnt from or not
  /// Times that workers took over published weights, what that took them, waiting for the weights
  /// included, and the longest of these; for how long publications kept them from the weights.
  std::uint64_t swaps = 0, swap_ns = 0, longest_swap_ns = 0, publish_ns = 0;
  double games_per_minute = 0;  // rates of the last whole second or more
  double evaluations_per_second = 0;
};

/// What a run begins with.
struct RunBeginning {
  const RunConfig& config;   // with the number of workers and the evaluator that it has chosen
  std::uint64_t network;     // Network::id() of the weights that play first
  std::string_view trainer;  // "cpu, 1 thread"
};

enum class RunOrder : std::uint8_t {
  kGoOn,
  kFinish,  // finish the games under way, learn from them, save
  kDrop,    // drop the games under way, then the same
};

/// Functions that a run calls; each may be empty. All but `learns` and `warning` are called by the
/// thread that called Run::play(), about ten times a second.
struct RunHooks {
  std::function<void(const RunBeginning&)> begins;  // once, before the first game
  std::function<void(const RunProgress&)> progresses;
  std::function<RunOrder()> order;  // a run never goes back to an earlier order
  /// Whether a game that has just ended goes to the learner; else it is dropped. By any worker.
  std::function<bool()> learns;
  /// One sentence of what is not as it was asked for: no device trains, one was lost, or figures
  /// cannot be written. By any thread of the run, one at a time.
  std::function<void(const std::string&)> warning;
};

/// How a run ended.
struct RunSummary {
  RunProgress progress;           // the last
  std::filesystem::path weights;  // the newest: folder/weights/latest.safetensors
};

/// A run whose folder is open: no other program can open it as long as this lives.
///
///   folder/config.json              the settings; written last when a run begins, so that a folder
///                                   that has them can be gone on with
///   folder/games.senet              every finished game (docs/record-format.md)
///   folder/weights/NNNNNN.safetensors, latest.safetensors   000000: those it began with; see
///                                   save_to_weights_folder()
///   folder/checkpoint.safetensors   optimiser and counters
///   folder/metrics.jsonl            one line of figures every ten seconds and at the end
class Run {
 public:
  /// Reads what the run starts from and opens its folder, which it makes where there is none.
  /// Whatever is wrong with settings, weights or folder is the reason, and nothing but the folder
  /// was made. The table outlives the run. Only warning() of the hooks is called.
  static Result<Run> open(const RunGame& game, const RunConfig& config, const RunOptions& options,
                          const std::function<void(const std::string&)>& warning = {});

  /// Plays and learns until a limit is reached or an order says so; then finishes or drops the
  /// games under way, learns from them, saves everything and returns. Once. The reason when a
  /// worker cannot start or a file cannot be written: games that are not in the log are never
  /// learnt from.
  ///
  /// Starts config.selfplay.workers threads and one that learns, which may start its own
  /// (config.learn.trainer.threads); all have ended when this returns. Sets the number of
  /// OpenBLAS's threads to one, for the whole process.
  Result<RunSummary> play(const RunHooks& hooks = {});

  const std::filesystem::path& folder() const { return options_.folder; }

 private:
  /// What a run goes on from: its checkpoint, or the weights it was given, or fresh ones.
  struct Start {
    Network network;
    std::optional<Checkpoint> checkpoint;
  };

  Run(const RunGame& game, RunConfig config, RunOptions options, Start start, RecordLog log)
      : game_(&game),
        config_(std::move(config)),
        options_(std::move(options)),
        start_(std::move(start)),
        log_(std::move(log)) {}
  static Result<Start> start_of(const RunConfig& config, const RunOptions& options);

  const RunGame* game_;
  RunConfig config_;
  RunOptions options_;
  Start start_;
  RecordLog log_;
};

/// Opens a run and plays it.
Result<RunSummary> run(const RunGame& game, const RunConfig& config, const RunOptions& options,
                       const RunHooks& hooks = {});

}  // namespace senet
