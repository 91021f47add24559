// A conversation in lines over a socket in the file system, every answer by a deadline.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "senet/result.hpp"

namespace senet {

/// Owns the connection. Movable; belongs to one thread at a time.
class LineSocket {
 public:
  using Clock = std::chrono::steady_clock;

  /// Connects to the program that listens at `file`. Fails with a reason when none does, or when
  /// the name is too long for a socket (about 100 bytes).
  static Result<LineSocket> connect(const std::filesystem::path& file);

  LineSocket(LineSocket&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), unread_(std::move(other.unread_)) {}
  LineSocket& operator=(LineSocket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(unread_, other.unread_);
    return *this;
  }
  ~LineSocket();

  /// Sends `line` with a line end and returns the next line of the other side without its own.
  /// Fails when the other side hangs up, answers more than 64 KiB without a line end, or does not
  /// answer by the deadline; then the conversation is given up, and all later questions fail too.
  Result<std::string> ask(std::string_view line, Clock::time_point deadline);

  /// False once the conversation has been given up.
  bool is_open() const { return descriptor_ >= 0; }

 private:
  explicit LineSocket(int descriptor) : descriptor_(descriptor) {}

  Result<void> send(std::string_view text, Clock::time_point deadline);
  Result<std::string> read_line(Clock::time_point deadline);
  Result<void> wait_for(short event, Clock::time_point deadline) const;

  int descriptor_;
  std::string unread_;
};

}  // namespace senet
