// senet uci: the text protocol on stdin and stdout.
#include <unistd.h>

#include <memory>

#include "games/registry.hpp"
#include "tools/command.hpp"
#include "tools/protocol/serve.hpp"
#include "tools/search_options.hpp"

namespace senet {
namespace {

using protocol::Options;

int run(const Options& options) {
  bool is_ready = false;
  const Result<void> served = protocol::serve(options, STDIN_FILENO, STDOUT_FILENO, is_ready);
  return report("uci", served, is_ready ? kExitFailed : kExitBadInput);
}

}  // namespace

void add_uci_command(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command =
      program.add_command("uci", "Speak the text protocols UCI, UBGI and UGI on stdin and stdout");
  command.option("--game", options->game, "the game; option Game").shows_default();
  command.option("--weights", options->weights,
                 "the network's weights: a safetensors file, builtin or untrained[:SEED]; option "
                 "WeightsFile (default: builtin, where the game has one, else untrained)");
  command
      .option("--visits", options->visits,
              "visits of a go without limits, 0: the network alone; option Visits")
      .shows_default()
      .in_range(0u, kMostVisits);
  command.option("--hash", options->hash_mib, "memory of the tree in MiB; option Hash")
      .shows_default()
      .in_range(1u, protocol::kMostHashMib);
  command.option("--multi-pv", options->multi_pv, "moves told in info; option MultiPV")
      .shows_default()
      .in_range(1u, protocol::kMostMultiPv);
  add_search_options(command, options->search);
  command.remove_option("--lanes");  // there is one search at a time
  command.footer("docs/protocol.md has the words, the options and sessions to look at.");
  command.runs([options] { return run(*options); });
}

}  // namespace senet
