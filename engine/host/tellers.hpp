// Who is telling hosts that a search has ended: what waits there would wait for itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace senet {

/// The threads that are inside a host's callback. Any thread. A list, not a thread-local: a library
/// in somebody else's threads leaves nothing there.
class Tellers {
 public:
  /// For up to `most` of them at once: nothing is allocated later.
  explicit Tellers(std::size_t most) { threads_.reserve(most); }

  /// The calling thread is inside a callback for as long as this lives.
  class Telling {
   public:
    explicit Telling(Tellers& tellers) : tellers_(tellers) {
      const std::lock_guard lock(tellers_.mutex_);
      tellers_.threads_.push_back(std::this_thread::get_id());
    }
    ~Telling() {
      const std::lock_guard lock(tellers_.mutex_);
      tellers_.threads_.erase(std::ranges::find(tellers_.threads_, std::this_thread::get_id()));
    }
    Telling(const Telling&) = delete;
    Telling& operator=(const Telling&) = delete;

   private:
    Tellers& tellers_;
  };

  /// Whether the calling thread is inside one.
  bool here() const {
    const std::lock_guard lock(mutex_);
    return std::ranges::find(threads_, std::this_thread::get_id()) != threads_.end();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::thread::id> threads_;
};

}  // namespace senet
