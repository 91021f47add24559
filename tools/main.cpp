// The senet program: finds the sub-command and turns every failure into one line and an exit code.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "tools/command.hpp"

namespace {

/// Help and version go to stdout and are no failure; everything else is bad input. `word` is the
/// first one behind the program's name.
int report_parse_error(const CLI::App& app, const CLI::ParseError& error, std::string_view word) {
  if (error.get_exit_code() == 0) {
    app.exit(error);
    return senet::report("help", senet::flush_output(), senet::kExitFailed);
  }
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (!chosen.empty()) {
    const std::string command = chosen.front()->get_name();
    return senet::report(
        command, senet::fail(fmt::format("{} (see senet {} --help)", error.what(), command)));
  }
  const std::string reason = word.empty() || word.starts_with('-')
                                 ? std::string(error.what())
                                 : fmt::format("there is no command \"{}\"", word);
  return senet::report("command line", senet::fail(reason + " (see senet --help)"));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Inference and search for game AI that learns by playing itself");
  app.name("senet");
  app.set_version_flag("--version", "senet " SENET_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(36);

  int exit_code = 0;
  senet::add_selfplay_command(app, exit_code);
  senet::add_bench_command(app, exit_code);
  senet::add_perft_command(app, exit_code);
  senet::add_eval_command(app, exit_code);
  senet::add_match_command(app, exit_code);
  senet::add_uci_command(app, exit_code);
  senet::add_label_command(app, exit_code);
  senet::add_inspect_command(app, exit_code);

  const auto report_failure = [&](const senet::Result<void>& result) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    return senet::report(chosen.empty() ? "error" : chosen.front()->get_name(), result,
                         senet::kExitFailed);
  };
  // The libraries used here may throw: the parser on bad input, printing on a full disk.
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_parse_error(app, error, argc > 1 ? argv[1] : "");
  } catch (const std::exception& error) {
    return report_failure(senet::fail(error.what()));
  }
  // What could not be printed is a failure, unless a worse one has been told.
  return exit_code == 0 ? report_failure(senet::flush_output()) : exit_code;
}
