// The senet program. Each sub-command is in its own file.
#include "games/registry.hpp"
#include "tools/command.hpp"
#include "tools/play/players.hpp"

int main(int argc, char** argv) {
  senet::CommandLine line("senet", "Inference and search for game AI that learns by self-play",
                          "senet " SENET_VERSION);
  const senet::Command root = line.root();
  root.heading("Train");
  senet::add_selfplay_command(root);
  root.heading("Play");
  senet::add_match_command(root);
  senet::add_ladder_command(root);
  senet::add_report_command(root);
  senet::add_uci_command(root);
  senet::add_analyse_command(root);
  root.heading("Judge");
  senet::add_eval_command(root);
  senet::add_perft_command(root);
  for (const senet::AnyGame* const game : senet::all_games<senet::AnyGame>()) {
    senet::programs_of(*game).add_commands(root);
  }
  root.heading("Measure and inspect");
  senet::add_bench_command(root);
  senet::add_inspect_command(root);
  root.footer(
      "senet help COMMAND describes a command; senet version prints the version.\n"
      "Exit codes: 0 success, 1 failure, 2 usage error. Stopping selfplay is a normal end: it "
      "saves everything and exits with 0.");
  return line.run(argc, argv);
}
