// Time that the calling thread has worked: what measurements of one thread are taken in.
#pragma once

#include <ctime>

namespace senet {

/// Stands still while other programs have the core, so that a busy machine does not spoil a
/// measurement longer than a slice of the scheduler's. Not for what waits or uses several threads.
class ThreadClock {
 public:
  /// Seconds of work since some moment.
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
};

}  // namespace senet
