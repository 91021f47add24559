// The lines on their way from the thread that reads them to the session that carries them out.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace senet::protocol {

/// Longest line that is carried out, in bytes: room for every move of the longest game.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 20;

/// Lines in their order, with two questions that a running search may ask at any time: is anything
/// there, and does a stop or quit wait, whatever stands before it? One thread pushes and closes,
/// another takes out. Holds at most kMostBytes: a pusher waits then.
class Inbox {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;

  /// Adds a line; waits for room unless the inbox is empty.
  void push(std::string line);
  /// Adds the lines that these bytes complete: every "\n" and "\r" ends one (so that "\r\n" is a
  /// line end and an empty line). Of a line that is too long only kLongestLine + 1 bytes are kept:
  /// enough to see that it is. False once one of them was quit.
  bool feed(std::string_view bytes);
  /// Says that no line will follow; the end of input ends the last line too.
  void close();

  /// The oldest line, waiting for one; none once closed and empty.
  std::optional<std::string> next();
  /// The oldest line if there is one and it is this word alone, or any if `word` is empty.
  std::optional<std::string> next_if(std::string_view word);
  /// Waits until there is a line or the inbox is closed.
  void wait();

  /// Nothing waits and more may come; the cheap question, asked after every visit.
  bool is_quiet() const { return !attention_.load(std::memory_order_relaxed); }
  /// A stop or quit waits.
  bool has_interrupt() const;
  bool is_closed() const;

 private:
  std::unique_lock<std::mutex> wait_for_line();
  std::optional<std::string> take();  // the oldest, if any; needs the lock

  std::string fed_;  // without a line end yet; with has_quit_ of the thread that pushes
  bool has_quit_ = false;
  mutable std::mutex mutex_;
  std::condition_variable changed_;  // for the one thread that waits
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;
  std::size_t interrupts_ = 0;
  bool closed_ = false;
  std::atomic<bool> attention_ = false;
};

}  // namespace senet::protocol
