// Self-play of one game on several threads, each with one worker. Workers share only incoming
// weights and hard positions, and outgoing games.
#pragma once

#include <absl/cleanup/cleanup.h>

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
        starts_(start),
        how_(settings_text(settings.play, settings.worker.search)),
        hooks_(std::move(hooks)),
        models_(models),
        numbers_(numbers),
        sink_(sink),
        reports_(settings.workers) {
    controls_.max_scramble = hooks_.scramble_moves;
    controls_.max_visits = hooks_.visits;
    auto starts = Starts<G>::make(settings.play.starts, start);
    if (starts) {
      starts_ = std::move(*starts);
      starts_.take_from(hooks_.hard);
    } else {
      give_up(starts.error());
    }
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
  void limit_scrambles(std::uint32_t most) override { controls_.max_scramble = most; }

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
        play(number, worker, run);
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

  void play(std::size_t number, Worker<G>& worker, const SelfPlay& run) const {
    if (settings_.driver == Driver::kFibers) {
      drive<FiberRunner<G>>(number, worker, run);
    } else {
      drive<LaneGames<G>>(number, worker, run);
    }
  }
  template <class LaneRunner>
  void drive(std::size_t number, Worker<G>& worker, const SelfPlay& run) const {
    std::vector<std::unique_ptr<Runner>> runners;
    std::vector<const LaneRunner*> lanes;
    for (const auto& lane : worker.lanes()) {
      auto runner = std::make_unique<LaneRunner>(*lane, run, starts_);
      lanes.push_back(runner.get());
      runners.push_back(std::move(runner));
    }
    const auto in_play = [&lanes] {
      std::vector<GameRecord> games;
      for (const LaneRunner* const lane : lanes) {
        if (const GameRecord* const game = lane->in_play()) games.push_back(*game);
      }
      return games;
    };
    ParkedGames* const parked = hooks_.parked;
    std::uint64_t answered = 0;
    const auto answer = [&] {
      answered = parked->question();
      parked->answer(number, answered, in_play());
    };
    if (parked != nullptr) parked->begin(number);
    const absl::Cleanup ends = [&] {
      if (parked != nullptr) parked->end(number);
    };
    worker.drive(runners, [&] {
      if (parked != nullptr && parked->question() != answered) answer();
      return !controls_.abandoned.load(std::memory_order_relaxed);
    });
    if (parked != nullptr) answer();
  }

  const SelfPlaySettings settings_;
  const G start_;
  Starts<G> starts_;
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
