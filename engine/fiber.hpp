// A function that can stop in the middle and go on later, on the thread that resumes it.
#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstddef>
#include <utility>

namespace senet {

/// A stackful coroutine: it runs when resume() is called and until it calls suspend(), always on
/// the caller's thread. Nothing schedules it but its owner, so the order of resumption is the
/// owner's, exactly.
class Fiber {
 public:
  static constexpr std::size_t kStackBytes = 128 * 1024;

  /// Nothing runs yet. `story` is called by the first resume(). The stack ends in a guard page.
  template <class Story>
  explicit Fiber(Story story)
      : inside_(std::allocator_arg, boost::context::protected_fixedsize_stack(kStackBytes),
                [this, story = std::move(story)](boost::context::fiber&& outside) mutable {
                  outside_ = std::move(outside);
                  story();
                  return std::move(outside_);
                }) {}
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs until the story suspends or ends. Needs !finished().
  void resume() { inside_ = std::move(inside_).resume(); }
  /// Called by the story: back to the caller of resume().
  void suspend() { outside_ = std::move(outside_).resume(); }
  bool finished() const { return !inside_; }

 private:
  boost::context::fiber inside_;
  boost::context::fiber outside_;
};

}  // namespace senet
