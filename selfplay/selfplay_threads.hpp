// Self-play on several threads: one worker each, nothing shared but weights in, games out.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "selfplay/runners.hpp"

namespace senet {

struct SelfPlaySettings {
  std::size_t workers = 1;
  WorkerSettings worker;
  PlaySettings play;
  Driver driver = Driver::kFibers;
};

/// The engine's own choice: all hardware threads but two, which are left to the trainer and the
/// rest of the machine.
inline std::size_t default_workers() {
  const std::size_t threads = std::thread::hardware_concurrency();
  return threads > 3 ? threads - 2 : 1;
}

/// Worker threads that play games until their numbers run out. Owned and joined by one thread.
class AnySelfPlayThreads {
 public:
  virtual ~AnySelfPlayThreads() = default;

  /// Every worker stops where it is, within a forward pass or two; the games under way are dropped.
  virtual void abandon() = 0;
  /// Waits until every worker has run out of games; the first reason why one could not start.
  virtual Result<void> join() = 0;
  /// Workers still running.
  virtual std::size_t running() const = 0;
  virtual const std::deque<WorkerReport>& reports() const = 0;
};

/// Those of one game. Models, numbers and sink outlive them.
template <Game G>
class SelfPlayThreads final : public AnySelfPlayThreads {
 public:
  /// Starts playing at once.
  SelfPlayThreads(const SelfPlaySettings& settings, ModelStore& models, GameNumbers& numbers,
                  GameSink& sink)
      : settings_(settings),
        how_(settings_text(settings.play, settings.worker.search)),
        numbers_(numbers),
        reports_(settings.workers) {
    for (WorkerReport& report : reports_) {
      threads_.emplace_back([this, &models, &sink, &report] { work(models, sink, report); });
    }
  }
  /// Halts the numbers and waits for the games under way.
  ~SelfPlayThreads() override {
    numbers_.halt();
    static_cast<void>(join());
  }
  SelfPlayThreads(const SelfPlayThreads&) = delete;
  SelfPlayThreads& operator=(const SelfPlayThreads&) = delete;

  void abandon() override { abandoned_ = true; }
  Result<void> join() override {
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
    const std::lock_guard lock(mutex_);
    return failure_;
  }

  std::size_t running() const override { return running_.load(); }
  const std::deque<WorkerReport>& reports() const override { return reports_; }

 private:
  void work(ModelStore& models, GameSink& sink, WorkerReport& report) {
    auto worker = Worker<G>::make(settings_.worker, models, report);
    if (!worker) {
      const std::lock_guard lock(mutex_);
      if (failure_) failure_ = worker.error();
      numbers_.halt();
    } else {
      const SelfPlay run{settings_.play, numbers_,   sink, (*worker)->evaluator_name(),
                         how_,           &abandoned_};
      play_all_games(**worker, run, settings_.driver);
    }
    --running_;
  }

  const SelfPlaySettings settings_;
  const std::string how_;
  GameNumbers& numbers_;
  std::deque<WorkerReport> reports_;
  std::mutex mutex_;
  Result<void> failure_;
  std::atomic<bool> abandoned_{false};
  std::atomic<std::size_t> running_{settings_.workers};
  std::vector<std::thread> threads_;
};

}  // namespace senet
