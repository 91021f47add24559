// The memory bound of a service: bytes are reserved here before they are allocated.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "senet/result.hpp"

namespace senet {

/// Counts reserved bytes, never more than the limit. Any thread.
class MemoryBudget {
  struct ReturnBytes {
    std::size_t bytes = 0;
    void operator()(MemoryBudget* budget) const {
      budget->used_.fetch_sub(bytes, std::memory_order_relaxed);
    }
  };

 public:
  /// A reservation of bytes, returned on destruction. The budget outlives it.
  using Reservation = std::unique_ptr<MemoryBudget, ReturnBytes>;

  explicit MemoryBudget(std::size_t limit) : limit_(limit) {}

  std::size_t used() const { return used_.load(std::memory_order_relaxed); }

  /// Reserves `bytes`; SENET_NO_MEMORY, naming `what` they are for, if fewer are left.
  Result<Reservation> reserve(std::size_t bytes, std::string_view what) {
    std::size_t used = this->used();
    do {
      if (bytes > limit_ - used) {
        return fail(SENET_NO_MEMORY, std::string(what) + " would take " + std::to_string(bytes) +
                                         " bytes: only " + std::to_string(limit_ - used) + " of " +
                                         std::to_string(limit_) + " are left");
      }
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return Reservation(this, {bytes});
  }

 private:
  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
};

}  // namespace senet
