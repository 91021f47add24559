// One thread's share of a service: searches come in, rounds go on while there are any.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/search_pool.hpp"

namespace senet {

/// Driven by a thread of the service or by hosts that poll, one at a time.
class ServiceWorker {
 public:
  /// Hands a search over. Any thread. `pool` is one of this worker's.
  void take(AnySearchPool& pool, Session& session);
  /// Searches that were handed over and have not ended.
  std::uint32_t searches() const { return searches_.load(std::memory_order_relaxed); }
  /// To be called when a search has ended.
  void count_ended() { searches_.fetch_sub(1, std::memory_order_relaxed); }

  /// Admits what came in and makes one round of every pool. False when nothing is left to do.
  /// One thread at a time.
  bool round();

  /// Rounds until end() was called and everything has ended; sleeps while there is nothing to do.
  void serve();
  void end();

  /// Held by whoever polls.
  std::mutex& polling() { return polling_; }

 private:
  struct Arrival {
    AnySearchPool* pool;
    Session* session;
  };

  std::mutex polling_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Arrival> arrivals_, taken_;
  bool ending_ = false;
  std::vector<AnySearchPool*> busy_;
  std::atomic<std::uint32_t> searches_{0};
};

}  // namespace senet
