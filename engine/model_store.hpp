// The weights that travel back: published by a trainer, picked up by workers between searches.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "nn/network.hpp"

namespace senet {

/// The newest network. Any thread may publish; workers compare generations with one atomic load and
/// take the lock only to copy newer weights into their evaluator.
class ModelStore {
 public:
  explicit ModelStore(Network first) : network_(std::move(first)) {}

  /// Replaces the network. All of them have the spec of the first.
  void publish(Network network) {
    const std::lock_guard lock(mutex_);
    network_ = std::move(network);
    generation_.fetch_add(1, std::memory_order_release);
  }
  /// Grows by one with every publish().
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  /// Calls use(network, generation) with the newest network, which stays alive and newest
  /// meanwhile.
  template <class Use>
  void with_newest(Use&& use) const {
    const std::lock_guard lock(mutex_);
    use(network_, generation_.load(std::memory_order_relaxed));
  }

 private:
  mutable std::mutex mutex_;
  Network network_;
  std::atomic<std::uint64_t> generation_{1};
};

}  // namespace senet
