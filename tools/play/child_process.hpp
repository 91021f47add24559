// An external program as a child process with line-based input and output.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "senet/result.hpp"

namespace senet {

/// Owns a child process, its process group, and the streams to its stdin, stdout and stderr.
/// Movable; use from one thread at a time. The destructor kills the whole group and reaps the
/// child.
///
/// Every wait ends at a deadline. While waiting, both output streams of the child are drained, so
/// that the processes cannot deadlock. Writing to a child that has ended is an error, never a
/// SIGPIPE. Reasons contain the command, how the child ended, and the last lines of its stderr. The
/// child has its own process group, so that Ctrl-C reaches only this process.
class ChildProcess {
 public:
  using Clock = std::chrono::steady_clock;
  using Deadline = Clock::time_point;

  /// Starts a program with our environment. words[0] is the program, searched in PATH if it has no
  /// slash. `name` is used in reasons; if empty, they contain the words. Fails when the program
  /// cannot be started.
  static Result<ChildProcess> start(std::vector<std::string> words, std::string name = {});

  /// Runs a command line with /bin/sh. If the command does not exist, the first read or write
  /// fails.
  static Result<ChildProcess> start_shell(const std::string& command_line) {
    return start({"/bin/sh", "-c", command_line}, command_line);
  }

  /// Writes `line` and a line end to the child's stdin. Fails when the child has ended or does not
  /// read its input before the deadline.
  Result<void> write_line(std::string_view line, Deadline deadline);

  /// Reads the next line of the child's stdout, without its line end. Fails when the child has
  /// ended, prints more than 1 MiB without a line end, or prints no complete line before the
  /// deadline.
  Result<std::string> read_line(Deadline deadline);

  /// Like read_line(), but returns nullopt when there is no complete line before the deadline.
  /// Reads available output at least once, even if the deadline has passed.
  Result<std::optional<std::string>> next_line(Deadline deadline);

  /// Closes the child's stdin, so that the child reads end of input.
  void close_input() { input_.close(); }

  /// An error with the command, `what`, and the last lines of the child's stderr.
  Error failure(std::string_view what) const;

  /// The command as it appears in reasons.
  const std::string& name() const { return name_; }

  /// The child's process id, which is also its process group.
  pid_t id() const { return group_.get(); }

 private:
  /// Owns a descriptor or process id and releases it with kGiveBack; -1 means none.
  template <void (*kGiveBack)(int)>
  class Handle {
   public:
    Handle() = default;
    explicit Handle(int number) : number_(number) {}
    Handle(Handle&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Handle& operator=(Handle&& other) noexcept { return std::swap(number_, other.number_), *this; }
    ~Handle() { close(); }
    int get() const { return number_; }
    bool is_open() const { return number_ >= 0; }
    void close() {
      if (is_open()) kGiveBack(std::exchange(number_, -1));
    }

   private:
    int number_ = -1;
  };
  static void close_descriptor(int descriptor);
  static void kill_and_reap(int id);
  using Descriptor = Handle<&close_descriptor>;
  using Group = Handle<&kill_and_reap>;

  explicit ChildProcess(std::string name) : name_(std::move(name)) {}

  // Makes the two ends of a stream, ours first. Closed handles if the system has no descriptors.
  static std::array<Descriptor, 2> make_stream(bool is_input);
  // Appends available output without waiting. Bounded, in case the stream never ends.
  static void read_available(Descriptor& stream, std::string& text);
  // Waits until the child prints, closes a stream, or (with `or_writable`) accepts input, at most
  // until the deadline. Then reads its output.
  void listen(Deadline deadline, bool or_writable = false);
  // Extracts a line from said_; nullopt if none is complete, an error if none can follow.
  Result<std::optional<std::string>> take_line();
  // An error that describes how the child ended. Waits up to a second for its end and its stderr.
  Error ended();

  std::string name_;
  Descriptor input_, output_, errors_;
  std::string said_;        // buffered stdout
  std::size_t begin_ = 0;   // start of the first line not yet returned
  std::size_t looked_ = 0;  // there is no line end between begin_ and looked_
  std::string last_errors_;
  Group group_;  // declared last, so that the child is killed before its streams close
};

}  // namespace senet
