// One thread's share of a service: searches come in, rounds go on while there are any.
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

/// Driven by a thread of the service or by hosts that poll, one at a time.
class ServiceWorker {
 public:
  /// Member `number` of `team`, which outlives it.
  ServiceWorker(const Service& service, RowTeam& team, std::size_t number)
      : service_(service), team_(team), number_(number) {}

  /// Hands over a session's search that has begun, for one of this worker's pools. Any thread.
  void take(Session& session) noexcept;
  /// Searches that were handed over and have not ended.
  std::uint32_t searches() const { return searches_.load(std::memory_order_relaxed); }
  /// To be called when a search has ended.
  void count_ended() { searches_.fetch_sub(1, std::memory_order_relaxed); }

  /// Admits what came in and lets every pool make a batch. False when nothing is left to do. One
  /// thread at a time. Searches that something was thrown in end with a failure.
  bool round() noexcept;

  /// Calls a host's function, on the thread that drives this worker. What it throws is lost.
  void call(const std::function<void()>& callback) noexcept;
  /// Whether the calling thread is inside call(): whatever waits there would wait for itself. Any
  /// thread. No thread-local: a library in a host's threads leaves nothing there.
  bool in_call() const { return calling_.load() == std::this_thread::get_id(); }

  /// Rounds until end() was called and everything has ended; while there is nothing to do, it helps
  /// the others of the team or sleeps.
  void serve() noexcept;
  void end();

  /// Held by the thread that polls.
  std::mutex& polling() { return polling_; }

 private:
  void admit(Session& session) noexcept;
  bool round_of(AnySearchPool& pool) noexcept;
  senet_status thrown() const noexcept;

  const Service& service_;
  RowTeam& team_;
  const std::size_t number_;

  std::mutex polling_;
  std::atomic<Session*> arrivals_{nullptr};  // the last first, linked by their next_arrival
  std::atomic<bool> ending_{false};          // nothing arrives any more
  std::vector<AnySearchPool*> busy_;
  std::atomic<std::uint32_t> searches_{0};
  std::atomic<std::thread::id> calling_{};  // the thread inside call()
};

}  // namespace senet
