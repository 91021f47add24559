// Where self-play gets game numbers and delivers finished games.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>

#include "selfplay/game_record.hpp"

namespace senet {

/// Hands out game numbers, each once, up to the last one or until halt(). Used by any thread.
class GameNumbers {
 public:
  explicit GameNumbers(std::uint64_t first,
                       std::uint64_t end = std::numeric_limits<std::uint64_t>::max())
      : next_(first), end_(end) {}

  /// The number of the next game to play, or nothing when there are no more.
  std::optional<std::uint64_t> take() {
    if (halted_.load(std::memory_order_relaxed)) return std::nullopt;
    const std::uint64_t number = next_.fetch_add(1, std::memory_order_relaxed);
    if (number >= end_) return std::nullopt;
    return number;
  }
  /// Stops handing out numbers: games in progress are finished, no new ones are started.
  void halt() { halted_.store(true, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> next_;
  const std::uint64_t end_;
  std::atomic<bool> halted_{false};
};

/// Receives finished games. Called from worker threads.
class GameSink {
 public:
  virtual ~GameSink() = default;
  /// Takes ownership of the record and returns true, or leaves it unchanged and returns false when
  /// there is no room; the lane then waits and offers it again. Never blocks.
  virtual bool offer(GameRecord& record) = 0;
};

}  // namespace senet
