// The way back: finished games in, newer weights out, beside self-play and never behind it without
// end.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/lanes/bounded_queue.hpp"
#include "engine/lanes/model_store.hpp"
#include "selfplay/game_exchange.hpp"
#include "selfplay/record_log.hpp"
#include "train_bridge/checkpoint.hpp"
#include "train_bridge/learn_settings.hpp"
#include "train_bridge/replay_buffer.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {

/// A sink that hands games to another thread through a bounded queue.
class QueueSink final : public GameSink {
 public:
  /// `learns`: whether a game is handed on, else it is dropped; empty: always.
  explicit QueueSink(BoundedQueue<GameRecord>& queue, std::function<bool()> learns = {})
      : queue_(queue), learns_(std::move(learns)) {}
  /// A closed queue takes no game any more: it counts as refused, so that its lane can end.
  bool offer(GameRecord& record) override {
    const bool goes_on = !learns_ || learns_();
    if (goes_on && !queue_.try_push(std::move(record))) {
      if (!queue_.closed()) return false;
      refused_.fetch_add(1, std::memory_order_relaxed);
    }
    finished_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }
  /// All games that it took: handed on, dropped or refused.
  std::uint64_t finished() const { return finished_.load(std::memory_order_relaxed); }

 private:
  BoundedQueue<GameRecord>& queue_;
  const std::function<bool()> learns_;
  std::atomic<std::uint64_t> refused_{0}, finished_{0};
};

/// How far a run has come; a copy.
struct LearnProgress {
  std::uint64_t games = 0;
  std::uint64_t positions = 0;
  std::uint64_t steps = 0;
  std::uint64_t iterations = 0;
  std::uint64_t skipped_steps = 0;  // steps undone because a value was not finite
  double dropped_steps = 0;         // earned by self-play beyond what training could take
  double train_seconds = 0;
  float policy_loss = 0;  // exponential means
  float value_loss = 0;
  float mean_plies = 0;  // turns a game
};

/// Takes finished games from a queue, appends them to the log, keeps the newest positions, trains,
/// publishes. run() belongs to one thread; progress() may be called from any.
class TrainingLoop {
 public:
  /// All references outlive the loop. The replay is empty; the trainer is warm and holds the state
  /// of the checkpoint.
  struct Parts {
    const LearnSettings& settings;
    Replay& replay;
    Trainer& trainer;
    RecordLog& log;
    BoundedQueue<GameRecord>& games;
    ModelStore& models;
    std::uint64_t seed;
    std::filesystem::path folder;  // weights/ and checkpoint.safetensors go here
  };

  TrainingLoop(const Parts& parts, const Checkpoint& from);

  /// Puts the games of the log from `replay_begin` on back into the replay, before run(). Those
  /// that had not been learnt from when the checkpoint was made count as new.
  Result<void> refill(const std::filesystem::path& log);
  /// Number of the first game that is in no log yet.
  std::uint64_t next_game() const { return done_.next_game; }

  /// Learns until the queue is closed and empty; then publishes and saves a last time. The reason
  /// when the log or a file could not be written: nothing is learnt from games that are not in the
  /// log.
  Result<void> run();

  /// Writes the weights that play and a checkpoint; run() does so by itself now and then and at its
  /// end. For the thread of run(), or before it.
  Result<void> save();

  LearnProgress progress() const {
    const std::lock_guard lock(mutex_);
    return shown_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool can_step() const;
  Result<void> take(const GameRecord& record);
  Result<void> add(const GameRecord& record, std::uint64_t log_position, bool is_new);
  // As a step will see it: from the replay, whose targets are rounded.
  void keep(std::uint32_t place);
  void step();
  StepReport train(float learning_rate);
  void publish();
  // Only between iterations: what is saved under an iteration's number is what it published.
  Result<void> save_when_due();
  void note_progress();

  struct KeptGame {
    std::uint64_t samples_end;   // replay_.added() after this game
    std::uint64_t log_position;  // where the game stands in the log
  };

  const Parts parts_;
  const LearnSettings& settings_;
  Checkpoint done_;  // without the trainer's tensors
  Replay& replay_;
  std::vector<DrawnSample> drawn_;  // for the step under way
  TrainBatch batch_;                // of them
  TrainBatch images_;               // of the sample added last
  std::deque<KeptGame> kept_games_;
  std::size_t steps_since_publish_ = 0;
  std::uint64_t new_games_ = 0;  // since this loop was made
  LearnProgress progress_;       // all but what done_ counts
  bool has_loss_ = false;
  Clock::time_point began_ = Clock::now(), saved_ = began_;

  mutable std::mutex mutex_;
  LearnProgress shown_;  // progress_, for others
};

}  // namespace senet
