// A lane's games as one function, on a fiber that sleeps while a search is under way.
#pragma once

#include <boost/fiber/context.hpp>
#include <boost/fiber/fiber.hpp>
#include <boost/fiber/operations.hpp>
#include <boost/fiber/protected_fixedsize_stack.hpp>
#include <cstddef>
#include <memory>
#include <utility>

#include "engine/lanes/lane.hpp"

namespace senet {

/// Runs a lane's games, written as one function, on a fiber of the thread that made this, which it
/// never leaves: from each resume() of the driver, the thread's own fiber, to the next wait() of
/// the function. So lanes go on in the order in which the driver resumes them. Never moves.
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
