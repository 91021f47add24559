// One game being played or analysed for a host: what it may be told, and how its searches end.
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

#include "search/decision.hpp"
#include "senet/game.hpp"
#include "senet/result.hpp"

namespace senet {

class AnySearchPool;
class GameRoom;
class Service;
class ServiceWorker;

using ServiceClock = std::chrono::steady_clock;

/// Of searches that share a worker one of high priority gets twice the visits of a normal one, and
/// that twice those of a low one.
enum class Priority : std::uint8_t { kLow, kNormal, kHigh };

/// A search ends at whichever limit comes first; 0: no such limit. With neither it ends when its
/// tree is full or when it is stopped.
struct SessionLimits {
  std::uint32_t visits = 0;  // of the root, those kept from the last search included
  std::chrono::microseconds time{0};
  float temperature = 0;  // the action is drawn with weights visits^(1 / temperature); 0: the best
  bool noise = false;     // Dirichlet noise at the root, for games that shall differ
  Priority priority = Priority::kNormal;
};

/// Why a search ended. The numbers are those of senet_ending.
enum class Ending : std::uint8_t {
  kVisits = 0,
  kTime = 1,
  kStopped = 2,
  kProven = 3,
  kTreeFull = 4
};

/// What a search found. Values are told for the player to move.
struct SessionResult {
  Ending ending = Ending::kVisits;
  Action action = 0;         // to play
  float value = 0;           // in the game's values
  std::uint32_t visits = 0;  // of the root
  std::uint32_t evaluations = 0;
  std::uint32_t depth = 0;      // longest line looked at, in moves that were not forced
  std::uint64_t model = 0;      // id of the weights that answered
  std::vector<float> outcomes;  // shares of the ways the game can end, in the game's order
  std::vector<Choice> choices;  // all legal actions: the best, then by proofs, visits and prior
};

/// A session of any game. Every function may be called from any thread; between the start of a
/// search and its end the position stays what it is, and set() and play() fail with kBusy.
class Session {
 public:
  /// Called once for each search that was begun, on the thread that ended it, when the session is
  /// idle again: it may be searched, played or closed from here. What it throws is lost.
  using Done = std::function<void()>;

  virtual ~Session() = default;

  /// Whose it is.
  Service& service() const { return *service_; }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Sets the position from text and plays actions from there (chance outcomes too). On failure
  /// nothing has changed.
  Result<void> set(std::string_view text, std::span<const Action> actions);
  /// Plays a legal action or a chance outcome; what the tree knows about what follows is kept.
  Result<void> play(Action action);

  /// The position as text, who is to act, the legal actions (empty but on a player's turn), the
  /// probabilities of chance's outcomes (empty but on its turn), and the notation of both and back:
  /// kBadAction when it is not legal, or not one.
  Result<std::string> text() const;
  Turn turn() const;
  std::vector<Action> legal() const;
  std::vector<float> chance() const;
  Result<std::string> action_text(Action action) const;
  Result<Action> action_from_text(std::string_view text) const;
  /// Calls read(std::span<const Action>) with what legal() would return, which is good until then.
  template <class Read>
  void read_legal(Read&& read) const {
    const Stay stay(*this);
    const std::lock_guard lock(mutex_);
    read(legal_now());
  }
  /// How a finished game ended, as player 0 sees it: a number of the game's outcomes.
  Result<std::uint8_t> outcome() const;

  /// Asks the search under way to end with what it has, at least one visit. Harmless otherwise.
  void stop();
  /// Waits until no search is under way and no callback of one either: false when that took longer.
  /// Somebody else has to search meanwhile, and nobody may close the session: see Service::wait.
  bool wait(std::chrono::microseconds time) const;
  /// Of the last search that ended; kBusy during one, kBadState before the first and after the
  /// position has changed, and what ended the search if it failed.
  Result<SessionResult> result() const;
  /// The same as read(const SessionResult&), without a copy; it is good until then.
  template <class Read>
  Result<void> read_result(Read&& read) const {
    const Stay stay(*this);
    const std::lock_guard lock(mutex_);
    if (auto there = has_result_now(); !there) return there;
    read(result_);
    return {};
  }

 protected:
  Session() = default;

  // What a game makes of the above; the session is locked, and idle where the game may change.
  virtual Result<void> set_position(std::string_view text, std::span<const Action> actions) = 0;
  virtual Result<void> play_action(Action action) = 0;
  virtual Turn turn_now() const = 0;
  virtual std::span<const Action> legal_now() const = 0;
  virtual std::vector<float> chance_now() const = 0;
  virtual std::uint8_t outcome_now() const = 0;
  // These take the lock for a copy of the position only: a host's texts may take their time, and
  // the thread that searches needs the lock to end a search. The others ask a host's game nothing
  // but whose turn it is.
  virtual Result<std::string> position_text() const = 0;
  virtual Result<std::string> text_of(Action action) const = 0;
  virtual Result<Action> action_of(std::string_view text) const = 0;

  // A text, if there is one; else the log hears why not: not every function has a place for a
  // reason.
  Result<std::string> told(Result<std::string> text) const;

 private:
  friend class Service;
  friend class ServiceWorker;
  template <Game G>
  friend class SearchPool;
  template <Game G>
  friend class SessionOf;

  /// While one of these lives the session is not destroyed, whoever closes it: closing waits for
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

  // The session's side of a search: begin() by a host's thread, end() or end_failed() by the one
  // that searched. The session may be gone when they return.
  Result<void> begin(const SessionLimits& limits, Done done, ServiceWorker& worker,
                     AnySearchPool& pool);
  void end();
  void end_failed(senet_status status) noexcept;
  void tell_end(std::unique_lock<std::mutex> lock) noexcept;

  // What stop() does, for those whom the session outlives anyway.
  void ask_to_end();
  // No search begins any more, and the one under way is stopped.
  void mark_closed();
  void wait_for_stays() const;
  // True when it can be destroyed now; else the search, callback or Stay that ends last calls
  // Service::release for it.
  bool can_go();
  // Needs mutex_.
  bool is_used() const { return searching_ || telling_ > 0 || stays_ > 0; }
  ServiceWorker* worker() const;

  Result<void> has_result_now() const;
  template <class Function>
  auto locked(Function&& function) const -> decltype(function());
  template <class Function>
  auto when_idle(Function&& function) const -> decltype(function());

  mutable std::mutex mutex_;
  mutable std::condition_variable became_idle_;
  bool searching_ = false;
  bool has_result_ = false;
  senet_status failed_ = SENET_OK;  // what ended the last search instead of a result
  SessionResult result_;  // written by the thread that searches; its lists have all their memory
  Done done_;
  SessionLimits limits_;
  ServiceClock::time_point deadline_;
  std::atomic<bool> stop_{false};
  Service* service_ = nullptr;
  GameRoom* room_ = nullptr;
  bool closing_ = false;         // no search begins any more
  bool goes_by_itself_ = false;  // see can_go()
  std::uint32_t telling_ = 0;    // threads inside a done_ of this session
  // Counted before the lock is taken: who still waits for the lock is inside, too.
  mutable std::atomic<std::uint32_t> stays_{0};

  // Of the search under way; the pool is read by stop() at any moment.
  ServiceWorker* worker_ = nullptr;
  std::atomic<AnySearchPool*> pool_{nullptr};
  Session* next_arrival_ = nullptr;  // the worker's
};

}  // namespace senet
