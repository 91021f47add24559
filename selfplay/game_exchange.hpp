// Where self-play gets games, delivers finished ones and parks those in play.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "selfplay/game_record.hpp"

namespace senet {

/// The next game to play: a new one, or one that was parked and continues.
struct NextGame {
  std::uint64_t number = 0;
  std::optional<GameRecord> parked = std::nullopt;
};

/// Hands out games, each number once, until all are handed out or until halt(). Used by any thread.
class GameNumbers {
 public:
  explicit GameNumbers(std::uint64_t first,
                       std::uint64_t end = std::numeric_limits<std::uint64_t>::max())
      : next_(first), end_(end) {}

  /// At most `most` games: first `parked` ones, which continue, then those of the numbers
  /// `missing`, which an earlier call began and did not finish, then new ones from `first` on.
  GameNumbers(std::deque<GameRecord> parked, std::deque<std::uint64_t> missing, std::uint64_t first,
              std::uint64_t most)
      : early_(std::min<std::uint64_t>(most, parked.size() + missing.size())),
        next_(first),
        end_(first + most - early_),
        parked_(std::move(parked)),
        missing_(std::move(missing)) {}

  /// The next game to play, or nothing when there are no more.
  std::optional<NextGame> take() {
    if (halted_.load(std::memory_order_relaxed)) return std::nullopt;
    if (early_.load(std::memory_order_relaxed) > 0) {
      if (auto early = take_early()) return early;
    }
    const std::uint64_t number = next_.fetch_add(1, std::memory_order_relaxed);
    if (number >= end_) return std::nullopt;
    return NextGame{number};
  }
  /// Copies of the parked games that no lane has taken.
  std::vector<GameRecord> parked() const {
    const std::lock_guard lock(mutex_);
    return {parked_.begin(), parked_.end()};
  }
  /// Hands out no more games; those in play are finished.
  void halt() { halted_.store(true, std::memory_order_relaxed); }

 private:
  std::optional<NextGame> take_early() {
    const std::lock_guard lock(mutex_);
    if (early_ == 0) return std::nullopt;
    --early_;
    NextGame next;
    if (!parked_.empty()) {
      next = {parked_.front().game_number, std::move(parked_.front())};
      parked_.pop_front();
    } else {
      next.number = missing_.front();
      missing_.pop_front();
    }
    return next;
  }

  std::atomic<std::uint64_t> early_{0};  // games of parked_ and missing_ still to be handed out
  std::atomic<std::uint64_t> next_;
  const std::uint64_t end_;
  std::atomic<bool> halted_{false};
  mutable std::mutex mutex_;  // of what follows
  std::deque<GameRecord> parked_;
  std::deque<std::uint64_t> missing_;
};

/// Receives finished games. Called from worker threads.
class GameSink {
 public:
  virtual ~GameSink() = default;
  /// Takes ownership of the record and returns true, or leaves it unchanged and returns false when
  /// there is no room; the lane then waits and offers it again. Never blocks.
  virtual bool offer(GameRecord& record) = 0;
};

/// Copies of the games in play. Workers hand them in between two forward passes when they are
/// asked, and when they stop in the middle of games.
class ParkedGames {
 public:
  explicit ParkedGames(std::size_t workers) : games_(workers) {}

  // Called by the run, on one thread at a time.

  /// Asks the running workers for their games, and waits for them at most so long. A worker that
  /// does not answer in time is represented by its previous answer.
  std::vector<GameRecord> collect(std::chrono::milliseconds most) {
    std::unique_lock lock(mutex_);
    const std::uint64_t asked = ++question_;
    answered_.wait_for(lock, most, [this, asked] {
      return std::ranges::all_of(
          games_, [asked](const Games& of) { return !of.plays || of.answers == asked; });
    });
    std::vector<GameRecord> all;
    for (const Games& of : games_) all.insert(all.end(), of.games.begin(), of.games.end());
    return all;
  }

  // Called by the worker of this number, on its thread.

  void begin(std::size_t worker) {
    const std::lock_guard lock(mutex_);
    games_[worker].plays = true;
  }
  /// The newest question; a worker answers each once. Costs a load.
  std::uint64_t question() const { return question_.load(std::memory_order_relaxed); }
  void answer(std::size_t worker, std::uint64_t question, std::vector<GameRecord> games) {
    const std::lock_guard lock(mutex_);
    games_[worker].answers = question;
    games_[worker].games = std::move(games);
    answered_.notify_all();
  }
  /// The worker answers no more questions; its last answer stays.
  void end(std::size_t worker) {
    const std::lock_guard lock(mutex_);
    games_[worker].plays = false;
    answered_.notify_all();
  }

 private:
  struct Games {
    bool plays = false;
    std::uint64_t answers = 0;  // the question
    std::vector<GameRecord> games;
  };

  std::atomic<std::uint64_t> question_{0};
  std::mutex mutex_;  // of what follows
  std::condition_variable answered_;
  std::vector<Games> games_;  // [workers]
};

}  // namespace senet
