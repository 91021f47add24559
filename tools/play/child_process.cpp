#include "tools/play/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "games/fields.hpp"

namespace senet {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;
constexpr std::size_t kMaxUnread = std::size_t{16} << 20;  // buffered stdout
constexpr std::size_t kErrorsKept = 4096;
constexpr std::size_t kErrorLinesShown = 3;
// How long to wait for the exit code of a child that has closed its streams.
constexpr std::chrono::seconds kLastMoment(1);

std::string system_reason(int number) { return std::generic_category().message(number); }

bool is_try_again() { return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK; }

/// The last kErrorLinesShown lines of a text, joined with '|'.
std::string last_lines(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const std::vector<std::string_view> lines = split(text, "\n");
  const std::size_t shown = std::min(lines.size(), kErrorLinesShown);
  return fmt::format("{}",
                     fmt::join(lines.end() - static_cast<std::ptrdiff_t>(shown), lines.end(), "|"));
}

}  // namespace

void ChildProcess::close_descriptor(int descriptor) { ::close(descriptor); }

void ChildProcess::kill_and_reap(int id) {
  // Kill the group before reaping: until then the process id cannot be reused.
  ::kill(-id, SIGKILL);
  while (::waitpid(id, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::array<ChildProcess::Descriptor, 2> ChildProcess::make_stream(bool is_input) {
  // The child's stdin is a socket, because send() on a socket can avoid SIGPIPE. All ends are
  // closed on exec, so that no child keeps another child's streams open.
  std::array<int, 2> ends;
  if ((is_input ? ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data())
                : ::pipe2(ends.data(), O_CLOEXEC)) != 0) {
    return {};
  }
  for (int& end : ends) {
    // Move it above 0 .. 2, which the child's streams are duplicated to.
    if (end > STDERR_FILENO) continue;
    const Descriptor low(end);
    end = ::fcntl(low.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Result<ChildProcess> ChildProcess::start(std::vector<std::string> words, std::string name) {
  if (words.empty()) return fail("the command to start is empty");
  ChildProcess child(name.empty() ? fmt::format("{}", fmt::join(words, " ")) : std::move(name));
  std::array streams = {make_stream(true), make_stream(false), make_stream(false)};
  for (const auto& [ours, its] : streams) {
    if (ours.is_open() && its.is_open()) continue;
    return fail(fmt::format("{}: cannot create pipes: {}", child.name_, system_reason(errno)));
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  for (int i = 0; i < 3; ++i) {
    ::posix_spawn_file_actions_adddup2(&files, streams[static_cast<std::size_t>(i)][1].get(), i);
  }
  // The child starts with no signal blocked and with default handlers.
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  pid_t id = -1;
  const int failed =
      ::posix_spawnp(&id, arguments[0], &files, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  if (failed != 0) {
    return fail(fmt::format("{}: cannot be started: {}", child.name_, system_reason(failed)));
  }
  child.group_ = Group(id);
  child.input_ = std::move(streams[0][0]);
  child.output_ = std::move(streams[1][0]);
  child.errors_ = std::move(streams[2][0]);
  return child;
}

void ChildProcess::read_available(Descriptor& stream, std::string& text) {
  constexpr int kMaxBlocks = 64;
  std::array<char, 4096> block;
  for (int blocks = 0; blocks < kMaxBlocks && stream.is_open(); ++blocks) {
    const ssize_t got = ::read(stream.get(), block.data(), block.size());
    if (got > 0) {
      text.append(block.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || !is_try_again()) {
      stream.close();
    } else if (errno != EINTR) {
      return;
    }
  }
}

void ChildProcess::listen(Deadline deadline, bool or_writable) {
  const bool has_room = said_.size() - begin_ < kMaxUnread;
  // poll() skips negative descriptors.
  std::array<pollfd, 3> streams = {{{or_writable ? input_.get() : -1, POLLOUT, 0},
                                    {has_room ? output_.get() : -1, POLLIN, 0},
                                    {errors_.get(), POLLIN, 0}}};
  // Rounded up, so that the caller does not spin just before the deadline.
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  const int time = static_cast<int>(std::clamp<decltype(left + 0)>(left, 0, 1'000'000));
  ::poll(streams.data(), streams.size(), time);
  if (has_room) read_available(output_, said_);
  read_available(errors_, last_errors_);
  if (last_errors_.size() > kErrorsKept) {
    last_errors_.erase(0, last_errors_.size() - kErrorsKept);
  }
}

Result<void> ChildProcess::write_line(std::string_view line, Deadline deadline) {
  const std::string text = fmt::format("{}\n", line);
  for (std::string_view rest = text; !rest.empty();) {
    if (!input_.is_open()) return failure("its input is closed");
    const ssize_t sent = ::send(input_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(sent));
    } else if (!is_try_again()) {
      return ended();
    } else if (Clock::now() >= deadline) {
      return failure("did not read its input in time");
    } else {
      listen(deadline, /*or_writable=*/true);
    }
  }
  return {};
}

Result<std::string> ChildProcess::read_line(Deadline deadline) {
  Result<std::optional<std::string>> line = next_line(deadline);
  if (!line) return line.error();
  return *line ? Result<std::string>(std::move(**line)) : failure("did not print a line in time");
}

Result<std::optional<std::string>> ChildProcess::next_line(Deadline deadline) {
  for (bool is_late = false;;) {
    Result<std::optional<std::string>> line = take_line();
    if (!line || *line || is_late) return line;
    is_late = Clock::now() >= deadline;
    listen(deadline);
  }
}

Result<std::optional<std::string>> ChildProcess::take_line() {
  const std::size_t end = said_.find('\n', std::max(begin_, looked_));
  if (end == std::string::npos) {
    looked_ = said_.size();
    if (looked_ - begin_ > kLongestLine)
      return failure("printed more than 1 MiB without a line end");
    if (!output_.is_open()) return ended();
    return std::nullopt;
  }
  std::string line = said_.substr(begin_, end - begin_);
  if (line.ends_with('\r')) line.pop_back();
  begin_ = looked_ = end + 1;
  // Erase returned lines only occasionally, so that the total cost is linear in the output.
  if (begin_ == said_.size() || begin_ > kLongestLine) {
    said_.erase(0, begin_);
    begin_ = looked_ = 0;
  }
  return line;
}

Error ChildProcess::ended() {
  const Deadline deadline = Clock::now() + kLastMoment;
  siginfo_t info{};
  // WNOWAIT: the child is reaped only after the destructor has killed its group, so that the
  // process id is not reused before that.
  while (::waitid(P_PID, static_cast<id_t>(id()), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0 && Clock::now() < deadline) {
    ::poll(nullptr, 0, 5);
  }
  read_available(errors_, last_errors_);
  if (info.si_pid == 0) return failure("has closed its streams");
  if (info.si_code == CLD_EXITED) {
    return failure(fmt::format("has ended with exit code {}", info.si_status));
  }
  return failure(fmt::format("was ended by signal {}", info.si_status));
}

Error ChildProcess::failure(std::string_view what) const {
  const std::string shown = last_lines(last_errors_);
  return fail(fmt::format("{}: {}{}", name_, what,
                          shown.empty() ? "" : fmt::format("; last lines of stderr: {}", shown)));
}

}  // namespace senet
