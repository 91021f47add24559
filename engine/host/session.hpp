// One game being played or analysed for a host: the host's side of it, from any thread.
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
#include "engine/host/session_search.hpp"
#include "games/any_game.hpp"
#include "nn/heap.hpp"
#include "senet/result.hpp"

namespace senet {

class GameRoom;
class Service;

/// A session of any game: its position, and its search. Every function may be called from any
/// thread; between the start of a search and its end the position stays what it is, and set() and
/// play() fail with SENET_BUSY.
class Session {
 public:
  /// Called once for each search that was begun, on the thread that ended it, when the session is
  /// idle again: it may be searched, played or closed from here. What it throws is lost.
  using Done = std::function<void()>;

  /// At the start of the room's game. `number` is its own in the service, `memory` is that
  /// of one (GameRoom).
  Session(Service& service, GameRoom& room, std::uint64_t number, Charge memory);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// The service that it is part of.
  Service& service() const { return service_; }

  /// Sets the position from text and plays actions from there (chance outcomes too). On failure
  /// nothing has changed.
  Result<void> set(std::string_view text, std::span<const Action> actions);
  /// Plays a legal action or a chance outcome; what the tree knows about what follows is kept.
  Result<void> play(Action action);

  /// The position as text, whose turn it is, the legal actions (empty but on a player's turn), the
  /// probabilities of chance's outcomes (empty but on its turn), and the notation of both and back:
  /// SENET_BAD_ACTION when it is not legal, or not one.
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
    read(std::span<const Action>(here_.legal));
  }
  /// The notation of actions played one after the other, for instance a result's line.
  Result<std::vector<std::string>> line_text(std::span<const Action> actions) const;
  /// The player on turn or about to roll, and how many of the legal moves deserve a thought.
  Player viewer() const;
  std::size_t moves_to_consider() const;
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
    read(search_->result());
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
  /// Begins a search, which the worker has to take then.
  Result<SessionSearch*> begin(SessionLimits limits, Done done, ServiceWorker& worker,
                               AnySearchPool& pool);
  /// The worker of the last search; one has been begun.
  ServiceWorker& worker() const;
  /// What stop() does, for callers that the session outlives anyway.
  void ask_to_end() { search_->stop(); }
  /// No search begins any more, and the one under way is stopped.
  void mark_closed();
  void wait_for_stays() const;
  /// True when it can be destroyed now; else the search, callback or Stay that ends last calls
  /// Service::release for it.
  bool can_go();

  // For its search, on the thread that searches.

  /// A result so far, for SessionLimits::progress. The search waits meanwhile.
  void search_goes_on(const SessionResult& so_far) noexcept;
  /// The search is over, with a result if the status is SENET_OK. The thread that searched does not
  /// touch it any more: the session may be gone when this returns.
  void search_ended(senet_status status) noexcept;

 private:
  template <class Callback>
  void call(const Callback& callback) const noexcept;
  // Needs mutex_.
  bool is_used() const { return searching_ || calling_ > 0 || stays_ > 0; }
  Result<void> has_result() const;
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
  /// A copy: a host's texts may take their time, and the thread that searches needs the lock to end
  /// a search. Under the lock a host's game is asked nothing else but whose turn it is.
  AnyState position() const;
  // A text, if there is one; else the log hears why not: not every function has a place for a
  // reason.
  Result<std::string> or_logged(Result<std::string> text) const;

  Service& service_;
  GameRoom& room_;
  const Charge memory_;
  AnyState state_;
  // What can be done in state_. Found while no search is under way: a host's function that took its
  // time under the lock would hold up the thread that ends searches.
  Options here_, next_;  // next_: memory for a position that is looked at
  const OnHeap<SessionSearch> search_;
  mutable std::mutex mutex_;
  mutable std::condition_variable became_idle_;
  bool searching_ = false;
  bool has_result_ = false;
  senet_status failed_ = SENET_OK;  // what ended the last search instead of a result
  Done done_;
  bool closing_ = false;         // no search begins any more
  bool goes_by_itself_ = false;  // see can_go()
  std::uint32_t calling_ = 0;    // threads inside a done_ of this session
  // Counted before the lock is taken: a thread that still waits for the lock is inside, too.
  mutable std::atomic<std::uint32_t> stays_{0};
};

}  // namespace senet
