// Being told to stop: Ctrl-C and its kind.
#pragma once

#include <signal.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace senet {

/// While it lives, SIGINT, SIGTERM and SIGHUP are noted here instead of ending the program. Whoever
/// had SIGHUP ignored (nohup) goes on ignoring it. SIGXFSZ is ignored meanwhile: a file that may
/// not grow is then a failed write, with a reason, as a full disk is. At most one of them at a
/// time.
class StopSignals {
 public:
  enum class Mode : std::uint8_t {
    kEach,       // every signal is noted
    kFirstOnly,  // the first of each kind is; a second one ends the program as if we were not here
  };
  explicit StopSignals(Mode mode);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Waits up to this long for a signal; true when one came that was not told yet.
  bool wait(std::chrono::milliseconds time);

  /// Whether one has come, ever. Does not wait; threads may ask at the same time.
  bool has_come();

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

  std::array<struct sigaction, kSignals.size()> before_{};
  void (*file_size_before_)(int) = SIG_DFL;
  int pipe_ = -1;  // the end that is read
  std::atomic<bool> has_come_ = false;
};

}  // namespace senet
