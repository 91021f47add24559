// Runs a lane's games, written as one function, on a fiber that is suspended during each search.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>

#include "engine/lanes/runner.hpp"

namespace senet {

/// A fiber for a function, the body, that plays a lane's games. The fiber stays on the thread that
/// constructed this. The driver, that thread's main fiber, calls resume(), which runs the body up
/// to its next wait(). So lanes run in the order in which the driver resumes them. Not movable.
class LaneFiber {
 public:
  static constexpr std::size_t kStackBytes = 128 * 1024;

  /// The first resume() calls `body(fiber)`, which returns after the last game or when wait()
  /// returns false. Its stack of kStackBytes ends in a guard page.
  explicit LaneFiber(std::function<void(LaneFiber&)> body);
  /// Abandons the body if it has not ended.
  ~LaneFiber();

  /// Runs the body until it waits or ends, and returns its state. Throws the std::exception that
  /// has ended it. Not after it has ended.
  LaneState resume();
  /// Called by the body: returns to the driver until it resumes this fiber. False if the body is
  /// abandoned and must end.
  bool wait(LaneState state);

 private:
  struct Fiber;  // keeps Boost's headers out of this one

  void run();

  LaneState state_ = LaneState::kBlocked;
  bool abandoned_ = false;
  std::exception_ptr thrown_ = nullptr;  // by the body
  const std::unique_ptr<Fiber> fiber_;
};

}  // namespace senet
