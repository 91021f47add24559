#include "tools/protocol/serve.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>

#include "tools/protocol/line_splitter.hpp"
#include "tools/protocol/session.hpp"

namespace senet::protocol {
namespace {

// Reads until quit, the end of input or an error, which ends input too.
void read_lines(int input, Inbox& inbox) {
  LineSplitter splitter;
  bool quits = false;
  const auto push = [&](std::string line) {
    quits = quits || only_word(line) == "quit";
    inbox.push(std::move(line));
  };
  std::array<char, 1 << 16> buffer;
  while (!quits) {
    const ssize_t size = ::read(input, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    splitter.feed({buffer.data(), static_cast<std::size_t>(size)}, push);
  }
  splitter.finish(push);
  inbox.close();
}

// One line, whole; 0 or what is wrong.
int write_line(int output, std::string_view line) {
  const std::string text = std::string(line) + '\n';
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t size = ::write(output, text.data() + done, text.size() - done);
    if (size < 0 && errno != EINTR) return errno;
    if (size > 0) done += static_cast<std::size_t>(size);
  }
  return 0;
}

}  // namespace

Result<void> serve(const Options& options, int input, int output, bool& is_ready) {
  Inbox inbox;
  int failure = 0;
  Result<Session> session = Session::open(options, inbox, [&](std::string_view line) {
    if (failure == 0) failure = write_line(output, line);
  });
  is_ready = session.has_value();
  if (!session) return session.error();
  {
    std::jthread reader([&] { read_lines(input, inbox); });
    session->run();
  }
  if (failure == 0) return {};
  return fail(fmt::format("answers could not be written: {}", std::strerror(failure)));
}

}  // namespace senet::protocol
