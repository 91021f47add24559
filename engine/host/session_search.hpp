// The searching side of a session: what a worker gets when a search begins, and hands back when it
// is over.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "games/any_game.hpp"
#include "search/decision.hpp"
#include "senet/result.hpp"

namespace senet {

class AnySearchPool;
class ServiceWorker;
class Session;

using ServiceClock = std::chrono::steady_clock;

/// Of searches that share a worker one of high priority gets twice the visits of a normal one, and
/// that twice those of a low one.
enum class Priority : std::uint8_t { kLow, kNormal, kHigh };

/// Why a search ended. The numbers are those of senet_ending.
enum class Ending : std::uint8_t {
  kVisits = 0,
  kTime = 1,
  kStopped = 2,
  kProven = 3,
  kTreeFull = 4
};

/// What a search found. Values are those of the player to move.
struct SessionResult {
  Ending ending = Ending::kVisits;
  Action action = 0;         // to play
  float value = 0;           // in the game's values
  std::uint32_t visits = 0;  // of the root
  std::uint32_t evaluations = 0;
  std::uint32_t depth = 0;      // longest line looked at, in moves that were not forced
  double tree_filled = 0;       // share of the tree's memory that is used
  std::uint64_t model = 0;      // id of the weights that answered
  std::vector<float> outcomes;  // shares of the ways the game can end, in the game's order
  std::vector<Choice> choices;  // all legal actions: the best, then by proofs, visits and prior

  /// Of the first choices, as many as SessionLimits::lines asked for: the actions that are expected
  /// to follow, that choice included, and the shares of the ways to end behind it.
  struct Line {
    std::span<const Action> actions;  // at least one
    std::span<const float> outcomes;
  };
  std::size_t lines() const { return line_ends.size(); }
  Line line(std::size_t number) const {
    const std::size_t first = number == 0 ? 0 : line_ends[number - 1];
    return {std::span(line_actions).subspan(first, line_ends[number] - first),
            std::span(line_outcomes).subspan(number * outcomes.size(), outcomes.size())};
  }
  std::vector<Action> line_actions;      // of all lines, one after the other
  std::vector<std::uint32_t> line_ends;  // where each ends in line_actions
  std::vector<float> line_outcomes;      // [lines, outcomes]
};

/// A search ends at whichever limit comes first; 0: no such limit. With neither visits nor time it
/// ends when its tree is full or when it is stopped.
struct SessionLimits {
  std::uint32_t visits = 0;  // of the root, those kept from the last search included
  std::chrono::microseconds time{0};
  float temperature = 0;  // the action is drawn with weights visits^(1 / temperature); 0: the best
  bool noise = false;     // Dirichlet noise at the root, for games that shall differ
  Priority priority = Priority::kNormal;
  std::uint32_t lines = 0;  // of the result, at most ServiceSettings::lines
  /// No search: the result is what the network alone makes of the position, its value and outcomes,
  /// on the turn of chance too; a finished game is what it is. Of the limits above, `priority`
  /// counts.
  bool network_alone = false;
  /// The result so far, about this often while the search goes on, on the thread that searches. It
  /// may read the session's position and stop the search; what it throws is lost.
  std::function<void(const SessionResult&)> progress = nullptr;
  std::chrono::microseconds progress_every = std::chrono::seconds(1);
};

/// A search of any game. Its session begins it and gets it back by Session::search_ended(); in
/// between it belongs to a worker's pool, and the session may only stop() it.
class SessionSearch {
 public:
  explicit SessionSearch(Session& owner) : owner_(owner) {}
  virtual ~SessionSearch() = default;
  SessionSearch(const SessionSearch&) = delete;
  SessionSearch& operator=(const SessionSearch&) = delete;

  // The session's side.

  /// A search of `state`, for a worker, which gets it next, and its pool.
  void begin(const AnyState& state, SessionLimits limits, ServiceWorker& worker,
             AnySearchPool& pool);
  /// Asks it to end with what it has, at least one visit. Any thread, at any time.
  void stop();
  /// After it came back.
  const SessionResult& result() const { return result_; }
  SessionLimits take_limits() { return std::exchange(limits_, {}); }

  // The worker's side.

  ServiceWorker& worker() const { return *worker_; }
  AnySearchPool& pool() const { return *pool_.load(); }
  const SessionLimits& limits() const { return limits_; }
  ServiceClock::time_point deadline() const { return deadline_; }
  bool is_stopped() const { return stop_.load(std::memory_order_relaxed); }
  void show_progress() noexcept;
  /// The last that its pool does with it.
  void hand_back(senet_status status) noexcept;

  /// The one behind it in a worker's list of arrivals.
  SessionSearch* next_arrival = nullptr;

 protected:
  virtual void set_root(const AnyState& state) = 0;

  SessionResult result_;  // its lists have all their memory from the beginning

 private:
  Session& owner_;
  SessionLimits limits_;
  ServiceClock::time_point deadline_;
  ServiceWorker* worker_ = nullptr;
  std::atomic<AnySearchPool*> pool_{nullptr};  // read by stop() at any moment
  std::atomic<bool> stop_{false};
};

}  // namespace senet
