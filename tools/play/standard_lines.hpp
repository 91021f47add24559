// Lines between a command and whoever started it: stdin and stdout.
#pragma once

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "senet/result.hpp"

namespace senet {

/// Passes the bytes of stdin to take(std::string_view) as they come, until it returns false, the
/// end of input or a read error.
template <class Take>
void read_stdin(Take&& take) {
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const ssize_t size = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0 || !take(std::string_view(buffer.data(), static_cast<std::size_t>(size)))) return;
  }
}

/// Writes lines to stdout, each at once. After a failure it writes no more.
class StandardOutput {
 public:
  void write(std::string_view line) {
    if (failure_ != 0) return;
    const bool is_whole = std::fwrite(line.data(), 1, line.size(), stdout) == line.size() &&
                          std::fputc('\n', stdout) != EOF && std::fflush(stdout) == 0;
    if (!is_whole) failure_ = errno;
  }
  /// Fails if a write has failed.
  Result<void> result() const {
    if (failure_ == 0) return {};
    return fail(fmt::format("cannot write to stdout: {}", std::strerror(failure_)));
  }

 private:
  int failure_ = 0;
};

}  // namespace senet
