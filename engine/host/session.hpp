// A session: one game that a host plays or analyses, and its search.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/host/memory_budget.hpp"
#include "games/any_game.hpp"
#include "nn/heap.hpp"
#include "nn/levels.hpp"
#include "search/decision.hpp"
#include "search/settings.hpp"
#include "senet/result.hpp"

namespace senet {

class AnySearchPool;
struct ServedGame;
class Service;

using ServiceClock = std::chrono::steady_clock;

/// Among searches that share a worker, one of high priority gets twice as many visits as a normal
/// one, which gets twice as many as a low one.
enum class Priority : std::uint8_t { kLow, kNormal, kHigh };

/// Why a search ended. The numbers are those of senet_ending. kVisits: at its visits or its depth.
enum class Ending : std::uint8_t { kVisits, kTime, kStopped, kProven, kTreeFull };

/// The result of a search. Values are for the player to move.
struct SessionResult {
  Ending ending = Ending::kVisits;
  Action action = 0;         // to play
  float value = 0;           // in the game's points
  std::uint32_t visits = 0;  // of the root
  std::uint32_t kept = 0;    // of these, visits of earlier searches
  std::uint32_t evaluations = 0;
  std::uint32_t depth = 0;      // longest line searched, in moves that were not forced
  double tree_filled = 0;       // share of the tree's memory that is used
  std::uint64_t model = 0;      // id of the weights that the search used
  std::vector<float> outcomes;  // probability of each way to end, in the game's order
  std::vector<Choice> choices;  // all legal actions: the best, then by proofs, visits and prior

  /// A principal variation, for each of the first SessionLimits::lines choices: the expected
  /// actions, beginning with the choice, and the probabilities of the ways to end after it.
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
  std::vector<Action> line_actions;      // of all lines, concatenated
  std::vector<std::uint32_t> line_ends;  // end of each line in line_actions
  std::vector<float> line_outcomes;      // [lines, outcomes]
};

/// A search ends at the first limit that it reaches; 0: no limit. Without any it ends when its tree
/// is full or it is stopped.
struct SessionLimits {
  std::uint32_t visits = 0;  // of the root, including those kept from the previous search
  std::uint32_t depth = 0;   // of the longest line (SessionResult::depth)
  std::chrono::microseconds time{0};
  std::vector<Action> actions = {};  // to choose from: legal, each once; empty: all
  bool reuse_tree = true;  // with ServiceSettings::search.reuse_tree: begins with what is left of
                           // the last search's tree, if neither search was limited to actions
  float temperature = 0;   // the action is drawn with weights visits^(1 / temperature); 0: the best
  /// Plays at this level, and not with `temperature`: makes at most the level's visits, begins with
  /// an empty tree, and draws the action with draw_at_level().
  std::optional<Level> level = {};
  bool noise = false;  // Dirichlet noise at the root, so that games differ
  /// Replaces ServiceSettings::search in this search, as Search::adjust does.
  std::optional<SearchSettings> search = {};
  Priority priority = Priority::kNormal;
  std::uint32_t lines = 0;  // of the result, at most ServiceSettings::lines
  /// Receives the result so far every `progress_every` or so, on the thread that searches. It may
  /// read the session's position and result() and stop the search. Exceptions from it are dropped.
  std::function<void(const SessionResult&)> progress = nullptr;
  std::chrono::microseconds progress_every = std::chrono::seconds(1);
};

/// A session of any game: its position and its search. Any thread may call the functions for hosts.
/// During a search the position does not change: set() and play() fail with SENET_BUSY. SessionOf
/// adds the parts that depend on the game's type.
class Session {
 public:
  /// Called once per search, on the thread that ended it, when the session is idle again: it may be
  /// searched, played or closed from here. Exceptions from it are dropped.
  using Done = std::function<void()>;

  virtual ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Service& service() const { return service_; }

  /// A position as hosts give it: its text, or the empty text for the start. SENET_BAD_ARGUMENT if
  /// it cannot be parsed.
  static Result<AnyState> position_from_text(const AnyGame& game, std::string_view text);
  /// Sets the position from text (empty: the start) and plays actions from there, including chance
  /// outcomes. On failure nothing has changed.
  Result<void> set(std::string_view text, std::span<const Action> actions);
  /// The same from a state of the session's game.
  Result<void> set_position(const AnyState& state);
  /// The position of another session of the same game, with what undo() can take back there.
  Result<void> set_as(const Session& other);
  /// Plays a legal action or a chance outcome. Keeps the part of the tree below it.
  Result<void> play(Action action);
  /// Takes back the last action that play() or set() played; at most kMostUndone in a row.
  Result<void> undo();
  static constexpr std::size_t kMostUndone = 1024;

  /// A copy of the position, to be used outside the lock: a host's text functions may be slow, and
  /// the searching thread needs the lock to end a search. Under the lock, only turn() and outcome()
  /// of a host's game are called during a search.
  AnyState position() const;
  /// The position as text, the turn, the legal actions (empty unless a player is to move), the
  /// probabilities of the chance outcomes (empty unless it is chance's turn), and the notation of
  /// both: SENET_BAD_ACTION for an action that is not legal or cannot be parsed.
  Result<std::string> text() const;
  Turn turn() const;
  std::vector<Action> legal() const;
  std::vector<float> chance() const;
  Result<std::string> action_text(Action action) const;
  Result<Action> action_from_text(std::string_view text) const;
  /// How a finished game ended, from player 0's perspective: an index into outcome_values().
  Result<std::uint8_t> outcome() const;
  /// [ways to end] values, for the player from whose perspective an outcome is seen.
  std::span<const float> outcome_values() const { return state_.game().outcome_values; }

