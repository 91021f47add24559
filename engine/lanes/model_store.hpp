// The weights that travel back: published by a trainer, picked up by workers between searches.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "nn/network.hpp"

namespace senet {

/// The newest network. Any thread may publish; workers compare generations with one atomic load and
/// take the lock only to copy newer weights into their evaluator; all of them at once, if they
/// like.
class ModelStore {
 public:
  explicit ModelStore(Network first) : network_(std::move(first)) {}

  /// Replaces the network. All of them have the spec of the first.
  void publish(Network network) {
    const std::lock_guard lock(mutex_);
    const auto began = Clock::now();
    // The one before is freed with the argument, when nobody waits for it any more.
    std::swap(network_, network);
    generation_.fetch_add(1, std::memory_order_release);
    const auto held = std::chrono::nanoseconds(Clock::now() - began).count();
    held_ns_.fetch_add(static_cast<std::uint64_t>(held), std::memory_order_relaxed);
  }
  /// Grows by one with every publish().
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  /// Calls use(network, generation) with the newest network, which stays alive and newest
  /// meanwhile.
  template <class Use>
  void with_newest(Use&& use) const {
    const std::shared_lock lock(mutex_);
    use(network_, generation_.load(std::memory_order_relaxed));
  }
  /// For how long publish() has kept everybody else out, all in all.
  std::uint64_t held_ns() const { return held_ns_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;

  mutable std::shared_mutex mutex_;
  Network network_;
  std::atomic<std::uint64_t> generation_{1};
  std::atomic<std::uint64_t> held_ns_{0};
};

}  // namespace senet
