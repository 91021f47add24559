// A function that can stop in the middle and go on later, on the thread that resumes it.
#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/preallocated.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstddef>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace senet::cuda_on_host {

/// A piece of memory used as a stack.
struct StackRange {
  const void* bottom = nullptr;  // lowest address; null: not known yet
  std::size_t bytes = 0;
};

/// The switches between one fiber and whoever resumes it. Calls come in pairs around each switch:
/// leave() before it on the old stack, arrive() after it on the new one. Without them
/// AddressSanitizer takes a fiber's stack for a stray pointer as soon as something is thrown there.
class StackSwitch {
 public:
  /// Off this stack, on to `to`, to come back later with the returned token.
  static void* leave([[maybe_unused]] StackRange to) {
    void* token = nullptr;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&token, to.bottom, to.bytes);
#endif
    return token;
  }
  /// Off this stack, on to `to`, for good.
  static void leave_for_good([[maybe_unused]] StackRange to) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(nullptr, to.bottom, to.bytes);
#endif
  }
  /// Now on this stack, for the first time with a null token; returns the stack the code came from.
  static StackRange arrive([[maybe_unused]] void* token) {
    StackRange from;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(token, &from.bottom, &from.bytes);
#endif
    return from;
  }
};

/// A stackful coroutine: it runs when resume() is called and until it calls suspend(), always on
/// the caller's thread. Nothing schedules it but its owner, so the order of resumption is the
/// owner's, exactly.
class Fiber {
 public:
  static constexpr std::size_t kStackBytes = 128 * 1024;

  /// Nothing runs yet. `story` is called by the first resume(). The stack ends in a guard page.
  template <class Story>
  explicit Fiber(Story story) : Fiber(Stack(kStackBytes), std::move(story)) {}
  /// A story that has not ended is unwound: what lies on its stack is destroyed.
  ~Fiber() {
    if (finished()) return;
    ending_ = true;
    resume();
  }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs until the story suspends or ends. Needs !finished().
  void resume() {
    void* const token = StackSwitch::leave(stack_);
    inside_ = std::move(inside_).resume();
    StackSwitch::arrive(token);
  }
  /// Called by the story: back to the caller of resume(). Throws only when the fiber is destroyed
  /// meanwhile; nothing between here and the story's end may hold that up.
  void suspend() {
    {
      const Away away(*this);
      outside_ = std::move(outside_).resume();
    }
    if (ending_) throw Ending();
  }
  bool finished() const { return !inside_; }

 private:
  using Stack = boost::context::protected_fixedsize_stack;

  // Carries a story from its last suspend() to its end. Boost.Context would unwind by an exception
  // of its own, but thrown before AddressSanitizer has been told of the switch.
  struct Ending {};
  // The story is on its stack for as long as this lives, whether it returns or is unwound.
  class Visit {
   public:
    explicit Visit(Fiber& fiber) : fiber_(fiber) { fiber_.caller_ = StackSwitch::arrive(nullptr); }
    ~Visit() { StackSwitch::leave_for_good(fiber_.caller_); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    Fiber& fiber_;
  };
  // The story is off its stack for as long as this lives; unwinding ends it too.
  class Away {
   public:
    explicit Away(Fiber& fiber) : fiber_(fiber), token_(StackSwitch::leave(fiber.caller_)) {}
    ~Away() { fiber_.caller_ = StackSwitch::arrive(token_); }
    Away(const Away&) = delete;
    Away& operator=(const Away&) = delete;

   private:
    Fiber& fiber_;
    void* token_;
  };

  template <class Story>
  Fiber(Stack stack, Story story) : Fiber(stack, stack.allocate(), std::move(story)) {}
  template <class Story>
  Fiber(Stack stack, const boost::context::stack_context& memory, Story story)
      : stack_{static_cast<const std::byte*>(memory.sp) - memory.size, memory.size},
        inside_(std::allocator_arg, boost::context::preallocated(memory.sp, memory.size, memory),
                stack, [this, story = std::move(story)](boost::context::fiber&& outside) mutable {
                  const Visit visit(*this);
                  outside_ = std::move(outside);
                  try {
                    if (!ending_) story();
                  } catch (const Ending&) {
                  }
                  return std::move(outside_);
                }) {}

  StackRange stack_;   // the story's
  StackRange caller_;  // of whoever resumed it last
  bool ending_ = false;
  boost::context::fiber inside_;
  boost::context::fiber outside_;
};

}  // namespace senet::cuda_on_host
