// A game in a service: its functions, and the pools, weights and memory of its sessions.
#pragma once

#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "engine/host/service.hpp"
#include "engine/host/table_game.hpp"
#include "engine/lanes/model_store.hpp"
#include "games/any_game.hpp"
#include "nn/cached_evaluator.hpp"
#include "nn/tablebase_file.hpp"
#include "nn/weights.hpp"
#include "search/tree.hpp"

namespace senet {

/// The weights of a game that searches use. A search uses the newest weights when it begins, and
/// the same weights until it ends. Memory for packed weights is reserved for kMost sets. While
/// searches still use that many older sets, new searches use the newer of them. So no search waits
/// for another; the oldest set gets no new searches, and its memory becomes free when its searches
/// have ended. Any thread.
class WeightsInUse {
 public:
  static constexpr std::size_t kMost = 2;

  /// New searches use these weights from now on, or as soon as there is room for them.
  void publish(SharedWeights weights) { newest_.publish(std::move(weights)); }
  /// The weights published last; null before the first.
  SharedWeights newest() const { return newest_.newest().weights; }
  /// The weights for a new search, in use until end(); null before the first publish().
  SharedWeights begin() {
    const std::lock_guard lock(mutex_);
    const SharedWeights newest = newest_.newest().weights;
    const SharedWeights last = last_.lock(), before = before_.lock();
    if (newest == last || (last && before)) return last;
    if (last) before_ = last;
    last_ = newest;
    return newest;
  }
  /// The caller's searches no longer use the weights. Frees them under the lock, so that begin()
  /// sees room only after their memory is free.
  void end(SharedWeights weights) {
    const std::lock_guard lock(mutex_);
    weights.reset();
  }
  /// Uses weights like a search, from begin() to end(). After the first publish().
  class User {
   public:
    explicit User(WeightsInUse& uses) : uses_(uses), weights_(uses.begin()) { assert(weights_); }
    ~User() { uses_.end(std::move(weights_)); }
    User(const User&) = delete;
    User& operator=(const User&) = delete;
    const Weights& weights() const { return *weights_; }

   private:
    WeightsInUse& uses_;
    SharedWeights weights_;
  };

 private:
  ModelStore newest_;
  std::mutex mutex_;                            // guards the members below
  std::weak_ptr<const Weights> last_, before_;  // returned by begin(), the newer one in last_
};

/// One worker's searches of one game, without the game's type. Used by one thread at a time.
class AnySearchPool {
 public:
  explicit AnySearchPool(ServiceWorker& worker) : worker_(worker) {}
  virtual ~AnySearchPool() = default;
  ServiceWorker& worker() const { return worker_; }
  /// Takes over a search of this pool's game, after Session::begin().
  virtual void admit(Session& session) = 0;
  /// Makes visits and about one forward pass. False when no search is left.
  virtual bool round() = 0;
  /// After an exception: hands back all searches with this status.
  virtual void fail_all(senet_status status) noexcept = 0;

  /// Makes the pool check for searches that were asked to stop. Any thread.
  void look() { look_.store(true); }

 protected:
  std::atomic<bool> look_{false};

 private:
  ServiceWorker& worker_;
};

/// The resources of a game in a service, for networks of one shape.
struct ServedGamePlan {
  const HostTable& host;
  NetworkSpec spec;
  ServiceSettings settings;  // search.evaluates is resolved
  TreeLimits tree;           // of each session
  std::uint32_t visits;      // maximum of a search; 0: a tree has no room for even one
  std::size_t edges;         // most_edges() of the game
  CacheSettings cache;
  RowSize row;  // of a batch
  // Bytes: of the game without sessions, of one session, of a call of Service::evaluate.
  std::size_t game_bytes = 0, session_bytes = 0, evaluating_bytes = 0;
};

/// A game in a service: one pool per worker, and everything that the pools share.
struct ServedGame {
  const ServedGamePlan plan;
  const MemoryBudget::Reservation memory;
  WeightsInUse weights = {};
  TablebaseFile tablebase = {};                             // empty: none is used
  std::vector<std::unique_ptr<Evaluator>> evaluators = {};  // one per worker
  std::vector<std::unique_ptr<AnySearchPool>> pools = {};   // one per worker
};

/// The functions of a game that a service calls without knowing its type (games/registry.hpp).
struct HostTable {
  AnyGame game;  // without a kit
  /// `host` is this table. Fails if the network cannot evaluate what the settings ask for.
  Result<ServedGamePlan> (*plan)(const HostTable& host, const NetworkSpec& spec,
                                 const ServiceSettings& settings);
  /// The pool of a worker. The plan and the weights outlive it.
  std::unique_ptr<AnySearchPool> (*make_pool)(const ServedGamePlan& plan, ServiceWorker& worker,
                                              WeightsInUse& weights,
                                              std::unique_ptr<Evaluator> evaluator);
  /// The service's session number `number`. `memory` is the reservation for one session.
  OnHeap<Session> (*make_session)(ServedGame& served, Service& service, std::uint64_t number,
                                  MemoryBudget::Reservation memory);
  /// NetworkAlone of positions of the game: calls expected(i, ...) for each. At least one
  /// position, and at most as many as the batch has rows.
  void (*evaluate)(const ServedGame& served, Evaluator& evaluator, Batch& batch,
                   std::span<const AnyState> positions,
                   const std::function<void(std::size_t i, const Expectation&)>& expected);

  /// Defined in engine/host/served_game_of.hpp; see AnyGame::rules_of.
  template <Game G>
  static constexpr HostTable of();
};

/// A game of the host, which check_table() has accepted.
class OwnGame {
 public:
  explicit OwnGame(GameTable table);
  OwnGame(const OwnGame&) = delete;
  OwnGame& operator=(const OwnGame&) = delete;

  const HostTable& host() const { return host_; }

 private:
  template <Game G>
  HostTable make_host();

  const GameTable table_;
  alignas(AnyState::kAlignment) std::array<std::byte, AnyState::kRoom> start_;
  const HostTable host_;
};

}  // namespace senet
