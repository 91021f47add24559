// A self-play worker without its game's type: its counters and its observer.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <valarray>

namespace senet {

/// Counters of a worker. Only its thread writes them; any thread may read them at any time. The
/// accesses are atomic and relaxed: each value is exact, but two of them may be from slightly
/// different moments.
class WorkerReport {
 public:
  enum Counter : std::size_t {
    kForwards,   // batches evaluated
    kRows,       // rows evaluated
    kCacheHits,  // ... of these, taken from the evaluation cache
    kSearches,   // finished searches
    kVisits,     // visits made by those searches, without visits kept from earlier ones
    kForwardNs,  // inside Evaluator::forward
    kEncodeNs,   // encoding rows for it
    kLanesNs,    // inside lanes: tree, rules, records
    kTotalNs,    // since the worker began
    kWaits,      // times that a lane stayed blocked, waiting to hand over a game
    kModelSwaps,
    kSwapNs,              // inside model swaps, packing included
    kLongestSwapNs,       // the longest swap
    kAllocations,         // heap allocations of its thread, if an observer counts them
    kForwardAllocations,  // ... of these, inside Evaluator::forward
    kCounters
  };

  std::uint64_t operator[](Counter counter) const {
    return counters_[counter].load(std::memory_order_relaxed);
  }
  /// A snapshot, indexed by Counter: subtract two of them for the change in between.
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

/// What a worker spends its time on; the shares add up to 1, or are all 0 before it has begun.
struct StageShares {
  double forward = 0, encode = 0, tree = 0, waiting = 0;
};

/// Of these counts (WorkerReport::now()) or differences of counts.
inline StageShares stage_shares(const std::valarray<double>& counts) {
  using enum WorkerReport::Counter;
  const double busy = counts[kForwardNs] + counts[kEncodeNs] + counts[kLanesNs];
  // Counters are not updated at once, so the parts may slightly exceed the total.
  const double total = std::max(counts[kTotalNs], busy);
  if (!(total > 0)) return {};
  return {.forward = counts[kForwardNs] / total,
          .encode = counts[kEncodeNs] / total,
          .tree = counts[kLanesNs] / total,
          .waiting = (total - busy) / total};
}

/// Watches a running worker, on the worker's thread.
class WorkerObserver {
 public:
  virtual ~WorkerObserver() = default;
  /// This lane's turn begins.
  virtual void turn(std::size_t lane) = 0;
  virtual void forward_begins(std::size_t rows) = 0;
  /// `report` is the worker's; the observer adds its own counts to it.
  virtual void forward_ended(WorkerReport& report) = 0;
};

/// A worker of any game.
class AnyWorker {
 public:
  virtual ~AnyWorker() = default;
  /// Sets the observer, which outlives the worker; null removes it. On the worker's thread.
  void observe(WorkerObserver* observer) { observer_ = observer; }

 protected:
  WorkerObserver* observer_ = nullptr;
};

}  // namespace senet
