// The newest weights of one game: published by a trainer or a host, picked up between searches.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "nn/weights.hpp"

namespace senet {

/// The newest weights, shared by all that answer with them. Any thread may publish; readers compare
/// generations with one atomic load and take the lock, to copy a pointer, only when there is
/// something new.
class ModelStore {
 public:
  struct Newest {
    SharedWeights weights;
    std::uint64_t generation;
  };

  /// Holds nothing before the first publish().
  ModelStore() = default;
  explicit ModelStore(Network first) { publish(std::move(first)); }

  /// Replaces the weights. All of them have the spec of the first.
  void publish(SharedWeights weights) {
    const std::lock_guard lock(mutex_);
    const auto began = Clock::now();
    // The ones before are let go with the argument, behind the lock.
    newest_.swap(weights);
    generation_.fetch_add(1, std::memory_order_release);
    const auto held = std::chrono::nanoseconds(Clock::now() - began).count();
    held_ns_.fetch_add(static_cast<std::uint64_t>(held), std::memory_order_relaxed);
  }
  void publish(Network network) { publish(std::make_shared<const Weights>(std::move(network))); }

  /// 0 before the first publish(), and one more with every one.
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  /// The newest weights, null before the first publish(), and their generation.
  Newest newest() const {
    const std::lock_guard lock(mutex_);
    return {newest_, generation_.load(std::memory_order_relaxed)};
  }
  /// Nanoseconds for which publish() has kept readers out, all in all.
  std::uint64_t held_ns() const { return held_ns_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;

  mutable std::mutex mutex_;
  SharedWeights newest_;
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<std::uint64_t> held_ns_{0};
};

}  // namespace senet
