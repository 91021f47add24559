// A lane's games as one function, on a fiber that sleeps while a search is under way.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "engine/lanes/runner.hpp"

namespace senet {

/// Runs a lane's games, written as one function, on a fiber of the thread that made this, which it
/// never leaves: from each resume() of the driver, the thread's own fiber, to the next wait() of
/// the function. So lanes go on in the order in which the driver resumes them. Never moves.
class LaneFiber {
 public:
  static constexpr std::size_t kStackBytes = 128 * 1024;

  /// The first resume() calls `story(fiber)`, which returns when there is no more to play or wait()
  /// is false. Its stack ends in a guard page.
  explicit LaneFiber(std::function<void(LaneFiber&)> story);
  /// A story that has not ended is abandoned.
  ~LaneFiber();

  /// Goes on until the story waits or has ended, and says for what; not once it has ended.
  LaneState resume();
  /// Called by the story: lets the driver go on until it resumes this fiber. False when the story
  /// is abandoned and must end.
  bool wait(LaneState state);

 private:
  struct Fiber;  // Boost's, whose headers only one source file reads

  LaneState state_ = LaneState::kBlocked;
  bool abandoned_ = false;
  const std::unique_ptr<Fiber> fiber_;
};

}  // namespace senet
