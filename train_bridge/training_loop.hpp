// The training side of a run: takes finished games and publishes new weights, in parallel with
// self-play and with a bounded backlog.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/lanes/bounded_queue.hpp"
#include "engine/lanes/model_store.hpp"
#include "selfplay/curriculum.hpp"
#include "selfplay/game_exchange.hpp"
#include "selfplay/game_log.hpp"
#include "selfplay/hard_positions.hpp"
#include "selfplay/resignation.hpp"
#include "selfplay/seen_games.hpp"
#include "train_bridge/checkpoint.hpp"
#include "train_bridge/learn_settings.hpp"
#include "train_bridge/replay_buffer.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {

/// Passes games to another thread through a bounded queue.
class QueueSink final : public GameSink {
 public:
  /// `learns`: whether to pass a game on or drop it; empty: pass all on.
  explicit QueueSink(BoundedQueue<GameRecord>& queue, std::function<bool()> learns = {})
      : queue_(queue), learns_(std::move(learns)) {}
  /// When the queue is closed, games count as refused, so that their lanes can end.
  bool offer(GameRecord& record) override {
    const bool keep_going = !learns_ || learns_();
    if (keep_going && !queue_.try_push(std::move(record))) {
      if (!queue_.closed()) return false;
      refused_.fetch_add(1, std::memory_order_relaxed);
    }
    finished_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  bool is_closed() const { return queue_.closed(); }
  std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }
  /// All games taken: passed on, dropped or refused.
  std::uint64_t finished() const { return finished_.load(std::memory_order_relaxed); }

 private:
  BoundedQueue<GameRecord>& queue_;
  const std::function<bool()> learns_;
  std::atomic<std::uint64_t> refused_{0}, finished_{0};
};

/// A snapshot of the progress of training.
struct LearnProgress {
  std::uint64_t games = 0;
  std::uint64_t positions = 0;
  std::uint64_t steps = 0;
  std::uint64_t iterations = 0;
  std::uint64_t skipped_steps = 0;  // steps skipped because a value was not finite
  std::uint64_t rollbacks = 0;      // times that the last checkpoint's state returned
  bool has_diverged = false;        // training has ended; games are only written to the log
  double dropped_steps = 0;         // earned by self-play beyond the limit
  double train_seconds = 0;
  double planned_share = 0;  // of the planned run that is done
  float policy_loss = 0;     // exponential moving averages
  float value_loss = 0;
  float mean_plies = 0;              // turns per game
  float draw_share = 0;              // of the newest games, about 200
  std::uint32_t scramble_moves = 0;  // most of a scramble that a game starts from; 0: none does
  /// Of the newest games that started from scrambles; NaN while unknown.
  float solved_share = std::numeric_limits<float>::quiet_NaN();
  float learning_rate = 0;
  float gradient_norm = 0;        // before clipping; an average like the losses
  double draws_per_position = 0;  // samples drawn so far per position of the run
  std::size_t batch_rows = 0;     // samples of a step
  std::uint64_t replay_positions = 0, replay_games = 0;
  double replay_seconds = 0;  // since its oldest game came, or since the program read it
  Resignations resignations;  // of the games since the program began
};

/// What TrainingLoop::refill() found in the log.
struct RefillReport {
  SkippedRecords undecodable;
  SkippedRecords illegal;     // records that break the rules; they count as games without positions
  std::uint64_t doubled = 0;  // records of games that occur earlier in the log; skipped
  std::uint64_t missing = 0;  // games that the checkpoint counts and the log lacks
  std::vector<std::string> unreadable;  // why closed files of the log could not be opened
};

/// Takes finished games from a queue, appends them to the log, keeps the newest positions, trains,
/// and publishes weights. run() belongs to one thread; progress() may be called by any.
class TrainingLoop {
 public:
  /// All references outlive the loop. The replay is empty; the trainer is warmed up and has the
  /// state of the checkpoint.
  struct Parts {
    const LearnSettings& settings;
    Replay& replay;
    Trainer& trainer;
    GameLog& log;
    BoundedQueue<GameRecord>& games;
    ModelStore& models;
    std::uint64_t seed;
    std::filesystem::path folder;                // where weights/ and the checkpoints are written
    std::span<const float> outcome_values = {};  // of the game, which outlives the loop
    int player_count = 2;                        // of the game
    StartSettings starts = {};                   // of its games
    float resign_threshold = 0;                  // in points; 0: no player resigns
    std::function<void(const std::string&)> warning = {};  // called on the thread of run()
    HardPositions* hard = nullptr;            // of games that start there; null: no game does
    std::function<Result<void>()> park = {};  // saves the games in play, before each checkpoint
    /// The games were recorded before, perhaps by another run. They wait until all steps that those
    /// before them earned have been made, so that no step is dropped; and the curriculum does not
    /// count them.
    bool are_recorded = false;
  };

