// senet uci: the text protocol on stdin and stdout.
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "tools/command.hpp"
#include "tools/play/protocol/session.hpp"
#include "tools/play/standard_lines.hpp"

namespace senet {
namespace {

using protocol::Inbox;

struct Conversation {
  Inbox inbox;
  StandardOutput output;
  std::optional<protocol::Session> session;
};

Job prepare(const Games& games, const protocol::Options& options) {
  auto talk = std::make_unique<Conversation>();
  talk->session.emplace(games, options, talk->inbox,
                        [&talk = *talk](std::string_view line) { talk.output.write(line); });
  return [talk = std::move(talk)]() -> Result<void> {
    std::jthread reader([&inbox = talk->inbox] {
      read_stdin([&](std::string_view bytes) { return inbox.feed(bytes); });
      inbox.close();
    });
    talk->session->run();
    reader.join();
    return talk->output.result();
  };
}

}  // namespace

void add_uci_command(const Command& program, const Games& games) {
  auto options = std::make_shared<protocol::Options>();
  const Command command =
      program.add_command("uci", "Speak the text protocols UCI, UBGI and UGI on stdin and stdout");
  command.heading("Session");
  command.option("--game", options->game, "the game (option Game)")
      .shows_type("NAME")
      .shows_default();
  add_weights_option(command, options->weights, "the network", " (option WeightsFile)");
  add_settings(command, *options);
  command.heading("Search");
  add_search_options(command, options->search);
  command.footer(
      "docs/protocol.md describes the commands and options and shows sample sessions. In scripts "
      "omit quit: it ends the running search, but the end of input waits for it.");
  command.runs([&games, options] { return prepare(games, *options); });
}

}  // namespace senet
