#include "tools/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace senet {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;
constexpr std::size_t kMostUnread = std::size_t{16} << 20;  // of stdout, while we wait to write
constexpr std::size_t kErrorsKept = 4096;
constexpr std::size_t kErrorLinesTold = 3;
// How long a child that has closed its streams is waited for, to learn how it ended.
constexpr std::chrono::seconds kLastMoment(1);

std::string system_reason(int number) { return std::generic_category().message(number); }

/// Time left for poll(), rounded up so that nothing spins before a deadline.
int milliseconds_until(ChildProcess::Deadline deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - ChildProcess::Clock::now());
  return static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, 1'000'000));
}

/// What posix_spawn wants to know, freed again.
struct SpawnSettings {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;

  SpawnSettings() {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
  }
};

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Our environment with these entries instead of ours of the same name.
std::vector<std::string> with_our_environment(std::vector<std::string> entries) {
  const auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
  const std::size_t own = entries.size();
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const bool is_replaced =
        std::any_of(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(own),
                    [&](const std::string& other) { return name_of(other) == name_of(*entry); });
    if (!is_replaced) entries.emplace_back(*entry);
  }
  return entries;
}

/// A descriptor beyond the standard streams, which become the child's, instead of `number`.
int above_standard_streams(int number) {
  if (number > STDERR_FILENO) return number;
  const int higher = ::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::close(number);
  return higher;
}

/// Reads what is there without waiting, but not for ever from one that never ends. False when the
/// stream has ended.
template <class Take>
bool read_available(int descriptor, Take&& take) {
  constexpr int kMostBlocks = 64;
  std::array<char, 4096> block;
  for (int blocks = 0; blocks < kMostBlocks; ++blocks) {
    const ssize_t got = ::read(descriptor, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    if (got == 0) return false;
    take(std::string_view(block.data(), static_cast<std::size_t>(got)));
  }
  return true;
}

/// The last few lines of a text, on one line.
std::string last_lines(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t begin = text.size();
  for (std::size_t lines = 0; lines < kErrorLinesTold && begin != 0; ++lines) {
    const std::size_t end = text.rfind('\n', begin - 1);
    begin = end == std::string_view::npos ? 0 : end;
  }
  text.remove_prefix(begin);
  if (text.starts_with('\n')) text.remove_prefix(1);
  std::string told(text);
  std::replace(told.begin(), told.end(), '\n', '|');
  return told;
}

}  // namespace

ChildProcess::Descriptor::Descriptor(Descriptor&& other) noexcept
    : number_(std::exchange(other.number_, -1)) {}

ChildProcess::Descriptor& ChildProcess::Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

void ChildProcess::Descriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

Result<ChildProcess> ChildProcess::start(std::vector<std::string> words,
                                         std::vector<std::string> environment) {
  if (words.empty()) return fail("there is no command to start");
  std::string name = fmt::format("{}", fmt::join(words, " "));
  return spawn(std::move(name), std::move(words), std::move(environment));
}

Result<ChildProcess> ChildProcess::start_shell(const std::string& command_line) {
  return spawn(command_line, {"/bin/sh", "-c", command_line}, {});
}

