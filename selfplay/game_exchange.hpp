// The two small interfaces self-play knows of the world: where games come from, and where they go.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>

#include "selfplay/game_record.hpp"

namespace senet {

/// Hands out game numbers, each once, until the last one or until somebody calls a halt. Any
/// thread.
class GameNumbers {
 public:
  explicit GameNumbers(std::uint64_t first,
                       std::uint64_t end = std::numeric_limits<std::uint64_t>::max())
      : next_(first), end_(end) {}

  /// The next game to play; nothing when there is none.
  std::optional<std::uint64_t> take() {
    if (halted_.load(std::memory_order_relaxed)) return std::nullopt;
    const std::uint64_t number = next_.fetch_add(1, std::memory_order_relaxed);
    if (number >= end_) return std::nullopt;
    return number;
  }
  /// Games under way are finished, no new ones begun.
  void halt() { halted_.store(true, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> next_;
  const std::uint64_t end_;
  std::atomic<bool> halted_{false};
};

/// Takes finished games. Called from worker threads.
class GameSink {
 public:
  virtual ~GameSink() = default;
  /// Takes the record over and returns true, or leaves it as it is and returns false when there is
  /// no room now: then the lane waits and offers again. Never blocks.
  virtual bool offer(GameRecord& record) = 0;
};

}  // namespace senet