  /// Asks a running search to end with the result so far, after one visit at least.
  void stop();
  /// Waits until no search and no callback of one is running; false if that takes longer. Another
  /// thread must search meanwhile, and none may close the session: see Service::wait.
  bool wait(std::chrono::microseconds time) const;
  /// The result of the last search or, in SessionLimits::progress, of the running one so far.
  /// SENET_BUSY while a search runs otherwise, SENET_BAD_STATE before the first and
  /// after the position has changed, and the search's own error if it failed.
  Result<SessionResult> result() const;
  /// The same without a copy: calls read(const SessionResult&) while holding the lock.
  template <class Read>
  Result<void> read_result(Read&& read) const {
    const KeepAlive alive(*this);
    const std::lock_guard lock(mutex_);
    if (auto there = has_result(); !there) return there;
    read(result_);
    return {};
  }

  /// Keeps the session alive even if it is closed: closing waits for every KeepAlive or, in a
  /// callback, lets the last one free the session.
  class KeepAlive {
   public:
    explicit KeepAlive(const Session& session);
    ~KeepAlive();
    KeepAlive(const KeepAlive&) = delete;
    KeepAlive& operator=(const KeepAlive&) = delete;

   private:
    const Session& session_;
  };

  // For the service.

  ServedGame& served() const { return served_; }
  /// Begins a search in this pool; the caller passes the session to the pool's worker.
  Result<void> begin(SessionLimits limits, Done done, AnySearchPool& pool);
  /// stop() without a KeepAlive, for callers that know the session to be alive.
  void ask_to_end();
  /// Stops the running search and refuses new ones.
  void mark_closed();
  void wait_for_users() const;
  /// True if it can be destroyed now; else the search, callback or KeepAlive that ends last calls
  /// Service::release for it.
  bool may_destroy();

  // For the pool, which owns the search from begin() to hand_back(). Called on the pool's thread.

  /// The pool of the last search, of which there was at least one. Any thread.
  AnySearchPool& pool() const { return *pool_.load(); }
  const SessionLimits& limits() const { return limits_; }
  ServiceClock::time_point deadline() const { return deadline_; }
  bool is_stopped() const { return stop_.load(std::memory_order_relaxed); }
  /// Calls limits().progress with the result so far. The search waits meanwhile.
  void show_progress() noexcept;
  /// Ends the search, with a result if the status is SENET_OK. The session may be destroyed when
  /// this returns.
  void hand_back(senet_status status) noexcept;

  /// The next one in a worker's list of arrivals.
  Session* next_arrival = nullptr;

 protected:
  /// At the start of the served game. `memory` is the reservation for one session.
  Session(Service& service, ServedGame& served, MemoryBudget::Reservation memory);
  /// Sets the root position of the next search.
  virtual void set_root(const AnyState& state) = 0;

  // Belongs to the pool during a search. Its lists reserve all their memory on construction.
  SessionResult result_;

 private:
  // The caller holds mutex_.
  bool is_used() const { return searching_ || calling_ > 0 || users_ > 0; }
  Result<void> has_result() const;
  void finish_use(std::unique_lock<std::mutex>& lock) const;
  template <class Function>
  auto locked(Function&& function) const -> decltype(function());
  template <class Function>
  auto when_idle(Function&& function) const -> decltype(function());

  /// The legal actions, or the probabilities of the chance outcomes, of a position.
  struct Options {
    std::vector<Action> legal;
    std::vector<float> chance;

    void find(const AnyState& state);
    bool has(Action action) const;
  };
  // The caller holds mutex_, and no search is running. If a host's function throws, nothing has
  // changed.
  void move_to(const AnyState& state);
  void note_played(Action action);
  // Logs the reason of an error, because not every function of senet.h can return one.
  Result<std::string> or_logged(Result<std::string> text) const;

  Service& service_;
  ServedGame& served_;
  const MemoryBudget::Reservation memory_;
  AnyState state_;
  // The way to state_, for undo(): the actions that were played from base_. Guarded by mutex_.
  AnyState base_;
  std::vector<Action> played_;
  // here_: the options of state_. Computed when the position changes, never during a search: under
  // the lock a slow function of the host's would block the searching thread. next_: memory for
  // another position.
  Options here_, next_;
  mutable std::mutex mutex_;
  mutable std::condition_variable became_idle_;
  bool searching_ = false;
  bool shows_ = false;  // limits_.progress is running, and result_ is the result so far
  // SENET_OK: result_ is that of this position; SENET_BAD_STATE: no search of it has ended; other:
  // the error that ended the search.
  senet_status found_ = SENET_BAD_STATE;
  Done done_;
  SessionLimits limits_;
  ServiceClock::time_point deadline_;
  std::atomic<AnySearchPool*> pool_{nullptr};  // read by stop() at any time
  std::atomic<bool> stop_{false};
  bool closing_ = false;       // no new searches
  bool frees_itself_ = false;  // see may_destroy()
  std::uint32_t calling_ = 0;  // threads inside a done_ of this session
  // Incremented before locking mutex_, because a thread that waits for the lock uses the session.
  mutable std::atomic<std::uint32_t> users_{0};
};

}  // namespace senet
