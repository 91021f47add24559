// A one-line progress display on a terminal.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

namespace senet {

/// Shows "<what> <done>/<total>" on one line of stderr. Updates it at most ten times a second and
/// erases it on destruction. Prints nothing when stderr is not a terminal.
class ProgressLine {
 public:
  ProgressLine(std::string what, std::size_t total)
      : what_(std::move(what)), total_(total), terminal_(isatty(STDERR_FILENO) != 0) {}
  ~ProgressLine() {
    if (terminal_) std::fputs("\r\x1b[K", stderr);
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::size_t done) {
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || now - shown_ < std::chrono::milliseconds(100)) return;
    shown_ = now;
    std::fprintf(stderr, "\r%s %zu/%zu\x1b[K", what_.c_str(), done, total_);
    std::fflush(stderr);
  }

 private:
  const std::string what_;
  const std::size_t total_;
  const bool terminal_;
  std::chrono::steady_clock::time_point shown_{};
};

}  // namespace senet
