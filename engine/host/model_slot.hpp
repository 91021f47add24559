// The weights that a game is played with now, and may not be in a moment.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "nn/network.hpp"

namespace senet {

/// Shared by those who still search with it and whoever offered it: it goes when the last has let
/// go.
using SharedNetwork = std::shared_ptr<const Network>;

/// The newest weights of one game. Any thread may exchange them; workers compare generations and
/// take the lock only when there is something new.
class ModelSlot {
 public:
  void use(SharedNetwork network) {
    const std::lock_guard lock(mutex_);
    network_.swap(network);  // the old one goes behind the lock
    generation_.fetch_add(1, std::memory_order_release);
  }
  /// 0 before the first use().
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  std::pair<SharedNetwork, std::uint64_t> newest() const {
    const std::lock_guard lock(mutex_);
    return {network_, generation_.load(std::memory_order_relaxed)};
  }

 private:
  mutable std::mutex mutex_;
  SharedNetwork network_;
  std::atomic<std::uint64_t> generation_{0};
};

}  // namespace senet
