// The senet program. Each sub-command is in its own file.
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>
#include <vector>

#include "games/games.hpp"
#include "tools/command.hpp"
#include "tools/game_library.hpp"
#include "tools/play/players.hpp"

namespace {

// For an exception that a thread cannot pass on: a lack of memory or threads is no fault of the
// program, which then ends with a sentence. It allocates nothing.
[[noreturn]] void end_in_words() {
  const auto end = [](std::string_view line) {
    static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
    ::_exit(1);
  };
  constexpr std::string_view kNoMemory = "senet: out of memory\n";
  try {
    if (std::current_exception() != nullptr) throw;
    // The library could not even allocate the exception.
    if (std::malloc(1 << 16) == nullptr) end(kNoMemory);
  } catch (const std::bad_alloc&) {
    end(kNoMemory);
  } catch (const std::system_error&) {
    end("senet: the system has no room for another thread\n");
  } catch (...) {
  }
  std::abort();
}

// Libraries allocate memory when they are loaded, so before main. This runs earlier.
[[gnu::section(".preinit_array"), gnu::used]] void (*const kFirst)() = [] {
  std::set_terminate(end_in_words);
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<const char*> arguments(argv, argv + argc);
  senet::Games games;
  senet::CommandLine line("senet", "Inference and search for game AI that learns by self-play",
                          "senet " SENET_VERSION);
  // Before the commands are added, whose help lists the games.
  const auto added = senet::add_game_libraries(games, arguments);
  if (!added) return line.refuse(added.error());
  const senet::Command root = line.root();
  root.heading("Train");
  senet::add_selfplay_command(root, games);
  senet::add_train_command(root, games);
  senet::add_status_command(root);
  senet::add_stop_command(root);
  root.heading("Play");
  senet::add_match_command(root, games);
  senet::add_ladder_command(root, games);
  senet::add_report_command(root, games);
  senet::add_uci_command(root, games);
  senet::add_analyse_command(root, games);
  senet::add_solve_command(root, games);
  root.heading("Judge");
  senet::add_eval_command(root, games);
  senet::add_perft_command(root, games);
  for (const senet::AnyGame* const game : senet::all_games<senet::AnyGame>()) {
    senet::programs_of(*game).add_commands(root);
  }
  root.heading("Measure and inspect");
  senet::add_bench_command(root);
  senet::add_monitor_command(root);
  senet::add_inspect_command(root, games);
  senet::add_log_command(root, games);
  root.index("Games of your own",
             "--game-library FILE\tadds the game of a shared object (docs/own_game.md); "
             "anywhere on the command line");
  root.footer(
      "senet help COMMAND describes a command; senet version prints the version.\n"
      "Exit codes: 0 success, 1 failure, 2 usage error, 3 senet status: a run does not play. "
      "Stopping selfplay is a normal end: it "
      "saves everything and exits with 0.");
  return line.run(static_cast<int>(arguments.size()), arguments.data());
}
