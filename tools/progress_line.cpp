#include "tools/progress_line.hpp"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace senet {

ProgressLine::ProgressLine(std::string what, std::size_t total)
    : what_(std::move(what)), total_(total), terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (terminal_) std::fputs("\r\x1b[K", stderr);
}

void ProgressLine::show(std::size_t done) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - shown_ < std::chrono::milliseconds(100)) return;
  shown_ = now;
  std::fprintf(stderr, "\r%s %zu/%zu\x1b[K", what_.c_str(), done, total_);
  std::fflush(stderr);
}

}  // namespace senet
