// A lane's games as one function, on a fiber that sleeps while its search is under way.
#pragma once

#include <boost/fiber/algo/algorithm.hpp>
#include <boost/fiber/context.hpp>
#include <boost/fiber/fiber.hpp>
#include <boost/fiber/operations.hpp>
#include <boost/fiber/protected_fixedsize_stack.hpp>
#include <boost/fiber/scheduler.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <utility>

#include "engine/lanes/lane.hpp"

namespace senet {

/// Schedules the fibers of one thread, which never leave it. Lanes come first, in the order in
/// which the driver resumes them: the order of the lanes. Then the driver, the thread's own fiber.
/// Boost's dispatcher, which frees the fibers that have ended, has its turn when nothing else can
/// run. Fibers of other threads never wake those of this one.
class LaneOrder final : public boost::fibers::algo::algorithm {
 public:
  using Context = boost::fibers::context;

  /// Makes this the algorithm of the calling thread.
  static void use() { boost::fibers::use_scheduling_algorithm<LaneOrder>(); }

  void awakened(Context* fiber) noexcept override {
    if (fiber->is_context(boost::fibers::type::dispatcher_context)) {
      dispatcher_ = fiber;
    } else if (fiber->is_context(boost::fibers::type::main_context)) {
      driver_ = fiber;
    } else {
      fiber->ready_link(lanes_);
    }
  }
  Context* pick_next() noexcept override {
    if (lanes_.empty()) return std::exchange(driver_ != nullptr ? driver_ : dispatcher_, nullptr);
    Context* const lane = &lanes_.front();
    lanes_.pop_front();
    return lane;
  }
  bool has_ready_fibers() const noexcept override {
    return !lanes_.empty() || driver_ != nullptr || dispatcher_ != nullptr;
  }
  void suspend_until(const std::chrono::steady_clock::time_point&) noexcept override {
    std::this_thread::yield();
  }
  void notify() noexcept override {}

 private:
  boost::fibers::scheduler::ready_queue_type lanes_;
  Context* driver_ = nullptr;
  Context* dispatcher_ = nullptr;
};

/// Runs a lane's games, written as one function, on a fiber of the thread that made this and whose
/// algorithm is LaneOrder: from each resume() of the driver to the next wait() of the function.
/// Never moves.
class LaneFiber {
 public:
  static constexpr std::size_t kStackBytes = 128 * 1024;

  /// The first resume() calls `story(fiber)`, which returns when there is no more to play or wait()
  /// is false. Its stack ends in a guard page.
  template <class Story>
  explicit LaneFiber(Story story)
      : fiber_(boost::fibers::launch::dispatch, std::allocator_arg,
               boost::fibers::protected_fixedsize_stack(kStackBytes),
               [this, story = std::move(story)]() mutable {
                 self_ = Context::active();
                 if (wait(LaneState::kBlocked)) story(*this);
                 state_ = LaneState::kFinished;
               }) {}
  /// A story that has not ended is abandoned.
  ~LaneFiber() {
    abandoned_ = true;
    if (state_ != LaneState::kFinished) resume();
    fiber_.join();
  }
  LaneFiber(const LaneFiber&) = delete;
  LaneFiber& operator=(const LaneFiber&) = delete;

  /// Goes on until the story waits or has ended, and says for what; not once it has ended.
  LaneState resume() {
    Context::active()->schedule(self_);
    boost::this_fiber::yield();
    return state_;
  }
  /// Called by the story: lets the driver go on until it resumes this fiber. False when the story
  /// is abandoned and must end.
  bool wait(LaneState state) {
    state_ = state;
    self_->suspend();
    return !abandoned_;
  }

 private:
  using Context = boost::fibers::context;

  LaneState state_ = LaneState::kBlocked;
  bool abandoned_ = false;
  Context* self_ = nullptr;
  boost::fibers::fiber fiber_;  // the last member: it runs while it is made
};

}  // namespace senet
