// The threads that are inside a host's callback: whatever waits there would wait for itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace senet {

/// Which threads run a callback of one service just now. Any thread. A list, not a thread-local: a
/// library in a host's threads leaves nothing there.
class CallbackThreads {
 public:
  /// For up to `most` of them at once: nothing is allocated later.
  explicit CallbackThreads(std::size_t most) { threads_.reserve(most); }

  /// The calling thread is inside a callback for as long as this lives.
  class Inside {
   public:
    explicit Inside(CallbackThreads& all) : all_(all) {
      const std::lock_guard lock(all_.mutex_);
      all_.threads_.push_back(std::this_thread::get_id());
    }
    ~Inside() {
      const std::lock_guard lock(all_.mutex_);
      all_.threads_.erase(std::ranges::find(all_.threads_, std::this_thread::get_id()));
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    CallbackThreads& all_;
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
