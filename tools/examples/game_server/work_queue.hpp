// A fixed number of threads and a queue that is never longer than it was made.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace game_server {

class WorkQueue {
 public:
  /// `threads` threads work; `room` jobs may wait for them.
  WorkQueue(std::size_t threads, std::size_t room);
  /// Waits for the jobs that have begun; the others are dropped.
  ~WorkQueue();
  /// False, and nothing happens, when there is no room. Jobs throw nothing.
  bool try_push(std::function<void()> job);
  std::size_t waiting() const;

 private:
  void work();

  const std::size_t room_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::size_t idle_ = 0;
  bool closing_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace game_server
