// A command that continues in the background: it leaves its terminal, keeps a log, and reports to a
// service manager.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>

#include "nn/file.hpp"

namespace senet {

/// A log file of bounded size. Each line begins with the time. Before the file would grow beyond
/// `most_bytes`, it is renamed to FILE.1, that one to FILE.2, and so on; FILE.<kept> is removed.
/// Lines that cannot be written are lost: no daemon ends because of its log. Any thread may call
/// it.
class RotatedLog {
 public:
  static constexpr std::uint64_t kMostBytes = 10'000'000;
  static constexpr int kKept = 4;

  /// Continues the file.
  static Result<RotatedLog> open(const std::filesystem::path& file,
                                 std::uint64_t most_bytes = kMostBytes, int kept = kKept);
  RotatedLog(RotatedLog&& other) noexcept;
  ~RotatedLog();

  /// Writes the lines of a text, each with the time.
  void write(std::string_view text);
  /// From now on, stdout and stderr of this process are the newest file: what a library or a crash
  /// prints is there too.
  void take_output();

 private:
  RotatedLog(int descriptor, std::filesystem::path file, std::uint64_t size,
             std::uint64_t most_bytes, int kept);

  void rotate();

  std::mutex mutex_;
  int descriptor_;
  const std::filesystem::path file_;
  std::uint64_t size_;
  const std::uint64_t most_bytes_;
  const int kept_;
  bool has_output_ = false;
};

/// The child process that becomes a daemon.
class DaemonChild {
 public:
  /// Forks; call it before any thread is started. Returns in the child. In the parent it waits
  /// until the child leaves or ends, then throws the program's ExitCode: 0 after a line with the
  /// child's process id and `what_next`, or the child's own code. Until then the child has the
  /// terminal: it prints its errors there, and Ctrl-C ends it.
  static DaemonChild fork(const std::string& what_next);
  DaemonChild(DaemonChild&& other) noexcept;
  ~DaemonChild();

  /// Leaves the terminal for a new session, with an empty stdin and the log as its output,
  /// and lets the parent end.
  void leave(RotatedLog& log);
  bool has_left() const { return parent_ < 0; }

 private:
  explicit DaemonChild(int parent) : parent_(parent) {}

  int parent_;  // a pipe
};

/// Reports to systemd, or to whatever listens at $NOTIFY_SOCKET, as sd_notify(3) does.
class ServiceManager {
 public:
  ServiceManager();

  /// Sends lines such as "READY=1"; nothing if there is no manager. Never waits.
  void send(const std::string& lines) const;
  /// Sends "WATCHDOG=1" four times in the manager's time limit, but not while a part of the program
  /// has been stuck for longer than that. Call it often.
  void keep_alive(double stalled_seconds);

 private:
  using Clock = std::chrono::steady_clock;

  std::string socket_;           // its path; empty: no manager
  double watchdog_seconds_ = 0;  // 0: no time limit
  Clock::time_point sent_{};
};

}  // namespace senet
