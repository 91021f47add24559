// A game in a service: its table of functions, and the pools, weights and memory of its sessions.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/host/service.hpp"
#include "engine/host/table_game.hpp"
#include "games/any_game.hpp"
#include "nn/cached_evaluator.hpp"
#include "nn/weights.hpp"
#include "search/tree.hpp"

namespace senet {

/// A search begins on the newest weights and ends on the weights it began with. Weights take memory
/// while they are at work (their packed form), and memory is promised for kMost of them: while so
/// many older ones are at work, searches begin on the newest of these. No search waits for others
/// to end, and the oldest weights get no newcomers, so that they make room. Any thread.
class WeightsAtWork {
 public:
  static constexpr std::size_t kMost = 2;

  /// Searches begin on these from now on, or as soon as there is room for them.
  void publish(SharedWeights weights) {
    const std::lock_guard lock(mutex_);
    newest_.swap(weights);
  }
  /// The weights to begin on; null before the first publish(). They are at work until end().
  SharedWeights begin() {
    const std::lock_guard lock(mutex_);
    const SharedWeights last = last_.lock(), before = before_.lock();
    if (newest_ == last || (last && before)) return last;
    if (last) before_ = last;
    last_ = newest_;
    return newest_;
  }
  /// Nothing of the caller's is under way on them any more. Weights end their life under the lock:
  /// before begin() finds that there is room.
  void end(SharedWeights weights) {
    const std::lock_guard lock(mutex_);
    weights.reset();
  }

 private:
  std::mutex mutex_;
  SharedWeights newest_;
  std::weak_ptr<const Weights> last_, before_;  // those that searches began on, while they live
};

/// One worker's searches of any game. Belongs to one thread at a time.
class AnySearchPool {
 public:
  explicit AnySearchPool(ServiceWorker& worker) : worker_(worker) {}
  virtual ~AnySearchPool() = default;
  ServiceWorker& worker() const { return worker_; }
  /// Takes a search in, which has begun. It is of this pool's game.
  virtual void admit(Session& session) = 0;
  /// One forward pass, more or less, and the visits that it takes. False when no search is left.
  virtual bool round() = 0;
  /// Something was thrown: hands all searches back with this status.
  virtual void fail_all(senet_status status) noexcept = 0;

  /// A search was asked to stop. Any thread.
  void look() { look_.store(true); }

 protected:
  std::atomic<bool> look_{false};

 private:
  ServiceWorker& worker_;
};

/// What a game is given in a service, for networks of one shape.
struct RoomPlan {
  const HostTable& host;
  NetworkSpec spec;
  ServiceSettings settings;  // with what the network is asked about in `search`
  TreeLimits tree;           // of each session
  std::uint32_t visits;      // that no search exceeds; 0: a tree has not even room for one
  std::size_t edges;         // most_edges() of the game
  CacheSettings cache;
  std::size_t room_bytes = 0, session_bytes = 0;  // all but its sessions, and one of these
};

/// A game in a service: a pool for each worker, and what these share.
struct GameRoom {
  const RoomPlan plan;
  const Ledger::Charge memory;
  WeightsAtWork weights = {};
  std::vector<std::unique_ptr<Evaluator>> evaluators = {};  // the workers', for this game
  std::vector<std::unique_ptr<AnySearchPool>> pools = {};   // the workers'
};

/// The table of a game (games/registry.hpp).
struct HostTable {
  AnyGame game;  // without a kit
  /// `host` is this table. Fails when the network cannot be asked what the settings want.
  Result<RoomPlan> (*plan)(const HostTable& host, const NetworkSpec& spec,
                           const ServiceSettings& settings);
  /// The pool of a worker, whose evaluator it gets. The plan and the weights outlive it.
  std::unique_ptr<AnySearchPool> (*make_pool)(const RoomPlan& plan, ServiceWorker& worker,
                                              WeightsAtWork& weights,
                                              std::unique_ptr<Evaluator> evaluator);
  /// The service's session of this number. `memory` is that of one.
  OnHeap<Session> (*make_session)(GameRoom& room, Service& service, std::uint64_t number,
                                  Ledger::Charge memory);

  /// engine/host/room_of.hpp; see AnyGame::rules_of.
  template <Game G>
  static constexpr HostTable of();
};

/// A host's own game, whose functions agree with each other (check_table).
class OwnGame {
 public:
  explicit OwnGame(GameTable table);
  OwnGame(const OwnGame&) = delete;
  OwnGame& operator=(const OwnGame&) = delete;

  const HostTable& host() const { return host_; }

 private:
  template <Game G, Game... Larger>
  HostTable make_host();

  const GameTable table_;
  alignas(AnyState::kAlignment) std::array<std::byte, AnyState::kRoom> start_;
  const HostTable host_;
};

}  // namespace senet
