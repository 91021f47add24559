#include "tools/command.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <system_error>

#include "engine/lanes/worker_settings.hpp"

namespace senet {
namespace {

constexpr int kFailed = 1, kBadInput = 2;

/// Prints the line of an error and returns the exit code.
int report(std::string_view command, std::string reason, int exit_code) {
  // A reason may quote a file or an option that contains line breaks; print it on one line.
  std::ranges::replace_if(
      reason, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  fmt::print(stderr, "senet {}: {}\n", command, reason);
  return exit_code;
}

/// The name of the selected command, or `none` when no command has been parsed.
std::string chosen_command(const CLI::App& app, const char* none) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? none : chosen.front()->get_name();
}

}  // namespace

Result<void> flush_output() {
  const bool was_written = std::ferror(stdout) == 0;
  errno = 0;
  if (std::fflush(stdout) == 0 && was_written) return {};
  return fail("cannot write to stdout: " +
              (errno == 0 ? "part of it was lost" : std::generic_category().message(errno)));
}

template <class T>
Option Option::in_range(T least, T most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

template Option Option::in_range(int, int) const;
template Option Option::in_range(unsigned, unsigned) const;
template Option Option::in_range(std::uint64_t, std::uint64_t) const;
template Option Option::in_range(double, double) const;

Option Option::not_negative() const { return option_->check(CLI::NonNegativeNumber), *this; }

Option Option::one_of(const std::vector<std::string>& values) const {
  return option_->check(CLI::IsMember(values)), *this;
}

Option Option::required() const { return option_->required(), *this; }
Option Option::shows_default() const { return option_->capture_default_str(), *this; }

Option Option::shows_default(const std::string& text) const {
  return option_->default_str(text), *this;
}

bool Option::is_given() const { return option_->count() > 0; }

template <class T>
Option Command::option(const std::string& name, T& value, const std::string& help) const {
  return Option(*app_->add_option(name, value, help));
}

template Option Command::option(const std::string&, int&, const std::string&) const;
template Option Command::option(const std::string&, std::uint32_t&, const std::string&) const;
template Option Command::option(const std::string&, std::uint64_t&, const std::string&) const;
template Option Command::option(const std::string&, double&, const std::string&) const;
template Option Command::option(const std::string&, std::string&, const std::string&) const;
template Option Command::option(const std::string&, std::filesystem::path&,
                                const std::string&) const;
template Option Command::option(const std::string&, std::vector<std::string>&,
                                const std::string&) const;
template Option Command::option(const std::string&, std::optional<std::uint64_t>&,
                                const std::string&) const;

Option Command::flag(const std::string& name, bool& value, const std::string& help) const {
  return Option(*app_->add_flag(name, value, help));
}

void Command::heading(const std::string& text) const { app_->option_defaults()->group(text); }

void Command::footer(const std::string& text) const { app_->footer(text); }

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

void Command::runs(std::function<Result<Job>()> prepare) const {
  if (!app_->get_subcommands({}).empty()) app_->require_subcommand(0, 1);
  app_->callback([app = app_, exit_code = exit_code_, prepare = std::move(prepare)] {
    if (!app->get_subcommands().empty()) return;
    *exit_code = kBadInput;
    Job job = prepare().value();
    *exit_code = kFailed;
    job().value();
  });
}

CommandLine::CommandLine(const std::string& name, const std::string& description,
                         const std::string& version)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->set_version_flag("--version", version);
  app_->get_formatter()->column_width(36);
}

CommandLine::~CommandLine() = default;

int CommandLine::run(int argc, const char* const* argv) {
  const auto help = [&](std::string_view command) {
    return fmt::format(" (see senet {}{}--help)", command, command.empty() ? "" : " ");
  };
  // The libraries may throw: CLI11 on bad input, fmt when the disk is full.
  try {
    app_->parse(argc, argv);
    flush_output().value();
    return 0;
  } catch (const CLI::ParseError& error) {
    // --help and --version also arrive as exceptions, with exit code 0; all others are bad input.
    if (error.get_exit_code() == 0) {
      app_->exit(error);
      const Result<void> flushed = flush_output();
      return flushed ? 0 : report("help", flushed.error().reason(), kFailed);
    }
    const std::string command = chosen_command(*app_, "");
    if (!command.empty()) return report(command, error.what() + help(command), kBadInput);
    const std::string_view word = argc > 1 ? argv[1] : "";
    const std::string reason = word.empty() || word.starts_with('-')
                                   ? std::string(error.what())
                                   : fmt::format("there is no command \"{}\"", word);
    return report("command line", reason + help(""), kBadInput);
  } catch (const Error& error) {
    return report(chosen_command(*app_, "error"), error.reason(), exit_code_);
  } catch (const std::exception& error) {
    return report(chosen_command(*app_, "error"), error.what(), kFailed);
  }
}

void add_search_options(const Command& command, SearchOptions& options) {
  add_setting(command, setting_of(&WorkerSettings::evaluator), options.evaluator);
  auto mode = setting_of(&SearchSettings::evaluates);
  mode.help =
      "what the network evaluates (default: what it was trained on; if its file does not record "
      "that, afterstates in games that have them)";
  add_setting(command, mode, options.mode);
  for_each_setting(options.settings, [&](const auto& entry, auto& value) {
    if (entry.use.of_players) add_setting(command, entry, value);
  });
}

}  // namespace senet
