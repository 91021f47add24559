// Signals that ask the program to stop: Ctrl-C and its kind.
#pragma once

#include <signal.h>

#include <array>
#include <cstdint>

namespace senet {

/// While it lives, SIGINT, SIGTERM and SIGHUP are noted here instead of ending the program. A
/// SIGHUP that was ignored (nohup) stays ignored. SIGXFSZ is ignored meanwhile: a file that may not
/// grow is then a failed write, with a reason, as a full disk is. At most one of them at a time.
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

  /// How many have come. Does not wait; threads may ask at the same time.
  int count() const;
  bool has_come() const { return count() > 0; }

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

  std::array<struct sigaction, kSignals.size()> before_{};
  void (*file_size_before_)(int) = SIG_DFL;
};

}  // namespace senet
