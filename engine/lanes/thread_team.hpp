// A fixed group of threads that repeatedly run one task together: for training steps and for the
// moves of many games on several cores.
#pragma once

#include <absl/functional/function_ref.h>

#include <algorithm>
#include <barrier>
#include <cassert>
#include <cstddef>
#include <thread>
#include <vector>

namespace senet {

/// The part [begin, end) of a range.
struct Share {
  std::size_t begin, end;
  std::size_t size() const { return end - begin; }
};

/// The calling thread and members - 1 others, which sleep between calls of run(). Used by one
/// thread at a time. Allocates only when constructed.
class ThreadTeam {
 public:
  /// Starts the other threads; `members` is at least 1. Throws when the system has no more threads.
  explicit ThreadTeam(std::size_t members) : turn_(static_cast<std::ptrdiff_t>(members)) {
    assert(members >= 1);
    others_.reserve(members - 1);
    try {
      for (std::size_t i = 1; i < members; ++i) {
        others_.emplace_back([this, i] { serve(i); });
      }
    } catch (...) {
      // The threads that have started must not wait for those that could not start.
      for (std::size_t i = others_.size(); i < members; ++i) turn_.arrive_and_drop();
      throw;
    }
  }
  ~ThreadTeam() {
    work_ = nullptr;
    turn_.arrive_and_wait();
  }

  std::size_t members() const { return others_.size() + 1; }

  /// Calls work(member) for all members in parallel, 0 on the calling thread, and returns when all
  /// are done. `work` must not throw.
  void run(absl::FunctionRef<void(std::size_t)> work) {
    work_ = &work;
    turn_.arrive_and_wait();
    work(0);
    turn_.arrive_and_wait();
  }

  /// The member's share of `size` items: a contiguous range, a multiple of `grain` except for the
  /// last, the same in every call.
  Share share(std::size_t size, std::size_t grain, std::size_t member) const {
    const std::size_t grains = (size + grain - 1) / grain;
    const auto begin = [&](std::size_t of) {
      return std::min(size, grains * of / members() * grain);
    };
    return {begin(member), begin(member + 1)};
  }

 private:
  void serve(std::size_t member) {
    for (;;) {
      turn_.arrive_and_wait();
      if (work_ == nullptr) return;
      (*work_)(member);
      turn_.arrive_and_wait();
    }
  }

  std::barrier<> turn_;  // passed twice per run: before and after the work
  const absl::FunctionRef<void(std::size_t)>* work_ = nullptr;  // null: threads exit
  std::vector<std::jthread> others_;
};

}  // namespace senet
