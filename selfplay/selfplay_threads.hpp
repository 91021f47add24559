// Self-play of one game on several threads, each with one worker. Workers share only incoming
// weights and outgoing games.
#pragma once

#include <atomic>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "engine/lanes/worker.hpp"
#include "selfplay/play.hpp"
#include "selfplay/selfplay.hpp"

namespace senet {

/// Worker threads that play one game. Models, numbers and sink outlive them.
template <Game G>
class SelfPlayThreads final : public AnySelfPlayThreads {
 public:
  /// Starts playing immediately. Games begin with `start`.
  SelfPlayThreads(const SelfPlaySettings& settings, ModelStore& models, GameNumbers& numbers,
                  GameSink& sink, SelfPlayHooks hooks = {}, const G& start = only_start<G>())
      : settings_(settings),
        start_(start),
        how_(settings_text(settings.play, settings.worker.search)),
        hooks_(std::move(hooks)),
        models_(models),
        numbers_(numbers),
        sink_(sink),
        reports_(settings.workers) {
    try {
      for (std::size_t i = 0; i < settings.workers; ++i) {
        threads_.emplace_back([this, i] { work(i); });
      }
    } catch (const std::system_error& error) {
      give_up(fail(std::string("workers: cannot start the threads: ") + error.what()));
      running_ -= settings.workers - threads_.size();
    }
  }
  /// Stops handing out game numbers and waits for the games in progress.
  ~SelfPlayThreads() override {
    numbers_.halt();
    static_cast<void>(join());
  }

  void abandon() override { controls_.abandoned = true; }

  void limit_visits(std::uint32_t most) override { controls_.max_visits = most; }

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
  Result<std::unique_ptr<Worker<G>>> make_worker(std::size_t number) try {
    return Worker<G>::make(settings_.worker, models_, reports_[number], start_);
  } catch (const std::bad_alloc&) {
    return no_memory();
  }
  static Error no_memory() {
    return fail("visits: out of memory for the workers' searches and caches");
  }

  void work(std::size_t number) {
    auto made = make_worker(number);
    if (made) {
      Worker<G>& worker = **made;
      const SelfPlay run{settings_.play, numbers_, sink_, controls_, worker.evaluator_name(), how_};
      if (hooks_.begins) hooks_.begins(number, worker);
      try {
        play(worker, run);
      } catch (const std::bad_alloc&) {
        give_up(no_memory());
      } catch (const std::exception& error) {  // a user's game
        give_up(fail(std::string(game_name(start_)) + ": " + error.what()));
      }
      if (hooks_.ended) hooks_.ended(number, worker);
    } else {
      give_up(made.error());
    }
    --running_;
  }
  void give_up(const Error& why) {
    const std::lock_guard lock(mutex_);
    if (failure_) failure_ = why;
    numbers_.halt();
  }

  void play(Worker<G>& worker, const SelfPlay& run) const {
    std::vector<std::unique_ptr<Runner>> runners;
    for (const auto& lane : worker.lanes()) {
      if (settings_.driver == Driver::kFibers) {
        runners.push_back(std::make_unique<FiberRunner<G>>(*lane, run, start_));
      } else {
        runners.push_back(std::make_unique<LaneGames<G>>(*lane, run, start_));
      }
    }
    worker.drive(runners, controls_.abandoned);
  }

  const SelfPlaySettings settings_;
  const G start_;
  const std::string how_;
  const SelfPlayHooks hooks_;
  ModelStore& models_;
  GameNumbers& numbers_;
  GameSink& sink_;
  PlayControls controls_;
  std::deque<WorkerReport> reports_;
  std::mutex mutex_;
  Result<void> failure_;
  std::atomic<std::size_t> running_{settings_.workers};
  std::vector<std::thread> threads_;
};

}  // namespace senet
