// senet uci: the text protocol on stdin and stdout.
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

#include "tools/command.hpp"
#include "tools/play/protocol/session.hpp"

namespace senet {
namespace {

using protocol::Inbox;

// Feeds stdin to the inbox until quit, end of input or a read error.
void read_lines(Inbox& inbox) {
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const ssize_t size = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0 || !inbox.feed({buffer.data(), static_cast<std::size_t>(size)})) break;
  }
  inbox.close();
}

struct Conversation {
  Inbox inbox;
  int failure = 0;
  std::optional<protocol::Session> session;
};

Job prepare(const protocol::Options& options) {
  auto talk = std::make_unique<Conversation>();
  talk->session.emplace(options, talk->inbox, [&talk = *talk](std::string_view line) {
    if (talk.failure != 0) return;
    const bool is_whole = std::fwrite(line.data(), 1, line.size(), stdout) == line.size() &&
                          std::fputc('\n', stdout) != EOF && std::fflush(stdout) == 0;
    if (!is_whole) talk.failure = errno;
  });
  return [talk = std::move(talk)]() -> Result<void> {
    std::jthread reader([&] { read_lines(talk->inbox); });
    talk->session->run();
    reader.join();
    if (talk->failure == 0) return {};
    return fail(fmt::format("cannot write to stdout: {}", std::strerror(talk->failure)));
  };
}

}  // namespace

void add_uci_command(const Command& program) {
  auto options = std::make_shared<protocol::Options>();
  const Command command =
      program.add_command("uci", "Speak the text protocols UCI, UBGI and UGI on stdin and stdout");
  command.heading("Session");
  command.option("--game", options->game, "the game (option Game)")
      .shows_type("NAME")
      .shows_default();
  command
      .option("--weights", options->weights,
              "the network: a safetensors file, builtin or untrained[:SEED] (option WeightsFile)")
      .shows_type("NETWORK")
      .shows_default("builtin if the game has a built-in network, else untrained");
  add_settings(command, *options);
  command.heading("Search");
  add_search_options(command, options->search);
  command.footer("docs/protocol.md describes the commands and options and shows sample sessions.");
  command.runs([options] { return prepare(*options); });
}

}  // namespace senet
