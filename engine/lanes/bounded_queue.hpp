// A bounded queue between threads: passes finished games from the workers to their consumer.
#pragma once

#include <boost/circular_buffer.hpp>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

namespace senet {

/// A FIFO queue of fixed capacity; values are moved in and out. Any number of threads may call any
/// function. A closed queue refuses new values; those inside can still be taken out.
///
/// Allocates only on construction (besides what T's moves allocate). Must outlive every call.
template <class T>
class BoundedQueue {
  // A move that throws halfway would lose the value.
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>);

 public:
  /// Room for `capacity` values, at least 1.
  explicit BoundedQueue(std::size_t capacity) : values_(capacity) { assert(capacity >= 1); }

  /// Moves `value` in if there is room and the queue is open. Otherwise returns false and leaves
  /// the value untouched, so that the caller can wait in its own way (a fiber, for example) and try
  /// again, unless closed().
  [[nodiscard]] bool try_push(T&& value) { return put(std::unique_lock(mutex_), std::move(value)); }

  /// Waits for room and moves `value` in. Returns false, with the value untouched, if the queue is
  /// or becomes closed.
  [[nodiscard]] bool push(T&& value) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [&] { return closed_ || !values_.full(); });
    return put(std::move(lock), std::move(value));
  }

  /// Waits for a value and takes the oldest out. Empty if the queue is closed and drained.
  [[nodiscard]] std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [&] { return closed_ || !values_.empty(); });
    return take(std::move(lock));
  }

  /// The same, but waits for at most this time; then empty, although the queue may be open.
  [[nodiscard]] std::optional<T> pop_within(std::chrono::duration<double> time) {
    std::unique_lock lock(mutex_);
    not_empty_.wait_for(lock, time, [&] { return closed_ || !values_.empty(); });
    return take(std::move(lock));
  }

  /// Takes the oldest value out; empty if there is none now.
  [[nodiscard]] std::optional<T> try_pop() { return take(std::unique_lock(mutex_)); }

  /// Refuses further values and wakes all waiting threads. May be called more than once.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    not_full_.notify_all();
    not_empty_.notify_all();
  }

  /// Whether close() was called. The queue may still hold values.
  bool closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }

  /// Whether close() was called and no value is left.
  bool drained() const {
    const std::lock_guard lock(mutex_);
    return closed_ && values_.empty();
  }

  /// Number of values now inside.
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
