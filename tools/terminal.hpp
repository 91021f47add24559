// The width of a terminal, and a one-line progress display on it.
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace senet {

/// Columns of the terminal behind a file descriptor; 80 if it is none.
inline std::size_t terminal_columns(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

/// Shows "<what> <done>/<total><note>" on one line of stderr. Updates it at most ten times a second
/// and erases it on destruction. Prints nothing when stderr is not a terminal.
class ProgressLine {
 public:
  ProgressLine(std::string what, std::size_t total)
      : what_(std::move(what)), total_(total), terminal_(isatty(STDERR_FILENO) != 0) {}
  ~ProgressLine() {
    if (terminal_) std::fputs("\r\x1b[K", stderr);
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::size_t done, std::string_view note = "") {
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || now - shown_ < std::chrono::milliseconds(100)) return;
    shown_ = now;
    std::string line = what_ + " " + std::to_string(done) + "/" + std::to_string(total_);
    line.append(note).resize(std::min(line.size(), terminal_columns(STDERR_FILENO) - 1));
    std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
    std::fflush(stderr);
  }

 private:
  const std::string what_;
  const std::size_t total_;
  const bool terminal_;
  std::chrono::steady_clock::time_point shown_{};
};

}  // namespace senet
