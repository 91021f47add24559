#include "tools/command_line.hpp"

#include <fmt/core.h>

#include <exception>
#include <string_view>

#include "tools/command.hpp"

namespace senet {
namespace {

/// The name of the command that the command line means; "" before it is known.
std::string chosen_command(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? "" : chosen.front()->get_name();
}

/// Help and version go to stdout and are no failure; everything else is bad input. `word` is the
/// first one behind the program's name.
int report_parse_error(const CLI::App& app, const CLI::ParseError& error, std::string_view word) {
  if (error.get_exit_code() == 0) {
    app.exit(error);
    return report("help", flush_output(), kExitFailed);
  }
  if (const std::string command = chosen_command(app); !command.empty()) {
    return report(command, fail(fmt::format("{} (see senet {} --help)", error.what(), command)));
  }
  const std::string reason = word.empty() || word.starts_with('-')
                                 ? std::string(error.what())
                                 : fmt::format("there is no command \"{}\"", word);
  return report("command line", fail(reason + " (see senet --help)"));
}

}  // namespace

Command Command::add_command(const std::string& name, const std::string& help) const {
  CLI::App* const command = app_->add_subcommand(name, help);
  app_->require_subcommand(1);
  return Command(*command, *exit_code_);
}

Option Command::option(const std::string& name, const std::string& type,
                       std::function<Result<void>(const std::string&)> read,
                       const std::string& help) const {
  const auto set = [name, read = std::move(read)](const std::string& text) {
    if (const Result<void> done = read(text); !done) {
      throw CLI::ValidationError("--" + done.error().reason());
    }
  };
  CLI::Option* const option = app_->add_option_function<std::string>(name, set, help);
  return Option(*option->type_name(type));
}
void Command::runs(std::function<int()> run) const {
  if (!app_->get_subcommands({}).empty()) app_->require_subcommand(0, 1);
  app_->callback([app = app_, exit_code = exit_code_, run = std::move(run)] {
    if (app->get_subcommands().empty()) *exit_code = run();
  });
}

CommandLine::CommandLine(const std::string& name, const std::string& description,
                         const std::string& version)
    : app_(description, name) {
  app_.set_version_flag("--version", version);
  app_.get_formatter()->column_width(36);
}

int CommandLine::run(int argc, const char* const* argv) {
  const auto report_failure = [&](const Result<void>& result) {
    const std::string command = chosen_command(app_);
    return report(command.empty() ? "error" : command, result, kExitFailed);
  };
  // The libraries used here may throw: the parser on bad input, printing on a full disk.
  try {
    app_.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_parse_error(app_, error, argc > 1 ? argv[1] : "");
  } catch (const std::exception& error) {
    return report_failure(fail(error.what()));
  }
  // What could not be printed is a failure, unless a worse one has been told.
  return exit_code_ == 0 ? report_failure(flush_output()) : exit_code_;
}

}  // namespace senet
