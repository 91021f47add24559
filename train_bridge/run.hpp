// A whole run of a game: self-play workers, a training thread, and the calling thread, which
// supervises both. Used by `senet selfplay` and by programs that train their own games
// (senet/train.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/lanes/any_worker.hpp"
#include "nn/file.hpp"
#include "nn/network.hpp"
#include "selfplay/game_log.hpp"
#include "train_bridge/checkpoint.hpp"
#include "train_bridge/choose_trainer.hpp"
#include "train_bridge/record_feed.hpp"
#include "train_bridge/run_config.hpp"
#include "train_bridge/strength.hpp"
#include "train_bridge/training_loop.hpp"

namespace senet {

/// Options of one call; they may differ between two calls on the same run.
struct RunOptions {
  std::filesystem::path folder = {};  // the run folder
  bool resume = false;  // continue the run in the folder; else the folder must not contain a run
  std::filesystem::path weights = {};  // initial weights; empty: random
  double minutes = 0;                  // stop after this time; 0: no limit
  std::uint64_t games = 0;             // stop after this many games of this call; 0: no limit
  bool train = true;                   // false: play and record only
  /// A game log or a run folder: a new run learns from these games in place of playing. They
  /// become its own. Empty: it plays.
  std::filesystem::path from = {};
  TrainerChoice trainer = {};  // where to train
};

/// The phases of a run.
enum class RunPhase : std::uint8_t {
  kPlaying,
  kFinishing,  // no new games begin; games in progress are finished
  kParking,    // games in play are left where they are
  kSaving,     // trains on the remaining games, then writes weights and checkpoint
};

/// What a run does in a phase: "parking the games in play".
constexpr std::string_view name_of(RunPhase phase) {
  constexpr std::array<std::string_view, 4> kNames = {"playing", "finishing the games in play",
                                                      "parking the games in play", "saving"};
  return kNames[static_cast<std::size_t>(phase)];
}

/// Rates over ten seconds; at the start over the time so far.
struct RunRates {
  double games_per_minute = 0;
  double evaluations_per_second = 0;
  double visits_per_second = 0;
  double steps_per_second = 0;
  double samples_per_second = 0;
  double batch_fill = 0;     // rows of a batch
  double trainer_share = 0;  // of the time, spent in training steps
  double cores = 0;          // processor time per second
  StageShares shares = {};   // of all workers together
};

/// Progress of a run. Everything except `learn` and `strength` refers to this call.
struct RunProgress {
  RunPhase phase = RunPhase::kPlaying;
  double seconds = 0;         // since this call began to play
  double seconds_before = 0;  // of the run's earlier calls
  LearnProgress learn;
  std::uint64_t searches = 0, visits = 0;
  std::uint64_t evaluations = 0;      // rows evaluated by networks
  std::uint64_t cache_hits = 0;       // ... of these, taken from the evaluation cache
  std::uint64_t hand_over_waits = 0;  // times a lane found the trainer's queue full
  std::uint64_t finished_games = 0;   // games finished by self-play, trained on or not
  /// How often workers switched to published weights; the total and the longest time of a switch,
  /// including the wait for the weights; and the time for which publications blocked access to the
  /// weights.
  std::uint64_t swaps = 0, swap_ns = 0, longest_swap_ns = 0, publish_ns = 0;
  std::uint64_t forwards = 0;  // batches evaluated
  double cpu_seconds = 0;      // processor time of all threads since the process began
  double resident_mib = 0;
  /// The longest time for which a worker or the trainer has made no progress. One that waits, for
  /// games, for the other or for room on the disk, is not stuck.
  double stalled_seconds = 0;
  StrengthProgress strength = {};  // of the run

