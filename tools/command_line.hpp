// The command line of the senet program: commands, their options, and what bad input leads to.
// CLI11 reads it; all options are added here, so that --help shows them alike.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "senet/result.hpp"

namespace senet {

/// One option of a command. Copies mean the same option; it lives as long as its CommandLine.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  /// Refuses values outside of [least, most]. --help shows the bounds with their type.
  template <class T>
  Option in_range(T least, T most) const {
    return option_->check(CLI::Range(least, most)), *this;
  }
  Option not_negative() const { return option_->check(CLI::NonNegativeNumber), *this; }
  /// Refuses all other values.
  Option one_of(const std::vector<std::string>& values) const {
    return option_->check(CLI::IsMember(values)), *this;
  }
  Option required() const { return option_->required(), *this; }
  /// --help shows the value that the variable has now.
  Option shows_default() const { return option_->capture_default_str(), *this; }
  /// --help shows this text as the default.
  Option shows_default(const std::string& text) const { return option_->default_str(text), *this; }
  /// Each occurrence adds to the list.
  Option as_often_as_needed() const { return option_->take_all(), *this; }

  /// Whether the command line names it; once it has been parsed.
  bool is_given() const { return option_->count() > 0; }

 private:
  CLI::Option* option_;
};

/// A command or sub-command. Copies mean the same command; it lives as long as its CommandLine.
class Command {
 public:
  explicit Command(CLI::App& app, int& exit_code) : app_(&app), exit_code_(&exit_code) {}

  Command add_command(const std::string& name, const std::string& help) const;

  /// An option ("--name") or, without dashes, the next positional argument. `value` outlives the
  /// parsing, which writes it; an option that the command line does not name leaves it alone.
  template <class T>
  Option option(const std::string& name, T& value, const std::string& help) const {
    return Option(*app_->add_option(name, value, help));
  }
  /// Calls `read` with the option's text; a reason of its is a usage error. --help shows `type`
  /// behind the name.
  Option option(const std::string& name, const std::string& type,
                std::function<Result<void>(const std::string& text)> read,
                const std::string& help) const;
  /// True when the command line names it.
  Option flag(const std::string& name, bool& value, const std::string& help) const {
    return Option(*app_->add_flag(name, value, help));
  }
  /// Options that are added from here on stand under this heading in --help.
  void heading(const std::string& text) const { app_->option_defaults()->group(text); }
  void remove_option(const std::string& name) const { app_->remove_option(app_->get_option(name)); }

  /// A text below the options in --help.
  void footer(const std::string& text) const { app_->footer(text); }

  /// Calls `run` when the command line means this command and none of its sub-commands; what it
  /// returns is the program's exit code. Without it, a sub-command has to be named.
  void runs(std::function<int()> run) const;

 private:
  CLI::App* app_;
  int* exit_code_;
};

/// The whole command line.
class CommandLine {
 public:
  /// `version` is what --version prints.
  CommandLine(const std::string& name, const std::string& description, const std::string& version);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Command root() { return Command(app_, exit_code_); }

  /// Runs the command that the arguments name and returns the program's exit code. Bad input and
  /// every failure, exceptions included, print one line on stderr.
  int run(int argc, const char* const* argv);

 private:
  CLI::App app_;
  int exit_code_ = 0;
};

}  // namespace senet