Result<ChildProcess> ChildProcess::spawn(std::string name, std::vector<std::string> words,
                                         std::vector<std::string> environment) {
  ChildProcess child(std::move(name));
  // The child's stdin is a socket, because a socket can be written without SIGPIPE. All our ends
  // are closed on exec, so that no child keeps another one's streams open.
  const auto streams_failed = [&] {
    return fail(fmt::format("{}: cannot make its streams: {}", child.name_, system_reason(errno)));
  };
  std::array<int, 2> ends;
  const auto take = [&ends](std::size_t end) {
    return Descriptor(above_standard_streams(ends[end]));
  };
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return streams_failed();
  child.input_ = take(0);
  const Descriptor its_input = take(1);
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return streams_failed();
  child.output_ = take(0);
  const Descriptor its_output = take(1);
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return streams_failed();
  child.errors_ = take(0);
  const Descriptor its_errors = take(1);
  ::fcntl(child.output_.number(), F_SETFL, O_NONBLOCK);
  ::fcntl(child.errors_.number(), F_SETFL, O_NONBLOCK);

  SpawnSettings settings;
  ::posix_spawn_file_actions_adddup2(&settings.files, its_input.number(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&settings.files, its_output.number(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&settings.files, its_errors.number(), STDERR_FILENO);
  // Whatever signals we block or ignore, the child starts with none blocked and all as usual.
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  ::posix_spawnattr_setsigmask(&settings.attributes, &none);
  ::posix_spawnattr_setsigdefault(&settings.attributes, &all);
  ::posix_spawnattr_setpgroup(&settings.attributes, 0);
  ::posix_spawnattr_setflags(
      &settings.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> entries = with_our_environment(std::move(environment));
  const int failed =
      ::posix_spawnp(&child.id_, words[0].c_str(), &settings.files, &settings.attributes,
                     pointers_to(words).data(), pointers_to(entries).data());
  if (failed != 0) {
    child.id_ = 0;
    return fail(fmt::format("{}: cannot be started: {}", child.name_, system_reason(failed)));
  }
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : name_(std::move(other.name_)),
      id_(std::exchange(other.id_, 0)),
      input_(std::move(other.input_)),
      output_(std::move(other.output_)),
      errors_(std::move(other.errors_)),
      said_(std::move(other.said_)),
      begin_(std::exchange(other.begin_, 0)),
      looked_(std::exchange(other.looked_, 0)),
      last_errors_(std::move(other.last_errors_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(id_, other.id_);
  std::swap(input_, other.input_);
  std::swap(output_, other.output_);
  std::swap(errors_, other.errors_);
  std::swap(said_, other.said_);
  std::swap(begin_, other.begin_);
  std::swap(looked_, other.looked_);
  std::swap(last_errors_, other.last_errors_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (id_ == 0) return;
  // The group first, while the child, dead or alive, still holds its number.
  ::kill(-id_, SIGKILL);
  while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void ChildProcess::take_output() {
  const bool goes_on =
      read_available(output_.number(), [&](std::string_view text) { said_ += text; });
  if (!goes_on) output_.close();
}

void ChildProcess::take_errors() {
  const bool goes_on = read_available(errors_.number(), [&](std::string_view text) {
    last_errors_ += text;
    if (last_errors_.size() > 2 * kErrorsKept) {
      last_errors_.erase(0, last_errors_.size() - kErrorsKept);
    }
  });
  if (!goes_on) errors_.close();
}

void ChildProcess::listen() {
  if (output_.is_open()) take_output();
  if (errors_.is_open()) take_errors();
}

std::array<pollfd, 3> ChildProcess::streams(bool writes) const {
  const bool has_room = said_.size() - begin_ < kMostUnread;
  return {pollfd{writes ? input_.number() : -1, POLLOUT, 0},
          pollfd{has_room ? output_.number() : -1, POLLIN, 0}, pollfd{errors_.number(), POLLIN, 0}};
}

void ChildProcess::take(std::span<const pollfd> polled) {
  if (polled[1].revents != 0) take_output();
  if (polled[2].revents != 0) take_errors();
}

void ChildProcess::wait_for_any(std::span<ChildProcess* const> children, Deadline deadline) {
  std::vector<pollfd> all;
  for (const ChildProcess* child : children) {
    const auto own = child->streams(/*writes=*/false);
    all.insert(all.end(), own.begin(), own.end());
  }
  if (::poll(all.data(), all.size(), milliseconds_until(deadline)) <= 0) return;
  for (std::size_t i = 0; i < children.size(); ++i) {
    children[i]->take(std::span(all).subspan(3 * i, 3));
  }
}

Result<void> ChildProcess::write_line(std::string_view line, Deadline deadline) {
  std::string text(line);
  text += '\n';
  std::string_view rest = text;
  while (!rest.empty()) {
    if (!input_.is_open()) return failure("its input is closed");
    const ssize_t sent =
        ::send(input_.number(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return ended();
    if (Clock::now() >= deadline) return failure("takes no input in time");
    auto own = streams(/*writes=*/true);
    if (::poll(own.data(), own.size(), milliseconds_until(deadline)) > 0) take(own);
  }
  return {};
}

Result<std::string> ChildProcess::read_line(Deadline deadline) {
  ChildProcess* const self = this;
  for (;;) {
    Result<std::optional<std::string>> line = next_line();
    if (!line) return line.error();
    if (*line) return std::move(**line);
    if (Clock::now() >= deadline) return failure("says nothing in time");
    wait_for_any({&self, 1}, deadline);
  }
}

Result<std::optional<std::string>> ChildProcess::next_line() {
  const std::size_t end = said_.find('\n', std::max(begin_, looked_));
  if (end == std::string::npos) {
    looked_ = said_.size();
    if (looked_ - begin_ > kLongestLine) return failure("says more than 1 MiB without a line end");
    if (!output_.is_open()) return ended();
    return std::nullopt;
  }
  std::string line = said_.substr(begin_, end - begin_);
  if (line.ends_with('\r')) line.pop_back();
  begin_ = looked_ = end + 1;
  // Now and then what was read is dropped, so that a flood of lines costs no more than its size.
  if (begin_ == said_.size() || begin_ > kLongestLine) {
    said_.erase(0, begin_);
    begin_ = looked_ = 0;
  }
  return line;
}

Error ChildProcess::ended() {
  const Deadline deadline = Clock::now() + kLastMoment;
  siginfo_t info{};
  // Not reaped yet: until the destructor has killed its group, its number must stay taken.
  while (id_ != 0 &&
         ::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0 && Clock::now() < deadline) {
    ::poll(nullptr, 0, 5);
  }
  if (errors_.is_open()) take_errors();
  if (info.si_pid == 0) return failure("has closed its streams");
  if (info.si_code == CLD_EXITED) {
    return failure(fmt::format("has ended with exit code {}", info.si_status));
  }
  return failure(fmt::format("was ended by signal {}", info.si_status));
}

Error ChildProcess::failure(std::string_view what) const {
  const std::string told = last_lines(last_errors_);
  return fail(fmt::format("{}: {}{}", name_, what,
                          told.empty() ? "" : fmt::format("; its last words: {}", told)));
}

}  // namespace senet
