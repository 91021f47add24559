// What one worker did when, as a file that chrome://tracing and Perfetto show.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "senet/result.hpp"

namespace senet {

/// Records a stated number of forward passes and the lanes' work between them, in memory reserved
/// beforehand. The spans of one worker: `gather` and `forward` in turns, and inside a gather one
/// `lane` after the other. Written by the worker's thread; begin() may be called by any, write()
/// once the worker has ended.
class WorkerTrace {
 public:
  using Clock = std::chrono::steady_clock;

  WorkerTrace(std::size_t passes, std::size_t lanes);

  /// From the end of the next forward pass on, everything is recorded.
  void begin() { wanted_.store(true, std::memory_order_relaxed); }

  /// What the worker does now; clocks are read only while it is recorded.
  void turn(std::size_t lane);
  void forward_begins(std::size_t rows);
  void forward_ended();

  /// Writes what was recorded. `encode_ns` is what encoding a row takes, from which each gather
  /// says how much of it that was, about. Fails with a reason that names the file.
  Result<void> write(const std::filesystem::path& file, double encode_ns) const;

 private:
  enum class Kind : std::uint8_t { kGather, kForward, kLane };
  struct Span {
    Kind kind;
    std::uint32_t number;  // rows, or which lane
    std::int64_t begin_ns, end_ns;
  };
  void end_turn(Clock::time_point end);
  void add(Kind kind, std::size_t number, Clock::time_point begin, Clock::time_point end);

  std::size_t lanes_;
  std::atomic<bool> wanted_{false};
  bool started_ = false, full_ = false;
  std::optional<std::size_t> lane_;  // whose turn it is
  std::size_t rows_ = 0;
  Clock::time_point origin_{}, last_end_{}, turn_began_{}, forward_began_{};
  std::vector<Span> spans_;
};

}  // namespace senet
