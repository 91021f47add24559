// A worker of any game, what it has done, and who watches it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <valarray>

namespace senet {

/// What a worker has done so far: counters written by its thread alone and read by any while it
/// works. Relaxed: each is right, together they may be a moment apart.
class WorkerReport {
 public:
  enum Counter : std::size_t {
    kForwards,    // batches evaluated
    kRows,        // rows answered
    kRemembered,  // ... of them from the evaluation cache
    kSearches,    // decisions searched to their end
    kVisits,      // visits made by those searches, kept ones not counted
    kForwardNs,   // inside Evaluator::forward
    kLanesNs,     // inside lanes: tree, rules, encoding, records
    kTotalNs,     // since the worker began
    kWaits,       // times a lane had to wait to hand over a game
    kModelSwaps,
    kSwapNs,              // inside those, packing included
    kLongestSwapNs,       // the longest of them
    kAllocations,         // of its thread's heap, where an observer counts them
    kForwardAllocations,  // ... of them inside Evaluator::forward
    kCounters
  };

  std::uint64_t operator[](Counter counter) const {
    return counters_[counter].load(std::memory_order_relaxed);
  }
  /// All counters as they are now, by their numbers: two moments can be subtracted.
  std::valarray<double> now() const {
    std::valarray<double> counts(kCounters);
    std::ranges::transform(counters_, std::begin(counts), [](const auto& counter) {
      return static_cast<double>(counter.load(std::memory_order_relaxed));
    });
    return counts;
  }

  void set(Counter counter, std::uint64_t value) {
    counters_[counter].store(value, std::memory_order_relaxed);
  }
  void add(Counter counter, std::uint64_t amount) { set(counter, (*this)[counter] + amount); }

 private:
  std::array<std::atomic<std::uint64_t>, kCounters> counters_{};
};

/// Watches a worker at work, on the worker's thread.
class WorkerObserver {
 public:
  virtual ~WorkerObserver() = default;
  /// The turn of this lane begins.
  virtual void turn(std::size_t lane) = 0;
  virtual void forward_begins(std::size_t rows) = 0;
  /// `report` is the worker's, for what the observer counts.
  virtual void forward_ended(WorkerReport& report) = 0;
};

/// A worker of any game.
class AnyWorker {
 public:
  virtual ~AnyWorker() = default;
  /// Shows what it does to `observer`, which outlives it; null: to none. On its thread.
  void observe(WorkerObserver* observer) { observer_ = observer; }

 protected:
  WorkerObserver* observer_ = nullptr;
};

}  // namespace senet
