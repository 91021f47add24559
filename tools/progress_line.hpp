// One line on a terminal that says how far a long command is.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace senet {

/// Writes "<what> <done>/<total>" to stderr, over and over on the same line, at most ten times a
/// second, and wipes it in the end. Silent when stderr is no terminal.
class ProgressLine {
 public:
  ProgressLine(std::string what, std::size_t total);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::size_t done);

 private:
  const std::string what_;
  const std::size_t total_;
  const bool terminal_;
  std::chrono::steady_clock::time_point shown_{};
};

}  // namespace senet