  RunRates rates = {};
};

/// The start of a run.
struct RunBeginning {
  const RunConfig& config;                 // with the chosen number of workers and evaluator
  std::uint64_t network;                   // Network::id() of the first weights used in self-play
  std::string_view trainer;                // "cpu, 1 thread"
  std::uint64_t games;                     // in the run's log before this call
  std::span<const SettingChange> changes;  // of a resumed run
};

enum class RunOrder : std::uint8_t {
  kContinue,
  kFinish,  // finish the games in play, train on them, save
  kPark,    // park the games in play: a resumed run continues them; train no more, save
};

/// Callbacks of a run; each may be empty. All except `learns` and `warning` are called on the
/// thread that called Run::play(), about ten times per second.
struct RunHooks {
  std::function<void(const RunBeginning&)> begins;  // once, before the first game
  std::function<void(const RunProgress&)> progresses;
  std::function<RunOrder()> order;  // a run never returns to an earlier order
  /// Whether a finished game is passed to the trainer; else it is dropped. Called by any worker.
  std::function<bool()> learns;
  /// A one-sentence warning: no device is available for training, a device was lost, metrics cannot
  /// be written, training returned to the last checkpoint because values were not finite, or the
  /// log of a resumed run is not as it was: missing, shorter, damaged, or with games twice. Called
  /// by any thread of the run, one at a time.
  std::function<void(const std::string&)> warning;
  /// A sentence about a choice that the run made, such as why no device trains, or the result of a
  /// match.
  std::function<void(const std::string&)> note;
};

/// The result of a finished run.
struct RunSummary {
  RunProgress progress;           // final values
  std::filesystem::path weights;  // the newest: folder/weights/latest.safetensors
};

/// An open run. No other program can open its folder during the lifetime of this object.
///
///   folder/lock                     locked by the program that has the run open; contains its
///                                   process id
///   folder/config.json              the settings and the run's id; written last when a run begins,
///                                   so that a folder with this file can be resumed
///   folder/changes.jsonl            a line for each setting that a resumed run changed
///   folder/games.senet              finished games (docs/record-format.md); before them those of
///   games.NNNNNN.senet              closed files, each with its games.NNNNNN.index
///   folder/parked.senet             the games in play at the last checkpoint
///   folder/weights/NNNNNN.safetensors, latest.safetensors   000000: the initial weights; see
///                                   save_to_weights_folder()
///   folder/weights/best.safetensors, strength.jsonl   the best network and the ledger of matches;
///                                   see Strength
///   folder/checkpoint.safetensors   optimiser and counters; before it checkpoint.N.safetensors;
///   see
///                                   keep_checkpoint()
///   folder/metrics.jsonl            one line of metrics every ten seconds and at the end
class Run {
 public:
  /// Reads the initial state of the run and opens its folder, which is created if missing. Fails
  /// when settings, weights or folder are unusable; nothing but the folder is created then. A
  /// resumed run continues from the newest checkpoint that can be loaded; newer ones are moved
  /// aside with a warning; settings that differ from config.json are recorded, and those that
  /// cannot change are refused (check_changes). Fails when there is none although the run has
  /// trained or, unless this call only plays, has games, and when a checkpoint is of another run.
  /// The table outlives the run. `warning` as in RunHooks.
  static Result<Run> open(const RunGame& game, const RunConfig& config, const RunOptions& options,
                          const std::function<void(const std::string&)>& warning = {});

  /// Plays and trains until a limit is reached or an order ends the run; then finishes or parks the
  /// games in play, trains on the remaining games, saves everything and returns. May be called
  /// once. A resumed run first continues the parked games, then plays the numbers that an earlier
  /// call began and did not finish.  Fails when a worker cannot start or a file cannot be written:
  /// games that are not in the log are never trained on. Also fails, within seconds, when the log
  /// is moved or removed.
  ///
  /// Starts config.selfplay.workers threads, a training thread, which may start its own threads
  /// (config.learn.trainer.threads), and a thread for matches; all have ended when this returns.
  Result<RunSummary> play(const RunHooks& hooks = {});

  const std::filesystem::path& folder() const { return options_.folder; }

 private:
  /// The initial state of a run: its checkpoint, or the given weights, or random ones.
  struct Start {
    Network network;
    std::optional<Checkpoint> checkpoint;
    std::uint64_t run_id;
  };

  Run(const RunGame& game, RunConfig config, RunOptions options, Start start, FileHandle lock,
      GameLog log)
      : game_(&game),
        config_(std::move(config)),
        options_(std::move(options)),
        start_(std::move(start)),
        lock_(std::move(lock)),
        log_(std::move(log)) {}
  static Result<Start> new_start(const RunConfig& config, const std::filesystem::path& weights);
  static Result<Start> resumed_start(const RunConfig& config, const RunOptions& options,
                                     std::uint64_t games,
                                     const std::function<void(const std::string&)>& warning);

  const RunGame* game_;
  RunConfig config_;
  RunOptions options_;
  Start start_;
  FileHandle lock_;
  GameLog log_;
  std::optional<RunConfig> before_;    // the settings of a resumed run so far
  std::optional<Exam> exam_;           // of the labels
  std::optional<RecordedGames> from_;  // the games to learn from
};

/// Opens a run and plays it.
Result<RunSummary> run(const RunGame& game, const RunConfig& config, const RunOptions& options,
                       const RunHooks& hooks = {});

}  // namespace senet
