// Another program, talked to line by line: started, asked, and gone when its owner is gone.
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

/// Owns a child process, its process group, and the pipes to its stdin, stdout and stderr. Movable;
/// belongs to one thread at a time. The destructor kills the whole group and reaps the child.
///
/// Every wait ends at a deadline. Meanwhile whatever the child says on either stream is taken, so
/// that none of the two can wait for the other for ever. A child that has ended is an error like
/// any other, never a signal. Reasons name the command, how the child ended, and the last lines of
/// its stderr. The child is in a process group of its own, so that Ctrl-C reaches us and not the
/// child.
class ChildProcess {
 public:
  using Clock = std::chrono::steady_clock;
  using Deadline = Clock::time_point;

  /// Starts a program in our environment. words[0] is its name, looked for in PATH when it has no
  /// slash. Reasons call it `name`, or its words when that is empty. Fails when it cannot be
  /// started at all.
  static Result<ChildProcess> start(std::vector<std::string> words, std::string name = {});

  /// Starts what /bin/sh makes of a command line. A command that does not exist is an error of the
  /// first read or write.
  static Result<ChildProcess> start_shell(const std::string& command_line) {
    return start({"/bin/sh", "-c", command_line}, command_line);
  }

  /// Writes `line` and a line end to the child's stdin. Fails when the child has ended or does not
  /// take it in time.
  Result<void> write_line(std::string_view line, Deadline deadline);

  /// The next line of the child's stdout, without its line end. Fails when the child has ended
  /// without one, says more than 1 MiB without a line end, or says nothing whole in time.
  Result<std::string> read_line(Deadline deadline);

  /// The same, but nothing when it says nothing whole in time. What the child has said is taken at
  /// least once, however late it is.
  Result<std::optional<std::string>> next_line(Deadline deadline);

  /// Closes the child's stdin: it reads an end of input.
  void close_input() { input_.close(); }

  /// A reason: the command, this, and the child's last words on stderr.
  Error failure(std::string_view what) const;

  /// The command, in words, as reasons name it.
  const std::string& name() const { return name_; }

  /// Process id and process group of the child.
  pid_t id() const { return group_.get(); }

 private:
  /// A number of the system's that is given back in the end; -1 is none.
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

  // The ends of a stream, ours first; not open when the system has no more.
  static std::array<Descriptor, 2> make_stream(bool is_input);
  // Appends what is there without waiting, but not for ever from a stream that never ends.
  static void read_available(Descriptor& stream, std::string& text);
  // Waits until the child says something or closes a stream (`or_writable`: or takes input), at
  // most until the deadline, and takes what it said.
  void listen(Deadline deadline, bool or_writable = false);
  // A line of what was taken; an error when there can be none.
  Result<std::optional<std::string>> take_line();
  // What became of the child, in words; waits a moment for its end and its last words.
  Error ended();

  std::string name_;
  Descriptor input_, output_, errors_;
  std::string said_;        // stdout, from the first line not yet read
  std::size_t begin_ = 0;   // what was read of it stands before this
  std::size_t looked_ = 0;  // no line end stands between begin_ and this
  std::string last_errors_;
  Group group_;  // the last, so that it ends before its streams close
};

}  // namespace senet
