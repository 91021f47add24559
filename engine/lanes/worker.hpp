// A worker: one thread's lanes, their shared batch and one evaluator, driven until every lane has
// finished.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "engine/lanes/lane.hpp"
#include "engine/lanes/model_store.hpp"
#include "nn/cached_evaluator.hpp"
#include "nn/evaluator.hpp"

namespace senet {

/// Builds an evaluator for batches of up to `max_rows` rows and loads `weights`. Called on the
/// thread that will use it.
using EvaluatorMaker =
    std::function<Result<std::unique_ptr<Evaluator>>(const Weights& weights, std::size_t max_rows)>;

struct WorkerSettings {
  std::size_t lanes = 64;                           // games played at once by one worker
  std::size_t batch_rows = 64;                      // rows of one forward pass at most
  EvaluatorKind evaluator = EvaluatorKind::kFused;  // the same bits for any batch
  bool exact = false;                               // see make_evaluator
  EvaluatorMaker own_evaluator = {};  // a host's own, instead of the named one, when set
  std::size_t cache_mib = 0;          // MiB in which this worker remembers evaluations; 0: none
  SearchSettings search;
  std::uint32_t visits = 100;  // the trees have room for searches of this many visits
};

/// Something that carries one lane's games on. resume() works until the lane must wait and says for
/// what.
template <class R>
concept Runner = requires(R& runner) {
  { runner.resume() } -> std::same_as<LaneState>;
};

/// Tells a lane's games as one function on a fiber: `story(lane)` returns when there is no more to
/// play.
template <Game G>
class FiberRunner {
 public:
  template <class Story>
  FiberRunner(Lane<G>& lane, Story story)
      : lane_(lane), fiber_([&lane, story = std::move(story)]() mutable { story(lane); }) {
    lane.attach_fiber(&fiber_);
  }
  LaneState resume() {
    fiber_.resume();
    return fiber_.finished() ? LaneState::kFinished : lane_.state();
  }

 private:
  Lane<G>& lane_;
  Fiber fiber_;
};

/// The lanes of one thread and what they share.
template <Game G>
class Worker {
 public:
  /// Reserves everything: arenas, batch, evaluator. Must be called on the thread that will run it.
  static Result<std::unique_ptr<Worker>> make(const WorkerSettings& settings, ModelStore& models,
                                              WorkerReport& report) {
    std::unique_ptr<Worker> worker(new Worker(settings, models, report));
    const Weights& weights = *worker->loaded_.weights;
    auto evaluator = settings.own_evaluator ? settings.own_evaluator(weights, settings.batch_rows)
                                            : make_evaluator(settings.evaluator, weights,
                                                             settings.batch_rows, settings.exact);
    if (!evaluator) return evaluator.error();
    worker->take_evaluator(std::move(*evaluator), settings);
    return worker;
  }

  std::span<const std::unique_ptr<Lane<G>>> lanes() const { return lanes_; }
  std::string_view evaluator_name() const { return evaluator_->name(); }

