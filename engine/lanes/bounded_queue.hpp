// The one queue between threads: finished games on their way from the workers to the thread
// that takes them.
#pragma once

#include <boost/circular_buffer.hpp>
#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

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
  explicit BoundedQueue(std::size_t capacity) : values_(capacity) { assert(capacity >= 1); }

  /// Moves `value` in when there is room and the queue is open. Otherwise false, and the value is
  /// untouched, so that the caller can wait in its own way (a fiber) and try again; closed() says
  /// when that is vain.
  [[nodiscard]] bool try_push(T&& value) { return put(std::unique_lock(mutex_), std::move(value)); }

  /// Moves `value` in, waiting for room. False when the queue is or gets closed; the value is then
  /// untouched.
  [[nodiscard]] bool push(T&& value) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [&] { return closed_ || !values_.full(); });
    return put(std::move(lock), std::move(value));
  }

  /// Takes the oldest value out, waiting for one. Empty once the queue is closed and drained.
  [[nodiscard]] std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [&] { return closed_ || !values_.empty(); });
    return take(std::move(lock));
  }

  /// Takes the oldest value out; empty when there is none now.
  [[nodiscard]] std::optional<T> try_pop() { return take(std::unique_lock(mutex_)); }

  /// Refuses all further values and wakes everyone who waits. May be called more than once.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
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
    return values_.size();
  }

 private:
  bool put(std::unique_lock<std::mutex> lock, T&& value) {
    if (closed_ || values_.full()) return false;
    values_.push_back(std::move(value));
    lock.unlock();
    not_empty_.notify_one();
    return true;
  }
  std::optional<T> take(std::unique_lock<std::mutex> lock) {
    if (values_.empty()) return std::nullopt;
    std::optional<T> value(std::move(values_.front()));
    values_.pop_front();
    lock.unlock();
    not_full_.notify_one();
    return value;
  }

  mutable std::mutex mutex_;
  std::condition_variable not_full_;
  std::condition_variable not_empty_;
  boost::circular_buffer<T> values_;
  bool closed_ = false;
};

}  // namespace senet
