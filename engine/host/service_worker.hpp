// One thread's share of a service: takes over searches and makes rounds while there are any.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/host/row_team.hpp"
#include "senet/status.h"

namespace senet {

class AnySearchPool;
class Service;
class Session;

/// Driven by a thread of the service, or by host threads that poll, one at a time.
class ServiceWorker {
 public:
  /// Member `number` of `team`, which outlives the worker.
  ServiceWorker(const Service& service, RowTeam& team, std::size_t number)
      : service_(service), team_(team), number_(number) {}

  /// Takes over a session's search, which has begun in one of this worker's pools. Any thread.
  void take(Session& session) noexcept;
  /// Searches that were taken over and have not ended.
  std::uint32_t searches() const { return searches_.load(std::memory_order_relaxed); }
  /// Called when a search has ended.
  void count_ended() { searches_.fetch_sub(1, std::memory_order_relaxed); }

  /// Admits new searches and lets every pool make a round. False when nothing is left to do. An
  /// exception ends the searches that it interrupts with an error. One thread at a time.
  bool round() noexcept;

  /// Calls a host's callback, on the thread that drives this worker. Exceptions are logged and
  /// dropped.
  void call(const std::function<void()>& callback) noexcept;
  /// Whether the calling thread is inside call(), where waiting would deadlock. Any thread. Not a
  /// thread_local variable: the library keeps nothing in a host's threads.
  bool in_call() const { return calling_.load() == std::this_thread::get_id(); }

  /// Makes rounds until end() was called and all searches have ended. While there is nothing to do,
  /// it helps the team or sleeps.
  void serve() noexcept;
  void end();

  /// The thread that polls this worker locks it.
  std::mutex& polling() { return polling_; }

 private:
  void admit(Session& session) noexcept;
  bool round_of(AnySearchPool& pool) noexcept;
  senet_status thrown() const noexcept;

  const Service& service_;
  RowTeam& team_;
  const std::size_t number_;

  std::mutex polling_;
  std::atomic<Session*> arrivals_{nullptr};  // newest first, linked by next_arrival
  std::atomic<bool> ending_{false};          // no more searches arrive
  std::vector<AnySearchPool*> busy_;
  std::atomic<std::uint32_t> searches_{0};
  std::atomic<std::thread::id> calling_{};  // the thread inside call()
};

}  // namespace senet
