// The counters of a self-play benchmark at one moment, so that two moments can be subtracted.
#pragma once

#include <atomic>
#include <cstdint>

#include "engine/lanes/worker.hpp"
#include "selfplay/game_exchange.hpp"
#include "tools/counted_malloc.hpp"
#include "tools/worker_trace.hpp"

namespace senet {

/// Counts finished games and forgets them; leaves the record where it is, so that its memory is
/// used again.
class CountingSink final : public GameSink {
 public:
  bool offer(GameRecord& record) override {
    std::uint64_t searched = 0;
    for (const RecordedTurn& turn : record.turns()) {
      searched += turn.kind == TurnKind::kFullSearch ? 1 : 0;
    }
    decisions.fetch_add(searched, std::memory_order_relaxed);
    plies.fetch_add(record.turns().size(), std::memory_order_relaxed);
    games.fetch_add(1, std::memory_order_relaxed);
    return true;
  }

  std::atomic<std::uint64_t> games{0};
  std::atomic<std::uint64_t> decisions{0};  // searched ones of those games
  std::atomic<std::uint64_t> plies{0};      // of those games, dice and forced moves included
};

/// Keeps account of a worker's heap, and of its time where there is a trace.
class WorkerMeter final : public WorkerObserver {
 public:
  /// From the next forward pass on; before the worker plays. `trace` outlives it.
  void write_into(WorkerTrace& trace) { trace_ = &trace; }

  void turn(std::size_t lane) override {
    if (trace_ != nullptr) trace_->turn(lane);
  }
  void forward_begins(std::size_t rows) override {
    before_ = thread_allocations().value_or(0);
    if (trace_ != nullptr) trace_->forward_begins(rows);
  }
  void forward_ended() override {
    if (trace_ != nullptr) trace_->forward_ended();
    const std::uint64_t now = thread_allocations().value_or(0);
    WorkerReport::add(in_forward, now - before_);
    all.store(now, std::memory_order_relaxed);
  }

  // Heap allocations of the worker's thread, as of its last forward pass. Read by any thread.
  std::atomic<std::uint64_t> all{0};
  std::atomic<std::uint64_t> in_forward{0};  // those made inside Evaluator::forward

 private:
  WorkerTrace* trace_ = nullptr;
  std::uint64_t before_ = 0;
};

/// One worker's counters, or what they grew by; see WorkerReport and WorkerMeter.
struct WorkerCounts {
  double forwards = 0, rows = 0, remembered = 0, searches = 0, visits = 0;
  double forward_ns = 0, lanes_ns = 0, total_ns = 0;
  double allocations = 0, forward_allocations = 0;

  static WorkerCounts now(const WorkerReport& report, const WorkerMeter& heap) {
    const auto read = [](const std::atomic<std::uint64_t>& counter) {
      return static_cast<double>(counter.load(std::memory_order_relaxed));
    };
    return {.forwards = read(report.forwards),
            .rows = read(report.rows),
            .remembered = read(report.remembered),
            .searches = read(report.searches),
            .visits = read(report.visits),
            .forward_ns = read(report.forward_ns),
            .lanes_ns = read(report.lanes_ns),
            .total_ns = read(report.total_ns),
            .allocations = read(heap.all),
            .forward_allocations = read(heap.in_forward)};
  }

  /// Adds `factor` times the other's.
  void add(const WorkerCounts& counts, double factor) {
    for (double WorkerCounts::*const field :
         {&WorkerCounts::forwards, &WorkerCounts::rows, &WorkerCounts::remembered,
          &WorkerCounts::searches, &WorkerCounts::visits, &WorkerCounts::forward_ns,
          &WorkerCounts::lanes_ns, &WorkerCounts::total_ns, &WorkerCounts::allocations,
          &WorkerCounts::forward_allocations}) {
      this->*field += factor * counts.*field;
    }
  }
};

}  // namespace senet
