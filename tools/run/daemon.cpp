#include "tools/run/daemon.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <system_error>
#include <utility>

#include "tools/command.hpp"
#include "tools/terminal.hpp"

namespace senet {
namespace {

constexpr int kLogFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;

// A number in the environment; 0 if there is none.
std::uint64_t environment_number(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

}  // namespace

Result<RotatedLog> RotatedLog::open(const std::filesystem::path& file, std::uint64_t most_bytes,
                                    int kept) {
  const int descriptor = ::open(file.c_str(), kLogFlags, 0644);
  struct stat status {};
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0) {
    return fail(fmt::format("{}: cannot open: {}", file.string(), std::strerror(errno)));
  }
  return RotatedLog(descriptor, file, static_cast<std::uint64_t>(status.st_size), most_bytes, kept);
}

RotatedLog::RotatedLog(int descriptor, std::filesystem::path file, std::uint64_t size,
                       std::uint64_t most_bytes, int kept)
    : descriptor_(descriptor),
      file_(std::move(file)),
      size_(size),
      most_bytes_(most_bytes),
      kept_(kept) {}

RotatedLog::RotatedLog(RotatedLog&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      file_(other.file_),
      size_(other.size_),
      most_bytes_(other.most_bytes_),
      kept_(other.kept_),
      has_output_(other.has_output_) {}

RotatedLog::~RotatedLog() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void RotatedLog::write(std::string_view text) {
  const std::lock_guard lock(mutex_);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line = fmt::format("{:%Y-%m-%d %H:%M:%S} {}\n",
                                         fmt::localtime(std::time(nullptr)), text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (size_ > 0 && size_ + line.size() > most_bytes_) rotate();
    // In one piece: other output of the process may go to the same file.
    const ssize_t written = ::write(descriptor_, line.data(), line.size());
    if (written > 0) size_ += static_cast<std::uint64_t>(written);
  }
}

void RotatedLog::take_output() {
  const std::lock_guard lock(mutex_);
  has_output_ = true;
  ::dup2(descriptor_, STDOUT_FILENO);
  ::dup2(descriptor_, STDERR_FILENO);
}

// Where a file cannot be renamed or opened, the old one grows, and the next try is as much later.
void RotatedLog::rotate() {
  const auto numbered = [&](int number) { return fmt::format("{}.{}", file_.string(), number); };
  std::error_code error;
  for (int i = kept_; i > 1; --i) std::filesystem::rename(numbered(i - 1), numbered(i), error);
  std::filesystem::rename(file_, numbered(1), error);
  size_ = 0;
  const int next = error ? -1 : ::open(file_.c_str(), kLogFlags, 0644);
  if (next < 0) return;
  ::close(std::exchange(descriptor_, next));
  if (has_output_) {
    ::dup2(descriptor_, STDOUT_FILENO);
    ::dup2(descriptor_, STDERR_FILENO);
  }
}

DaemonChild DaemonChild::fork(const std::string& what_next) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) {
    throw fail(fmt::format("--detach: no pipe: {}", std::strerror(errno)));
  }
  const pid_t child = ::fork();
  if (child < 0) throw fail(fmt::format("--detach: cannot fork: {}", std::strerror(errno)));
  if (child == 0) {
    ::close(pipe[0]);
    return DaemonChild(pipe[1]);
  }
  ::close(pipe[1]);
  char sign = 0;
  const ssize_t got = TEMP_FAILURE_RETRY(::read(pipe[0], &sign, 1));
  ::close(pipe[0]);
  if (got == 1) {
    print_stderr("process {} plays in the background\n{}", child, what_next);
    throw ExitCode{0};
  }
  // The child has printed why.
  int status = 0;
  static_cast<void>(TEMP_FAILURE_RETRY(::waitpid(child, &status, 0)));
  if (WIFEXITED(status)) throw ExitCode{WEXITSTATUS(status)};
  throw ExitCode{128 + WTERMSIG(status)};
}

DaemonChild::DaemonChild(DaemonChild&& other) noexcept
    : parent_(std::exchange(other.parent_, -1)) {}

DaemonChild::~DaemonChild() {
  if (parent_ >= 0) ::close(parent_);
}

void DaemonChild::leave(RotatedLog& log) {
  if (has_left()) return;
  ::setsid();
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::close(nothing);
  log.take_output();
  // The daemon plays on if the parent has been killed.
  static_cast<void>(!::write(parent_, "+", 1));
  ::close(std::exchange(parent_, -1));
}

ServiceManager::ServiceManager() {
  const char* const socket = std::getenv("NOTIFY_SOCKET");
  if (socket == nullptr || (socket[0] != '/' && socket[0] != '@')) return;
  socket_ = socket;
  const std::uint64_t process = environment_number("WATCHDOG_PID");
  if (process == 0 || process == static_cast<std::uint64_t>(::getpid())) {
    watchdog_seconds_ = static_cast<double>(environment_number("WATCHDOG_USEC")) / 1e6;
  }
}

void ServiceManager::send(const std::string& lines) const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_.empty() || socket_.size() >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  // The name of an abstract socket begins with a zero, and its length counts.
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  const int sender = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (sender < 0) return;
  ::sendto(sender, lines.data(), lines.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
           reinterpret_cast<const sockaddr*>(&address), length);
  ::close(sender);
}

void ServiceManager::keep_alive(double stalled_seconds) {
  if (watchdog_seconds_ <= 0 || stalled_seconds > watchdog_seconds_) return;
  const auto now = Clock::now();
  if (std::chrono::duration<double>(now - sent_).count() < watchdog_seconds_ / 4) return;
  sent_ = now;
  send("WATCHDOG=1");
}

}  // namespace senet
