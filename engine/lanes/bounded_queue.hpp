// The one queue between threads: finished games on their way from the workers to whoever takes
// them.
#pragma once

#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace senet {

/// First in, first out, of fixed capacity; values are moved in and out. Any number of threads may
/// call any function. Once closed it takes no more values, but what is inside can still be taken
/// out.
///
/// Allocates only on construction (beyond what T's own moves do). Must outlive every call.
template <class T>
class BoundedQueue {
  // A move that throws halfway would lose the value between two owners.
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>);

 public:
  /// Room for `capacity` values, at least 1.
  explicit BoundedQueue(std::size_t capacity) : ring_(capacity) { assert(capacity >= 1); }
  BoundedQueue(const BoundedQueue&) = delete;
  BoundedQueue& operator=(const BoundedQueue&) = delete;

  /// Moves `value` in when there is room and the queue is open. Otherwise false, and the value is
  /// untouched, so that the caller can wait in its own way (a fiber) and try again; closed() tells
  /// when that is vain.
  [[nodiscard]] bool try_push(T&& value) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_ || size_ == ring_.size()) return false;
      put(std::move(value));
    }
    not_empty_.notify_one();
    return true;
  }

  /// Moves `value` in, waiting for room. False when the queue is or gets closed; the value is then
  /// untouched.
  [[nodiscard]] bool push(T&& value) {
    {
      std::unique_lock lock(mutex_);
      not_full_.wait(lock, [&] { return closed_ || size_ < ring_.size(); });
      if (closed_) return false;
      put(std::move(value));
    }
    not_empty_.notify_one();
    return true;
  }

  /// Takes the oldest value out, waiting for one. Empty once the queue is closed and drained.
  [[nodiscard]] std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [&] { return closed_ || size_ > 0; });
    return take(lock);
  }

  /// Takes the oldest value out; empty when there is none now.
  [[nodiscard]] std::optional<T> try_pop() {
    std::unique_lock lock(mutex_);
    return take(lock);
  }

  /// Refuses all further values and wakes everyone who waits. May be called more than once.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    not_full_.notify_all();
    not_empty_.notify_all();
  }

  /// Whether close() was called. Values may still be inside.
  bool closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }

  /// Values inside at this moment.
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return size_;
  }

  std::size_t capacity() const { return ring_.size(); }

 private:
  void put(T&& value) {
    ring_[(head_ + size_) % ring_.size()].emplace(std::move(value));
    ++size_;
  }

  std::optional<T> take(std::unique_lock<std::mutex>& lock) {
    if (size_ == 0) return std::nullopt;
    std::optional<T> value(std::move(*ring_[head_]));
    ring_[head_].reset();
    head_ = (head_ + 1) % ring_.size();
    --size_;
    lock.unlock();
    not_full_.notify_one();
    return value;
  }

  mutable std::mutex mutex_;
  std::condition_variable not_full_;
  std::condition_variable not_empty_;
  std::vector<std::optional<T>> ring_;  // [head_, head_ + size_) modulo capacity are filled
  std::size_t head_ = 0;
  std::size_t size_ = 0;
  bool closed_ = false;
};

}  // namespace senet
