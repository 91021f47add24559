#include "tools/command_line.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <utility>

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

Option Option::in_range(int least, int most) const {
  return option_->check(CLI::Range(least, most)), *this;
}
Option Option::in_range(std::uint32_t least, std::uint32_t most) const {
  return option_->check(CLI::Range(least, most)), *this;
}
Option Option::in_range(std::uint64_t least, std::uint64_t most) const {
  return option_->check(CLI::Range(least, most)), *this;
}
Option Option::in_range(double least, double most) const {
  return option_->check(CLI::Range(least, most)), *this;
}
Option Option::not_negative() const { return option_->check(CLI::NonNegativeNumber), *this; }
Option Option::one_of(const std::vector<std::string>& values) const {
  return option_->check(CLI::IsMember(values)), *this;
}
Option Option::required() const { return option_->required(), *this; }
Option Option::shows_default() const { return option_->capture_default_str(), *this; }
Option Option::shows_default(const std::string& text) const {
  return option_->default_str(text), *this;
}
Option Option::as_often_as_needed() const { return option_->take_all(), *this; }
Option Option::in_group(const std::string& heading) const { return option_->group(heading), *this; }
bool Option::is_given() const { return option_->count() > 0; }

Command Command::add_command(const std::string& name, const std::string& help) const {
  CLI::App* const command = app_->add_subcommand(name, help);
  app_->require_subcommand(1);
  return Command(*command, *exit_code_);
}

Option Command::option(const std::string& name, std::string& value, const std::string& help) const {
  return Option(*app_->add_option(name, value, help));
}
Option Command::option(const std::string& name, std::filesystem::path& value,
                       const std::string& help) const {
  return Option(*app_->add_option(name, value, help));
}
Option Command::option(const std::string& name, int& value, const std::string& help) const {
  return Option(*app_->add_option(name, value, help));
}
Option Command::option(const std::string& name, std::uint32_t& value,
                       const std::string& help) const {
  return Option(*app_->add_option(name, value, help));
}
Option Command::option(const std::string& name, std::uint64_t& value,
                       const std::string& help) const {
  return Option(*app_->add_option(name, value, help));
}
Option Command::option(const std::string& name, float& value, const std::string& help) const {
  return Option(*app_->add_option(name, value, help));
}
Option Command::option(const std::string& name, double& value, const std::string& help) const {
  return Option(*app_->add_option(name, value, help));
}
Option Command::option(const std::string& name, std::optional<std::uint32_t>& value,
                       const std::string& help) const {
  return Option(*app_->add_option(name, value, help));
}
Option Command::option(const std::string& name, std::optional<std::uint64_t>& value,
                       const std::string& help) const {
  return Option(*app_->add_option(name, value, help));
}
Option Command::option(const std::string& name, std::optional<double>& value,
                       const std::string& help) const {
  return Option(*app_->add_option(name, value, help));
}
Option Command::option(const std::string& name, std::vector<std::string>& value,
                       const std::string& help) const {
  return Option(*app_->add_option(name, value, help));
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
Option Command::flag(const std::string& name, bool& value, const std::string& help) const {
  return Option(*app_->add_flag(name, value, help));
}
void Command::remove_option(const std::string& name) const {
  app_->remove_option(app_->get_option(name));
}

void Command::footer(const std::string& text) const { app_->footer(text); }

void Command::runs(std::function<int()> run) const {
  if (!app_->get_subcommands({}).empty()) app_->require_subcommand(0, 1);
  app_->callback([app = app_, exit_code = exit_code_, run = std::move(run)] {
    if (app->get_subcommands().empty()) *exit_code = run();
  });
}

CommandLine::CommandLine(const std::string& name, const std::string& description,
                         const std::string& version)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->set_version_flag("--version", version);
  app_->get_formatter()->column_width(36);
}

CommandLine::~CommandLine() = default;

Command CommandLine::root() { return Command(*app_, exit_code_); }

int CommandLine::run(int argc, const char* const* argv) {
  const auto report_failure = [&](const Result<void>& result) {
    const std::string command = chosen_command(*app_);
    return report(command.empty() ? "error" : command, result, kExitFailed);
  };
  // The libraries used here may throw: the parser on bad input, printing on a full disk.
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_parse_error(*app_, error, argc > 1 ? argv[1] : "");
  } catch (const std::exception& error) {
    return report_failure(fail(error.what()));
  }
  // What could not be printed is a failure, unless a worse one has been told.
  return exit_code_ == 0 ? report_failure(flush_output()) : exit_code_;
}

}  // namespace senet
