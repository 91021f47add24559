// What a worker has done so far, readable by other threads while it works.
#pragma once

#include <atomic>
#include <cstdint>

namespace senet {

/// Counters written by one worker thread and read by any. Relaxed: each is right, together they may
/// be a moment apart.
struct WorkerReport {
  std::atomic<std::uint64_t> forwards{0};    // batches evaluated
  std::atomic<std::uint64_t> rows{0};        // rows answered
  std::atomic<std::uint64_t> remembered{0};  // ... of them from the evaluation cache
  std::atomic<std::uint64_t> searches{0};    // decisions searched to their end
  std::atomic<std::uint64_t> visits{0};      // visits made by those searches, kept ones not counted
  std::atomic<std::uint64_t> forward_ns{0};  // inside Evaluator::forward
  std::atomic<std::uint64_t> lanes_ns{0};    // inside lanes: tree, rules, encoding, records
  std::atomic<std::uint64_t> total_ns{0};    // since the worker began
  std::atomic<std::uint64_t> waits{0};       // times a lane had to wait to hand over a game
  std::atomic<std::uint64_t> model_swaps{0};
  std::atomic<std::uint64_t> swap_ns{0};          // inside those, packing included
  std::atomic<std::uint64_t> longest_swap_ns{0};  // the longest of them

  /// Adds to a counter that only the calling thread writes.
  static void add(std::atomic<std::uint64_t>& counter, std::uint64_t amount) {
    counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
};

}  // namespace senet
