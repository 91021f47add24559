// A function that can be suspended and resumed, on the thread that resumes it.
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

/// Annotates switches between a fiber and its resumer. Calls come in pairs around each switch:
/// leave() before it on the old stack, arrive() after it on the new one. Without them
/// AddressSanitizer reports a fiber's stack as a stray pointer when an exception is thrown there.
class StackSwitch {
 public:
  /// Switches from this stack to `to`; the returned token is needed to come back.
  static void* leave([[maybe_unused]] StackRange to) {
    void* token = nullptr;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&token, to.bottom, to.bytes);
#endif
    return token;
  }
  /// Switches from this stack to `to` permanently.
  static void leave_for_good([[maybe_unused]] StackRange to) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(nullptr, to.bottom, to.bytes);
#endif
  }
  /// Called on this stack after a switch, the first time with a null token; returns the previous
  /// stack.
  static StackRange arrive([[maybe_unused]] void* token) {
    StackRange from;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(token, &from.bottom, &from.bytes);
#endif
    return from;
  }
};

/// A stackful coroutine: runs from resume() until it calls suspend(), always on the caller's
/// thread. Only its owner resumes it, so the owner determines the order exactly.
class Fiber {
 public:
  static constexpr std::size_t kStackBytes = 128 * 1024;

  /// Does not run yet: the first resume() calls `body`. The stack ends in a guard page.
  template <class Body>
  explicit Fiber(Body body) : Fiber(Stack(kStackBytes), std::move(body)) {}
  /// Unwinds a body that has not ended: objects on its stack are destroyed.
  ~Fiber() {
    if (finished()) return;
    ending_ = true;
    resume();
  }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs until the body suspends or ends. Requires !finished().
  void resume() {
    void* const token = StackSwitch::leave(stack_);
    inside_ = std::move(inside_).resume();
    StackSwitch::arrive(token);
  }
  /// Called by the body: returns to the caller of resume(). Throws only when the fiber is being
  /// destroyed; the body must let that exception pass.
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

  // Unwinds a body from its last suspend(). Boost.Context would unwind by its own exception, but
  // before AddressSanitizer is notified of the switch.
  struct Ending {};
  // Exists while the body is on its stack, whether it returns or is unwound.
  class Visit {
   public:
    explicit Visit(Fiber& fiber) : fiber_(fiber) { fiber_.caller_ = StackSwitch::arrive(nullptr); }
    ~Visit() { StackSwitch::leave_for_good(fiber_.caller_); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    Fiber& fiber_;
  };
  // Exists while the body is off its stack; unwinding ends it too.
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

  template <class Body>
  Fiber(Stack stack, Body body) : Fiber(stack, stack.allocate(), std::move(body)) {}
  template <class Body>
  Fiber(Stack stack, const boost::context::stack_context& memory, Body body)
      : stack_{static_cast<const std::byte*>(memory.sp) - memory.size, memory.size},
        inside_(std::allocator_arg, boost::context::preallocated(memory.sp, memory.size, memory),
                stack, [this, body = std::move(body)](boost::context::fiber&& outside) mutable {
                  const Visit visit(*this);
                  outside_ = std::move(outside);
                  try {
                    if (!ending_) body();
                  } catch (const Ending&) {
                  }
                  return std::move(outside_);
                }) {}

  StackRange stack_;   // the body's
  StackRange caller_;  // of the last caller of resume()
  bool ending_ = false;
  boost::context::fiber inside_;
  boost::context::fiber outside_;
};

}  // namespace senet::cuda_on_host
