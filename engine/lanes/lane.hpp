// A lane: one game's search and what it shares with the other lanes of its worker.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>

#include "engine/lanes/fiber.hpp"
#include "engine/lanes/worker_report.hpp"
#include "nn/batch.hpp"
#include "search/search.hpp"

namespace senet {

/// What the lanes of one worker have in common. Belongs to the worker's thread.
template <Game G>
struct SharedByLanes {
  Batch batch;
  std::unique_ptr<Tree<G>> spare;  // the other half of every lane's arena, used by one at a time
  std::uint64_t model = 0;         // id of the network that answers
  bool swap_pending = false;       // newer weights wait: begin no search until they are loaded
  std::uint32_t searching = 0;     // searches under way
  WorkerReport* report = nullptr;
};

/// Why a lane stopped running for now.
enum class LaneState : std::uint8_t {
  kReady,     // can go on at once
  kAnswers,   // its rows are in the batch
  kRoom,      // the batch is full
  kBlocked,   // waits for something outside: newer weights, or room in the hand-over queue
  kFinished,  // will never go on
};

/// One game at a time, one search, one arena. Belongs to its worker's thread; never moves.
template <Game G>
class Lane {
 public:
  Lane(SharedByLanes<G>& shared, const SearchSettings& settings, const TreeLimits& limits)
      : shared_(shared), search_(settings, limits) {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Forgets the last game: what a search finds must not depend on which game this lane played
  /// before.
  void begin_game() { search_.forget(); }

  /// Begins a search; false while it may not, because newer weights are about to be loaded.
  bool begin(const G& state, const SearchBudget& budget, Random noise) {
    if (shared_.swap_pending) return false;
    if (model_ != shared_.model) search_.forget();
    model_ = shared_.model;
    ++shared_.searching;
    search_.start(state, budget, noise, &shared_.spare);
    kept_ = search_.tree()[search_.root()].n;
    return true;
  }

  /// Carries the search on: kReady when it is done, else what it waits for.
  LaneState advance() {
    if (asked_) search_.absorb();
    Step step;
    do {
      step = search_.gather(shared_.batch);
    } while (step == Step::kPaused);
    asked_ = step == Step::kWaiting;
    if (step != Step::kDone) return asked_ ? LaneState::kAnswers : LaneState::kRoom;
    --shared_.searching;
    WorkerReport::add(shared_.report->searches, 1);
    WorkerReport::add(shared_.report->visits, search_.tree()[search_.root()].n - kept_);
    return LaneState::kReady;
  }

  /// Searches `state`, which is not over, to the end of the budget; called by a story running on
  /// this lane's fiber. This and wait() are the only places where a game can suspend.
  Decision<G> think(const G& state, const SearchBudget& budget, Random noise) {
    while (!begin(state, budget, noise)) suspend(LaneState::kBlocked);
    for (;;) {
      const LaneState wants = advance();
      if (wants == LaneState::kReady) return search_.decision();
      suspend(wants);
    }
  }

  /// Lets the other lanes run; returns at the worker's next round. For stories on fibers.
  void wait() {
    WorkerReport::add(shared_.report->waits, 1);
    suspend(LaneState::kBlocked);
  }

  Search<G>& search() { return search_; }
  /// Id of the network that answered the last search.
  std::uint64_t model() const { return model_; }
  WorkerReport& report() { return *shared_.report; }

  /// The fiber that tells this lane's story, while there is one; not owned.
  void attach_fiber(Fiber* fiber) { fiber_ = fiber; }
  LaneState state() const { return state_; }

 private:
  void suspend(LaneState state) {
    state_ = state;
    fiber_->suspend();
    state_ = LaneState::kReady;
  }

  SharedByLanes<G>& shared_;
  Search<G> search_;
  std::uint64_t model_ = 0;
  std::uint32_t kept_ = 0;
  bool asked_ = false;
  Fiber* fiber_ = nullptr;
  LaneState state_ = LaneState::kReady;
};

}  // namespace senet