  /// So many skipped steps in a row bring back the last checkpoint's state. More than a device's
  /// search for its loss scale can take.
  static constexpr std::uint64_t kMostSkipped = 50;
  /// The run ends when this has happened so many times without a newer checkpoint in between.
  static constexpr int kMostRollbacks = 3;

  TrainingLoop(const Parts& parts, const Checkpoint& from);

  /// Adds the games of the log from `replay_begin` on to the replay; call before run(). Games that
  /// had not been trained on at the checkpoint count as new. No game is added twice. Reads the
  /// growing file and those closed ones that it needs; of all others the index is enough.
  Result<RefillReport> refill();
  /// Number of the first game after all those in the log.
  std::uint64_t next_game() const { return done_.next_game; }
  /// Number of the first game that is not in the log.
  std::uint64_t first_open() const { return seen_.first_unseen(done_.first_open); }
  /// The games in the log, except old ones whose numbers are missing (SeenGames). Call before
  /// run().
  const SeenGames& seen() const { return seen_; }

  /// Trains until the queue is closed and empty; then publishes and saves a last time. Fails when
  /// the log or a file could not be written: games that are not in the log are never trained on.
  /// Fails too, when everything is saved, if training has diverged: its values were not finite, and
  /// the last checkpoint's state did not help.
  Result<void> run();

  /// From now on run() makes no more steps: it writes the games that wait, saves and ends. Steps
  /// that games have earned stay in the checkpoint. Called by any thread.
  void hurry() { hurries_.store(true, std::memory_order_relaxed); }

  /// Writes the published weights and a checkpoint; run() does so periodically and at its end. Call
  /// on the thread of run(), or before it. Fails, and writes neither, unless all values are finite.
  Result<void> save();

  /// Grows while run() makes progress, also when it waits for games or for room on the disk.
  std::uint64_t turns() const { return turns_.load(std::memory_order_relaxed); }

  LearnProgress progress() const {
    const std::lock_guard lock(mutex_);
    return shown_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool can_step() const;
  // Of the whole run, and the share of its plan that is done.
  double seconds() const;
  double run_progress() const { return senet::run_progress(settings_, done_.games, seconds()); }
  Result<void> take(const GameRecord& record);
  Result<void> add(const GameRecord& record, LogPosition position, bool is_new);
  // Of the game added last.
  void offer_hardest();
  // Encodes the sample from the replay buffer, as a step would see it: with rounded targets.
  void keep(std::uint32_t place);
  void step();
  StepReport train(float learning_rate);
  // Only finite weights are published.
  Result<void> publish();
  void publish_weights();
  // Returns to the last checkpoint's state; `reason`: what was not finite.
  Result<void> roll_back(const std::string& reason);
  Result<void> append(const GameRecord& record);
  Result<void> sync_when_due();
  bool is_disk_full() const;
  void warn(const std::string& reason) const;
  Result<void> save_when_due();
  Result<void> park();
  void note_progress();

  struct KeptGame {
    std::uint64_t samples_end;  // replay_.added() after this game
    LogPosition log_position;   // where the game begins
    Clock::time_point came;
  };

  const Parts parts_;
  const LearnSettings& settings_;
  Checkpoint done_;  // without the trainer's tensors
  SeenGames seen_;
  Replay& replay_;
  std::vector<DrawnSample> drawn_;  // of the current step
  TrainBatch batch_;                // encoded from drawn_
  TrainBatch images_;               // of the sample added last
  std::deque<KeptGame> kept_games_;
  std::size_t steps_since_publish_ = 0;
  std::uint64_t saved_steps_ = 0;  // of the newest checkpoint
  std::uint64_t skipped_in_row_ = 0;
  std::uint64_t undone_steps_ = 0;  // by rollbacks
  std::uint64_t returned_to_ = 0;   // the step of the checkpoint of the last rollback ...
  int returns_ = 0;                 // ... and the number of rollbacks to it
  std::optional<Error> divergence_;
  std::uint64_t new_games_ = 0;  // since this loop was constructed
  const std::vector<StartSource> sources_;
  Curriculum curriculum_;   // of the games from scrambles
  LearnProgress progress_;  // except the counters in done_
  bool has_loss_ = false;
  Clock::time_point began_ = Clock::now(), saved_ = began_, parked_ = began_, synced_ = began_;

  std::atomic<bool> hurries_{false};
  std::atomic<std::uint64_t> turns_{0};
  mutable std::mutex mutex_;
  LearnProgress shown_;  // copy of progress_ for other threads
};

}  // namespace senet
