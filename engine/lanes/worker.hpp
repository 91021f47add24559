// A self-play worker: one thread's lanes with a shared batch and one evaluator.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "engine/lanes/any_worker.hpp"
#include "engine/lanes/lane.hpp"
#include "engine/lanes/model_store.hpp"
#include "engine/lanes/runner.hpp"
#include "engine/lanes/worker_settings.hpp"
#include "nn/cached_evaluator.hpp"
#include "nn/evaluator.hpp"
#include "search/rounds.hpp"

namespace senet {

/// The lanes of one thread and everything that they share.
template <Game G>
class Worker final : public AnyWorker {
 public:
  /// Allocates everything: trees, batch, evaluator. Must be called on the worker's thread. `game`
  /// is any state of the game.
  static Result<std::unique_ptr<Worker>> make(const WorkerSettings& settings, ModelStore& models,
                                              WorkerReport& report,
                                              const G& game = only_start<G>()) {
    std::unique_ptr<Worker> worker(new Worker(settings, models, report, game));
    const Weights& weights = *worker->loaded_.weights;
    auto made = make_evaluator(settings.evaluation, weights);
    if (!made) return made.error();
    worker->evaluator_ =
        with_cache(std::move(*made), weights, settings.evaluation.batch_rows,
                   cache_settings(game, settings.cache_mib << 20, settings.search.evaluates));
    return worker;
  }

  std::span<const std::unique_ptr<Lane<G>>> lanes() const { return lanes_; }
  std::string_view evaluator_name() const { return evaluator_->name(); }

  /// Runs the runners, one per lane and in the lanes' order, until all have finished. Calls
  /// continues() between two forward passes, where lanes may be in the middle of a search, and
  /// returns early when it is false.
  template <class Continues>
  void drive(std::span<const std::unique_ptr<Runner>> runners, Continues&& continues) {
    Turns turns{*this, runners};
    const auto began = mark_ = Clock::now();
    while (turns.alive > 0 && continues()) {
      const bool searches = rounds_.round(turns);
      if (!searches && !swap_if_idle() && turns.alive > 0) wait_a_moment();
      look_for_newer_weights();
      report_.set(WorkerReport::kTotalNs, nanoseconds(mark_ - began));
    }
    rounds_.clear();
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// TurnsOf: on its turn a lane plays up to its next search, then searches.
  struct Turns {
    Worker& worker;
    const std::span<const std::unique_ptr<Runner>> runners;
    std::vector<LaneState> states = std::vector<LaneState>(runners.size(), LaneState::kBlocked);
    std::size_t alive = runners.size();
    RoundRobin circle = {};

    Search<G>* next() {
      return circle.next(runners.size(), [&](std::size_t lane) { return search_of(lane); });
    }
    Search<G>* search_of(std::size_t i) {
      Lane<G>& lane = *worker.lanes_[i];
      LaneState& state = states[i];
      if (state == LaneState::kFinished) return nullptr;
      if (lane.search().waits()) return &lane.search();
      if (worker.observer_ != nullptr) worker.observer_->turn(i);
      if (state == LaneState::kBlocked) {
        state = runners[i]->resume();
        if (state == LaneState::kBlocked) worker.report_.add(WorkerReport::kWaits, 1);
        if (state == LaneState::kFinished) --alive;
      }
      if (state == LaneState::kWantsSearch && !worker.swap_pending_) {
        lane.begin_search(worker.loaded_.weights->id(), worker.spare_);
        ++worker.searching_;
        state = LaneState::kSearching;
      }
      return state == LaneState::kSearching ? &lane.search() : nullptr;
    }
    void absorbed(Search<G>&) {}
    void over(Search<G>&) {
      worker.report_.add(WorkerReport::kSearches, 1);
      worker.report_.add(WorkerReport::kVisits, worker.lanes_[circle.at()]->visits_made());
      --worker.searching_;
      states[circle.at()] = LaneState::kBlocked;
      circle.stay();
    }
    void answer(Batch& batch) { worker.forward(batch); }
  };

  Worker(const WorkerSettings& settings, ModelStore& models, WorkerReport& report, const G& game)
      : models_(models),
        loaded_(models.newest()),
        report_(report),
        rounds_(settings.evaluation.batch_rows, row_size(game)) {
    const TreeLimits limits = limits_for(game, settings.visits, settings.search.evaluates);
    spare_ = std::make_unique<Tree<G>>(limits);
    for (std::size_t i = 0; i < settings.lanes; ++i) {
      lanes_.push_back(std::make_unique<Lane<G>>(settings.search, limits));
    }
  }

  void forward(Batch& batch) {
    add_time(WorkerReport::kLanesNs);
    batch.encode();
    add_time(WorkerReport::kEncodeNs);
    if (observer_ != nullptr) observer_->forward_begins(batch.size());
    evaluator_->forward(batch);
    if (observer_ != nullptr) observer_->forward_ended(report_);
    report_.add(WorkerReport::kForwards, 1);
    report_.add(WorkerReport::kRows, batch.size());
    report_.set(WorkerReport::kCacheHits, evaluator_->cache_hits());
    add_time(WorkerReport::kForwardNs);
  }

  // A search uses the same weights from beginning to end. So lanes begin no search while newer
  // weights are pending, and the evaluator loads these when the last search has ended.
  void look_for_newer_weights() {
    swap_pending_ = models_.generation() != loaded_.generation;
    swap_if_idle();
  }
  bool swap_if_idle() {
    if (!swap_pending_ || searching_ > 0) return false;
    const auto began = Clock::now();
    ModelStore::Newest newest = models_.newest();
    evaluator_->load(*newest.weights);
    loaded_ = std::move(newest);
    swap_pending_ = false;
    const std::uint64_t taken = nanoseconds(Clock::now() - began);
    report_.add(WorkerReport::kModelSwaps, 1);
    report_.add(WorkerReport::kSwapNs, taken);
    report_.set(WorkerReport::kLongestSwapNs,
                std::max(taken, report_[WorkerReport::kLongestSwapNs]));
    return true;
  }

  // All lanes are blocked: sleep instead of spinning.
  void wait_a_moment() {
    add_time(WorkerReport::kLanesNs);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    mark_ = Clock::now();
  }

  static std::uint64_t nanoseconds(Clock::duration time) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
  }
  /// Adds the time since mark_ to a counter, and sets mark_ to now.
  void add_time(WorkerReport::Counter counter) {
    const auto now = Clock::now();
    report_.add(counter, nanoseconds(now - mark_));
    mark_ = now;
  }

  ModelStore& models_;
  ModelStore::Newest loaded_;  // the evaluator's weights
  WorkerReport& report_;
  Rounds<Search<G>> rounds_;
  std::unique_ptr<Tree<G>> spare_;  // see Lane::begin_search
  std::vector<std::unique_ptr<Lane<G>>> lanes_;
  std::unique_ptr<Evaluator> evaluator_;
  bool swap_pending_ = false;    // begin no search until the newer weights are loaded
  std::uint32_t searching_ = 0;  // running searches
  Clock::time_point mark_;
};

}  // namespace senet
