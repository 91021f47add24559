// Tells AddressSanitizer when code moves to another stack; nothing at all in other builds.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace senet {

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

}  // namespace senet
