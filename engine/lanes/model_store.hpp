// The newest weights of one game: a trainer or a host publishes them, workers pick them up between
// searches.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "nn/weights.hpp"

namespace senet {

/// The newest weights, shared with all their users. Any thread may publish. Readers compare
/// generations with one atomic load, and take the lock to copy a pointer only when there are newer
/// weights.
class ModelStore {
 public:
  struct Newest {
    SharedWeights weights;
    std::uint64_t generation;
  };

  /// Empty until the first publish().
  ModelStore() = default;
  explicit ModelStore(Network first) { publish(std::move(first)); }

  /// Replaces the weights. Their spec must be that of the first ones.
  void publish(SharedWeights weights) {
    const std::lock_guard lock(mutex_);
    const auto began = Clock::now();
    // The argument releases the old weights, after the lock.
    newest_.swap(weights);
    generation_.fetch_add(1, std::memory_order_release);
    const auto held = std::chrono::nanoseconds(Clock::now() - began).count();
    held_ns_.fetch_add(static_cast<std::uint64_t>(held), std::memory_order_relaxed);
  }
  void publish(Network network) { publish(std::make_shared<const Weights>(std::move(network))); }

  /// Number of publish() calls so far.
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  /// The newest weights (null before the first publish()) and their generation.
  Newest newest() const {
    const std::lock_guard lock(mutex_);
    return {newest_, generation_.load(std::memory_order_relaxed)};
  }
  /// Total nanoseconds for which publish() has held the lock.
  std::uint64_t held_ns() const { return held_ns_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;

  mutable std::mutex mutex_;
  SharedWeights newest_;
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<std::uint64_t> held_ns_{0};
};

}  // namespace senet
