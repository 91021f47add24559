// A bound on memory that is kept by asking before taking.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace senet {

/// Bytes that have been promised, never more than the limit. Any thread.
class Ledger {
 public:
  explicit Ledger(std::size_t limit) : limit_(limit) {}

  std::size_t limit() const { return limit_; }
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  friend class Charge;
  bool take(std::size_t bytes) {
    std::size_t used = used_.load(std::memory_order_relaxed);
    do {
      if (bytes > limit_ - used) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
  }
  void give_back(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
};

/// A promise of some bytes, given back when it is destroyed. The ledger outlives it.
class Charge {
 public:
  Charge() = default;
  /// Holds nothing (and is false) when the bytes do not fit any more.
  Charge(Ledger& ledger, std::size_t bytes)
      : ledger_(ledger.take(bytes) ? &ledger : nullptr), bytes_(bytes) {}
  Charge(Charge&& other) noexcept
      : ledger_(std::exchange(other.ledger_, nullptr)), bytes_(other.bytes_) {}
  Charge& operator=(Charge&& other) noexcept {
    std::swap(ledger_, other.ledger_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Charge() {
    if (ledger_ != nullptr) ledger_->give_back(bytes_);
  }

  explicit operator bool() const { return ledger_ != nullptr; }

 private:
  Ledger* ledger_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace senet
