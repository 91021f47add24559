// What one worker does when: its heap, and a trace that chrome://tracing and Perfetto show.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "engine/lanes/any_worker.hpp"
#include "senet/result.hpp"

namespace senet {

/// Counts the heap allocations of a worker's thread in its report. Where it has room for a trace,
/// it records a stated number of forward passes and the lanes' work between them, in memory
/// reserved beforehand; the clock is read only for that.
class WorkerMeter final : public WorkerObserver {
 public:
  /// Room for a trace of so many forward passes; before the worker plays.
  void reserve_trace(std::size_t passes, std::size_t lanes) {
    events_.reserve(passes * (lanes + 2));
  }
  /// From the end of the next forward pass on, everything is recorded. Any thread may call it.
  void begin_trace() { traces_.store(true, std::memory_order_relaxed); }
  /// Writes what was recorded, once the worker has ended: `gather` and `forward` in turns, and
  /// inside a gather one `lane` after the other. `encode_ns` is what encoding a row takes, from
  /// which each gather says how much of it that was, about. Fails with a reason that names the
  /// file.
  Result<void> write_trace(const std::filesystem::path& file, double encode_ns) const;

  void turn(std::size_t lane) override { record(Kind::kTurn, lane); }
  void forward_begins(std::size_t rows) override;
  void forward_ended(WorkerReport& report) override;

 private:
  enum class Kind : std::uint8_t { kTurn, kForwardBegins, kForwardEnded };
  struct Event {
    Kind kind;
    std::uint32_t number;  // of the lane, or rows
    std::chrono::steady_clock::time_point time;
  };
  void record(Kind kind, std::size_t number) {
    if (events_.size() == events_.capacity() || !traces_.load(std::memory_order_relaxed)) return;
    events_.push_back({kind, static_cast<std::uint32_t>(number), std::chrono::steady_clock::now()});
  }

  std::uint64_t allocations_ = 0;  // before the forward pass under way
  std::atomic<bool> traces_{false};
  std::vector<Event> events_;
};

}  // namespace senet