  /// Runs the runners, one per lane and in their order, until all have finished. When every lane
  /// waits or the batch is full, one forward pass answers for all. Returns early, between two
  /// passes, once `abandoned` is true; the lanes may then be left in the middle of a search.
  template <Runner R>
  void drive(std::span<const std::unique_ptr<R>> runners,
             const std::atomic<bool>* abandoned = nullptr) {
    std::vector<LaneState> states(runners.size(), LaneState::kReady);
    const auto began = Clock::now();
    auto mark = began;
    const auto goes_on = [&] {
      return abandoned == nullptr || !abandoned->load(std::memory_order_relaxed);
    };
    for (std::size_t alive = runners.size(); alive > 0 && goes_on();) {
      bool progress = false;
      for (std::size_t i = 0; i < runners.size(); ++i) {
        if (states[i] == LaneState::kFinished || states[i] == LaneState::kAnswers) continue;
        const bool waited = states[i] == LaneState::kBlocked;
        states[i] = runners[i]->resume();
        while (states[i] == LaneState::kRoom) {
          add_time(shared_.report->lanes_ns, mark);
          forward(states, mark);
          states[i] = runners[i]->resume();
        }
        if (states[i] == LaneState::kFinished) --alive;
        progress |= !waited || states[i] != LaneState::kBlocked;
      }
      add_time(shared_.report->lanes_ns, mark);
      if (shared_.batch.size() > 0)
        forward(states, mark);
      else if (!swap_if_idle() && !progress && alive > 0)
        wait_a_moment(mark);
      look_for_newer_weights();
      shared_.report->total_ns.store(nanoseconds(mark - began), std::memory_order_relaxed);
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  Worker(const WorkerSettings& settings, ModelStore& models, WorkerReport& report)
      : models_(models),
        loaded_(models.newest()),
        shared_{.batch = Batch(settings.batch_rows, G::kMaxActive),
                .spare = std::make_unique<Tree<G>>(limits(settings)),
                .model = loaded_.weights->id(),
                .report = &report} {
    for (std::size_t i = 0; i < settings.lanes; ++i) {
      lanes_.push_back(std::make_unique<Lane<G>>(shared_, settings.search, limits(settings)));
    }
  }
  static TreeLimits limits(const WorkerSettings& settings) {
    return limits_for<G>(settings.visits, settings.search.evaluates);
  }

  void take_evaluator(std::unique_ptr<Evaluator> evaluator, const WorkerSettings& settings) {
    evaluator_ = std::move(evaluator);
    if (settings.cache_mib == 0) return;
    auto cached = std::make_unique<CachedEvaluator>(
        std::move(evaluator_), *loaded_.weights, settings.batch_rows,
        cache_settings<G>(settings.cache_mib << 20, settings.search.evaluates));
    cache_ = cached.get();
    evaluator_ = std::move(cached);
  }

  // Answers every row; lanes that waited for answers can go on.
  void forward(std::span<LaneState> states, Clock::time_point& mark) {
    evaluator_->forward(shared_.batch);
    WorkerReport::add(shared_.report->forwards, 1);
    WorkerReport::add(shared_.report->rows, shared_.batch.size());
    if (cache_ != nullptr) {
      shared_.report->remembered.store(cache_->hits(), std::memory_order_relaxed);
    }
    shared_.batch.clear();
    for (LaneState& state : states) {
      if (state == LaneState::kAnswers) state = LaneState::kReady;
    }
    add_time(shared_.report->forward_ns, mark);
  }

  // Searches end on the weights they began with: lanes begin none while newer ones wait, and when
  // the last has ended the evaluator takes them over.
  void look_for_newer_weights() {
    shared_.swap_pending = models_.generation() != loaded_.generation;
    swap_if_idle();
  }
  bool swap_if_idle() {
    if (!shared_.swap_pending || shared_.searching > 0) return false;
    const auto began = Clock::now();
    ModelStore::Newest newest = models_.newest();
    evaluator_->load(*newest.weights);
    loaded_ = std::move(newest);  // nothing runs on the ones before any more
    shared_.model = loaded_.weights->id();
    shared_.swap_pending = false;
    WorkerReport& report = *shared_.report;
    const std::uint64_t taken = nanoseconds(Clock::now() - began);
    WorkerReport::add(report.model_swaps, 1);
    WorkerReport::add(report.swap_ns, taken);
    if (taken > report.longest_swap_ns.load(std::memory_order_relaxed)) {
      report.longest_swap_ns.store(taken, std::memory_order_relaxed);
    }
    return true;
  }

  // Every lane waits for somebody else: give the core away for a moment instead of spinning.
  void wait_a_moment(Clock::time_point& mark) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    mark = Clock::now();
  }

  static std::uint64_t nanoseconds(Clock::duration time) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
  }
  static void add_time(std::atomic<std::uint64_t>& counter, Clock::time_point& mark) {
    const auto now = Clock::now();
    WorkerReport::add(counter, nanoseconds(now - mark));
    mark = now;
  }

  ModelStore& models_;
  ModelStore::Newest loaded_;  // what the evaluator answers with
  SharedByLanes<G> shared_;
  std::unique_ptr<Evaluator> evaluator_;
  const CachedEvaluator* cache_ = nullptr;  // the evaluator, when it remembers
  std::vector<std::unique_ptr<Lane<G>>> lanes_;
};

}  // namespace senet
