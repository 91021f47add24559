// The queue of lines from the reading thread to the session.
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

/// Maximum length of a line in bytes. Enough for every move of the longest game.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 20;

/// A queue of lines. A running search can check whether a line is waiting, and whether a stop or
/// quit is anywhere in the queue. One thread pushes and closes, another one takes lines out. When
/// kMaxBytes are queued, the pushing thread waits.
class Inbox {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{16} << 20;

  /// Adds a line; waits for room unless the inbox is empty.
  void push(std::string line);
  /// Adds the lines completed by these bytes: every "\n", "\r" and "\r\n" ends a line. Keeps
  /// only kLongestLine + 1 bytes of a line that is too long, so that the session can detect it.
  /// Returns false after a quit.
  bool feed(std::string_view bytes);
  /// Signals the end of input. Adds the last line even if it has no line end.
  void close();

  /// Waits for a line and takes the oldest; nullopt when the inbox is closed and empty.
  std::optional<std::string> next();
  /// Takes the oldest line if it consists of just this word, or any line if `word` is empty. Does
  /// not wait.
  std::optional<std::string> next_if(std::string_view word);
  /// Takes the oldest line unless a stop or quit is waiting anywhere. Does not wait.
  std::optional<std::string> next_unless_interrupted();
  /// Waits until there is a line or the inbox is closed.
  void wait();

  /// Whether no line is waiting and the inbox is open. Takes no lock, since it is called after
  /// every visit.
  bool is_quiet() const { return !attention_.load(std::memory_order_relaxed); }
  /// Whether a stop or quit is waiting.
  bool has_interrupt() const;
  bool is_closed() const;

 private:
  std::unique_lock<std::mutex> wait_for_line();
  std::optional<std::string> take();  // the oldest line, if any; requires the lock

  std::string fed_;          // the incomplete last line; used only by the pushing thread
  bool has_return_ = false;  // used only by the pushing thread: the last byte was "\r"
  bool has_quit_ = false;    // used only by the pushing thread
  mutable std::mutex mutex_;
  std::condition_variable changed_;  // at most one thread waits at a time
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;
  std::size_t interrupts_ = 0;
  bool closed_ = false;
  std::atomic<bool> attention_ = false;
};

}  // namespace senet::protocol
