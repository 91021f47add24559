// Which weights the searches of a game begin on, and how many of them there are at once.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "engine/lanes/model_store.hpp"

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
    newest_.publish(std::move(weights));
  }

  /// The weights to begin on; null before the first publish(). They are at work until end().
  SharedWeights begin() {
    const std::lock_guard lock(mutex_);
    SharedWeights newest = newest_.newest().weights;
    const SharedWeights last = last_.lock(), before = before_.lock();
    if (newest == last || (last && before)) return last;
    if (last) before_ = last;
    last_ = newest;
    return newest;
  }
  /// Nothing of the caller's is under way on them any more. Weights end their life under the lock:
  /// before begin() finds that there is room.
  void end(SharedWeights weights) {
    const std::lock_guard lock(mutex_);
    weights.reset();
  }

 private:
  std::mutex mutex_;
  ModelStore newest_;
  std::weak_ptr<const Weights> last_, before_;  // those that searches began on, while they live
};

}  // namespace senet
