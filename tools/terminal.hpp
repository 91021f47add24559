// The width of a terminal, texts wrapped to it, and a one-line progress display on it.
#pragma once

#include <fmt/core.h>
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

/// Prints on stderr. Ignores errors, for example a closed terminal, a full disk or, where SIGPIPE
/// is ignored (StopSignals), a reader that has gone: no command ends because its messages cannot be
/// read.
template <class... Args>
void print_stderr(fmt::format_string<Args...> text, Args&&... args) {
  static_cast<void>(std::fputs(fmt::format(text, std::forward<Args>(args)...).c_str(), stderr));
}

/// Columns of the terminal behind a file descriptor; 80 if it is none.
inline std::size_t terminal_columns(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

/// Rows likewise; 24 if it is none.
inline std::size_t terminal_rows(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_row > 1 ? size.ws_row : 24;
}

/// Columns for a text on stdout: the terminal's, within reason; 80 if stdout is none.
inline std::size_t text_columns() {
  return std::clamp<std::size_t>(terminal_columns(STDOUT_FILENO), 60, 120);
}

/// A space at which no line is broken.
inline constexpr char kHardSpace = '\x1f';

/// Breaks a text into lines of at most `width` columns, at spaces and at its own line ends. Lines
/// after the first are indented by `indent` columns.
inline std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string lines;
  std::size_t column = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const bool is_break = begin > 0 && text[begin - 1] == '\n';
    if (begin > 0 && (is_break || column + 1 + word.size() > width)) {
      lines.append("\n").append(indent, ' ');
      column = 0;
    } else if (begin > 0) {
      lines += ' ';
      ++column;
    }
    lines.append(word);
    column += word.size();
    begin = end + 1;
  }
  std::ranges::replace(lines, kHardSpace, ' ');
  return lines;
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
