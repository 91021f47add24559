#include "tools/gnubg/line_socket.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace senet {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 16;

Error system_failure(std::string_view what) {
  return fail(fmt::format("{}: {}", what, std::generic_category().message(errno)));
}

bool is_try_again() { return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

Result<LineSocket> LineSocket::connect(const std::filesystem::path& file) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = file.string();
  if (name.size() >= sizeof address.sun_path) {
    return fail(fmt::format("{} is too long a name for a socket", name));
  }
  std::memcpy(address.sun_path, name.data(), name.size());
  LineSocket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.descriptor_ < 0) return system_failure("cannot make a socket");
  if (::connect(socket.descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
      0) {
    return system_failure(fmt::format("cannot connect to {}", name));
  }
  return socket;
}

LineSocket::~LineSocket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::string> LineSocket::ask(std::string_view line, Clock::time_point deadline) {
  if (descriptor_ < 0) return fail("the conversation has been given up");
  const Result<void> sent = send(fmt::format("{}\n", line), deadline);
  Result<std::string> answer = sent ? read_line(deadline) : sent.error();
  // An answer that comes too late must not be taken for that of the next question.
  if (!answer) ::close(std::exchange(descriptor_, -1));
  return answer;
}

Result<void> LineSocket::send(std::string_view text, Clock::time_point deadline) {
  while (!text.empty()) {
    if (const Result<void> ready = wait_for(POLLOUT, deadline); !ready) return ready;
    const ssize_t sent = ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && !is_try_again()) return system_failure("cannot ask");
    if (sent > 0) text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

Result<std::string> LineSocket::read_line(Clock::time_point deadline) {
  for (;;) {
    if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    if (unread_.size() > kLongestLine) return fail("the answer has no end");
    if (const Result<void> ready = wait_for(POLLIN, deadline); !ready) {
      return ready.error();
    }
    std::array<char, 4096> block;
    const ssize_t got = ::recv(descriptor_, block.data(), block.size(), MSG_DONTWAIT);
    if (got == 0) return fail("the other side has hung up");
    if (got < 0 && !is_try_again()) return system_failure("cannot read the answer");
    if (got > 0) unread_.append(block.data(), static_cast<std::size_t>(got));
  }
}

Result<void> LineSocket::wait_for(short event, Clock::time_point deadline) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return fail("no answer in time");
    pollfd waited{descriptor_, event, 0};
    const auto most = std::min<std::chrono::milliseconds::rep>(left.count(), 1'000'000);
    const int ready = ::poll(&waited, 1, static_cast<int>(most));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return system_failure("cannot wait for the answer");
  }
}

}  // namespace senet
