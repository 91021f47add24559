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

void add_uci_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* const command =
      app.add_subcommand("uci", "Speak the text protocols UCI, UBGI and UGI on stdin and stdout");
  command->add_option("--game", options->game, "the game; option Game")->capture_default_str();
  command->add_option(
      "--weights", options->weights,
      "the network's weights: a safetensors file, builtin or untrained[:SEED]; option "
      "WeightsFile (default: builtin, where the game has one, else untrained)");
  command
      ->add_option("--visits", options->visits,
                   "visits of a go without limits, 0: the network alone; option Visits")
      ->capture_default_str()
      ->check(CLI::Range(0u, kMostVisits));
  command->add_option("--hash", options->hash_mib, "memory of the tree in MiB; option Hash")
      ->capture_default_str()
      ->check(CLI::Range(1u, protocol::kMostHashMib));
  command->add_option("--multi-pv", options->multi_pv, "moves told in info; option MultiPV")
      ->capture_default_str()
      ->check(CLI::Range(1u, protocol::kMostMultiPv));
  add_search_options(*command, options->search);
  command->remove_option(command->get_option("--lanes"));  // there is one search at a time
  command->footer("docs/protocol.md has the words, the options and sessions to look at.");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace senet
