// Signals that stop the program, such as Ctrl-C.
#pragma once

#include <signal.h>

#include <array>
#include <cstdint>

namespace senet {

/// While an object exists, SIGINT, SIGTERM and SIGHUP are counted instead of ending the program. A
/// SIGHUP that was ignored before (nohup) stays ignored. SIGXFSZ is ignored too, so that exceeding
/// the file size limit is a failed write with an error, like a full disk. At most one object may
/// exist at a time.
class StopSignals {
 public:
  enum class Mode : std::uint8_t {
    kFirstOnly,  // the first of each kind is counted; the second has its default effect
    /// Every signal is counted, and SIGPIPE is ignored: for a program whose work is in its files
    /// and continues when the reader of its messages has gone. Others end then, as in `senet eval |
    /// head`.
    kEach,
  };
  explicit StopSignals(Mode mode);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Number of signals received. Does not block; safe to call from several threads.
  int count() const;
  bool has_come() const { return count() > 0; }

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

  std::array<struct sigaction, kSignals.size()> before_{};
  void (*file_size_before_)(int) = SIG_DFL;
  void (*pipe_before_)(int) = SIG_DFL;
  const Mode mode_;
};

}  // namespace senet
