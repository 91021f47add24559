// The senet program. Each sub-command is in its own file.
#include "tools/command.hpp"

int main(int argc, char** argv) {
  senet::CommandLine line("senet", "Inference and search for game AI that learns by self-play",
                          "senet " SENET_VERSION);
  const senet::Command root = line.root();
  senet::add_selfplay_command(root);
  senet::add_bench_command(root);
  senet::add_perft_command(root);
  senet::add_eval_command(root);
  senet::add_match_command(root);
  senet::add_uci_command(root);
  senet::add_label_command(root);
  senet::add_inspect_command(root);
  return line.run(argc, argv);
}
