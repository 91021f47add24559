// Self-play that goes on and on, with a learner behind a tap that can be closed.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "selfplay/selfplay_threads.hpp"
#include "tools/gnubg/scratch_folder.hpp"
#include "train_bridge/choose_trainer.hpp"
#include "train_bridge/run_config.hpp"
#include "train_bridge/training_loop.hpp"

namespace senet {

/// Hands games on while the tap is open, and drops them while it is not.
class TapSink final : public GameSink {
 public:
  explicit TapSink(BoundedQueue<GameRecord>& queue) : inner_(queue) {}
  bool offer(GameRecord& record) override {
    if (open && !inner_.offer(record)) return false;
    games.fetch_add(1, std::memory_order_relaxed);
    return true;
  }

  std::atomic<bool> open{false};
  std::atomic<std::uint64_t> games{0};

 private:
  QueueSink inner_;
};

/// What there has been up to a moment, or between two.
struct OverlapCounts {
  double seconds = 0, games = 0, rows = 0, steps = 0, dropped_steps = 0;
  double publications = 0, publish_ns = 0, swaps = 0, swap_ns = 0;

  /// Adds `factor` times the other's.
  void add(const OverlapCounts& counts, double factor) {
    for (double OverlapCounts::*const field :
         {&OverlapCounts::seconds, &OverlapCounts::games, &OverlapCounts::rows,
          &OverlapCounts::steps, &OverlapCounts::dropped_steps, &OverlapCounts::publications,
          &OverlapCounts::publish_ns, &OverlapCounts::swaps, &OverlapCounts::swap_ns}) {
      this->*field += factor * counts.*field;
    }
  }
};

/// Workers that play from its construction on, and a thread that learns from what they are let hand
/// over. Stays where it is.
class OverlapRun {
 public:
  using Clock = std::chrono::steady_clock;

  /// `trainer` is warm. `config` says how to play and learn, its learning rate included.
  OverlapRun(const RunGame& game, const RunConfig& config, Network network,
             std::unique_ptr<Trainer> trainer, ScratchFolder folder, RecordLog log)
      : config_(config),
        folder_(std::move(folder)),
        log_(std::move(log)),
        trainer_(std::move(trainer)),
        models_(std::move(network)),
        queue_(config_.queue_games),
        sink_(queue_),
        replay_(game.make_replay(config_.learn)),
        loop_({.settings = config_.learn,
               .replay = *replay_,
               .trainer = *trainer_,
               .log = log_,
               .games = queue_,
               .models = models_,
               .seed = config_.selfplay.play.seed,
               .folder = folder_.path()},
              Checkpoint{}),
        learner_([this] { learn(); }),
        players_(game.start_selfplay(config_.selfplay, models_, numbers_, sink_)) {}
  OverlapRun(const OverlapRun&) = delete;
  OverlapRun& operator=(const OverlapRun&) = delete;
  ~OverlapRun() {
    numbers_.halt();
    players_->abandon();
    queue_.close();
    players_.reset();
    learner_.join();
  }

  /// Lets the learner have the games, until it steps; or takes them away, until it has come to
  /// rest. Not for longer than a minute.
  void open_tap() {
    const std::uint64_t before = loop_.progress().steps;
    sink_.open = true;
    wait_until([&] { return loop_.progress().steps > before; });
  }
  void close_tap() {
    sink_.open = false;
    std::uint64_t seen = loop_.progress().steps;
    auto changed = Clock::now();
    wait_until([&] {
      const std::uint64_t now = loop_.progress().steps;
      if (std::exchange(seen, now) != now || queue_.size() > 0) changed = Clock::now();
      return Clock::now() - changed > std::chrono::milliseconds(200);
    });
  }

  OverlapCounts play_for(double seconds) {
    OverlapCounts counts;
    counts.add(now(), -1);
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    counts.add(now(), 1);
    return counts;
  }

  /// Of any worker, up to now.
  std::uint64_t longest_swap_ns() const {
    std::uint64_t longest = 0;
    for (const WorkerReport& report : players_->reports()) {
      longest = std::max(longest, report[WorkerReport::kLongestSwapNs]);
    }
    return longest;
  }

  /// Whether somebody has stopped, and why.
  Result<void> alive() {
    if (!learning_) return learnt_ ? fail("the learner has ended") : learnt_;
    if (players_->running() == config_.selfplay.workers) return {};
    numbers_.halt();
    players_->abandon();
    const Result<void> played = players_->join();
    return played ? fail("a worker has ended") : played;
  }

 private:
  void learn() {
    learnt_ = loop_.run();
    queue_.close();
    learning_ = false;
  }

  template <class Done>
  void wait_until(Done&& done) {
    const auto latest = Clock::now() + std::chrono::minutes(1);
    while (!done() && learning_ && Clock::now() < latest) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  OverlapCounts now() const {
    const LearnProgress learnt = loop_.progress();
    OverlapCounts counts;
    counts.seconds = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
    counts.games = static_cast<double>(sink_.games);
    counts.steps = static_cast<double>(learnt.steps);
    counts.dropped_steps = learnt.dropped_steps;
    counts.publications = static_cast<double>(models_.generation());
    counts.publish_ns = static_cast<double>(models_.held_ns());
    for (const WorkerReport& report : players_->reports()) {
      counts.rows += static_cast<double>(report[WorkerReport::kRows]);
      counts.swaps += static_cast<double>(report[WorkerReport::kModelSwaps]);
      counts.swap_ns += static_cast<double>(report[WorkerReport::kSwapNs]);
    }
    return counts;
  }

  const RunConfig config_;
  ScratchFolder folder_;
  RecordLog log_;
  std::unique_ptr<Trainer> trainer_;
  ModelStore models_;
  BoundedQueue<GameRecord> queue_;
  TapSink sink_;
  GameNumbers numbers_{0};
  const std::unique_ptr<Replay> replay_;
  TrainingLoop loop_;
  std::atomic<bool> learning_{true};
  Result<void> learnt_;  // once that is false
  std::thread learner_;
  std::unique_ptr<AnySelfPlayThreads> players_;
};

}  // namespace senet
