// One game being played or analysed for a host, and its search.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/host/ledger.hpp"
#include "games/any_game.hpp"
#include "nn/heap.hpp"
#include "search/decision.hpp"
#include "senet/result.hpp"

namespace senet {

class AnySearchPool;
struct GameRoom;
class Service;

using ServiceClock = std::chrono::steady_clock;

/// Of searches that share a worker one of high priority gets twice the visits of a normal one, and
/// that twice those of a low one.
enum class Priority : std::uint8_t { kLow, kNormal, kHigh };

/// Why a search ended. The numbers are those of senet_ending.
enum class Ending : std::uint8_t { kVisits, kTime, kStopped, kProven, kTreeFull };

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

/// A session of any game: its position, and its search. Every function for hosts may be called from
/// any thread; between the start of a search and its end the position stays what it is, and set()
/// and play() fail with SENET_BUSY. What the game's type decides is a SessionOf.
class Session {
 public:
  /// Called once for each search that was begun, on the thread that ended it, when the session is
  /// idle again: it may be searched, played or closed from here. What it throws is lost.
  using Done = std::function<void()>;

  virtual ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// The service that it is part of.
  Service& service() const { return service_; }

  /// Sets the position from text and plays actions from there (chance outcomes too). On failure
  /// nothing has changed.
  Result<void> set(std::string_view text, std::span<const Action> actions);
  /// Plays a legal action or a chance outcome; what the tree knows about what follows is kept.
  Result<void> play(Action action);

  /// The position: a copy. A host's texts may take their time, and the thread that searches needs
  /// the lock to end a search. Under the lock a host's game is asked nothing else but whose turn it
  /// is.
  AnyState position() const;
  /// The position as text, whose turn it is, the legal actions (empty but on a player's turn), the
  /// probabilities of chance's outcomes (empty but on its turn), and the notation of both and back:
  /// SENET_BAD_ACTION when it is not legal, or not one.
  Result<std::string> text() const;
  Turn turn() const;
  std::vector<Action> legal() const;
  std::vector<float> chance() const;
  Result<std::string> action_text(Action action) const;
  Result<Action> action_from_text(std::string_view text) const;
  /// How a finished game ended, as player 0 sees it: a number of the game's outcomes.
  Result<std::uint8_t> outcome() const;
  /// The value of each way to end, for the player whose outcomes they are.
  std::span<const float> outcome_values() const { return state_.game().outcome_values; }

  /// Asks the search under way to end with what it has, at least one visit. Harmless otherwise.
  void stop();
  /// Waits until no search is under way and no callback of one either: false when that took longer.
  /// Another thread has to search meanwhile, and none may close the session: see Service::wait.
  bool wait(std::chrono::microseconds time) const;
  /// Of the last search that ended; SENET_BUSY during one, SENET_BAD_STATE before the first and
  /// after the position has changed, and what ended the search if it failed.
  Result<SessionResult> result() const;
  /// The same as read(const SessionResult&), without a copy; it is good until then.
  template <class Read>
  Result<void> read_result(Read&& read) const {
    const Stay stay(*this);
    const std::lock_guard lock(mutex_);
    if (auto there = has_result(); !there) return there;
    read(result_);
    return {};
  }

  /// While one of these lives the session is not destroyed, even if it is closed: closing waits for
  /// it, or, in a callback, leaves the session to the last of them.
  class Stay {
   public:
    explicit Stay(const Session& session);
    ~Stay();
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;

   private:
    const Session& session_;
  };

  // For the service.

  GameRoom& room() const { return room_; }
  /// Begins a search in this pool, whose worker has to take it then.
  Result<void> begin(SessionLimits limits, Done done, AnySearchPool& pool);
  /// What stop() does, for callers that the session outlives anyway.
  void ask_to_end();
  /// No search begins any more, and the one under way is stopped.
  void mark_closed();
  void wait_for_stays() const;
  /// True when it can be destroyed now; else the search, callback or Stay that ends last calls
  /// Service::release for it.
  bool can_go();

  // For the pool, to which the search belongs from begin() to hand_back(). Its thread.

  /// The pool of the last search; one has been begun. Any thread.
  AnySearchPool& pool() const { return *pool_.load(); }
  const SessionLimits& limits() const { return limits_; }
  ServiceClock::time_point deadline() const { return deadline_; }
  bool is_stopped() const { return stop_.load(std::memory_order_relaxed); }
  /// Shows the host the result so far. The search waits meanwhile.
  void show_progress() noexcept;
  /// The search is over, with a result if the status is SENET_OK. The session may be gone when this
  /// returns.
  void hand_back(senet_status status) noexcept;

  /// The one behind it in a worker's list of arrivals.
  Session* next_arrival = nullptr;

 protected:
  /// At the start of the room's game. `memory` is that of one of its sessions.
  Session(Service& service, GameRoom& room, Ledger::Charge memory);
  /// The position that the next search begins with.
  virtual void set_root(const AnyState& state) = 0;

  // Belongs to the pool during a search. Its lists have all their memory from the beginning.
  SessionResult result_;

 private:
  // Needs mutex_.
  bool is_used() const { return searching_ || calling_ > 0 || stays_ > 0; }
  Result<void> has_result() const;
  void notice_end(std::unique_lock<std::mutex>& lock) const;
  template <class Function>
  auto locked(Function&& function) const -> decltype(function());
  template <class Function>
  auto when_idle(Function&& function) const -> decltype(function());

  /// What can be done in a position: legal actions, or the probabilities of chance's outcomes.
  struct Options {
    std::vector<Action> legal;
    std::vector<float> chance;

    void find(const AnyState& state);
    bool has(Action action) const;
  };
  // These need mutex_, and no search under way. What the host's functions throw leaves all as it
  // was.
  void move_to(const AnyState& state);
  // A text, if there is one; else the log hears why not: not every function has a place for a
  // reason.
  Result<std::string> or_logged(Result<std::string> text) const;

  Service& service_;
  GameRoom& room_;
  const Ledger::Charge memory_;
  AnyState state_;
  // What can be done in state_. Found while no search is under way: a host's function that took its
  // time under the lock would hold up the thread that ends searches.
  Options here_, next_;  // next_: memory for a position that is looked at
  mutable std::mutex mutex_;
  mutable std::condition_variable became_idle_;
  bool searching_ = false;
  // SENET_OK: there is a result of this position, SENET_BAD_STATE: no search of it has ended; else
  // what ended the search instead.
  senet_status found_ = SENET_BAD_STATE;
  Done done_;
  SessionLimits limits_;
  ServiceClock::time_point deadline_;
  std::atomic<AnySearchPool*> pool_{nullptr};  // read by stop() at any moment
  std::atomic<bool> stop_{false};
  bool closing_ = false;         // no search begins any more
  bool goes_by_itself_ = false;  // see can_go()
  std::uint32_t calling_ = 0;    // threads inside a done_ of this session
  // Counted before the lock is taken: a thread that still waits for the lock is inside, too.
  mutable std::atomic<std::uint32_t> stays_{0};
};

}  // namespace senet
