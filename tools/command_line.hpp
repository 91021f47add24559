// The command line of the senet program: commands, their options, and what bad input leads to. A
// coat over CLI11, which command_line.cpp alone includes: it costs a file seven seconds to compile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "senet/result.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace senet {

/// One option of a command. Copies mean the same option; it lives as long as its CommandLine.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  /// Refuses values outside of [least, most]. --help shows the bounds with their type.
  Option in_range(int least, int most) const;
  Option in_range(std::uint32_t least, std::uint32_t most) const;
  Option in_range(std::uint64_t least, std::uint64_t most) const;
  Option in_range(double least, double most) const;
  Option not_negative() const;
  /// Refuses all other values.
  Option one_of(const std::vector<std::string>& values) const;
  Option required() const;
  /// --help shows the value that the variable has now.
  Option shows_default() const;
  /// --help shows this text as the default.
  Option shows_default(const std::string& text) const;
  /// Each occurrence adds to the list.
  Option as_often_as_needed() const;
  /// Under this heading in --help.
  Option in_group(const std::string& heading) const;

  /// Whether the command line names it; once it has been parsed.
  bool is_given() const;

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
  Option option(const std::string& name, std::string& value, const std::string& help) const;
  Option option(const std::string& name, std::filesystem::path& value,
                const std::string& help) const;
  Option option(const std::string& name, int& value, const std::string& help) const;
  Option option(const std::string& name, std::uint32_t& value, const std::string& help) const;
  Option option(const std::string& name, std::uint64_t& value, const std::string& help) const;
  Option option(const std::string& name, float& value, const std::string& help) const;
  Option option(const std::string& name, double& value, const std::string& help) const;
  Option option(const std::string& name, std::optional<std::uint32_t>& value,
                const std::string& help) const;
  Option option(const std::string& name, std::optional<std::uint64_t>& value,
                const std::string& help) const;
  Option option(const std::string& name, std::optional<double>& value,
                const std::string& help) const;
  Option option(const std::string& name, std::vector<std::string>& value,
                const std::string& help) const;
  /// Calls `read` with the option's text; a reason of its is a usage error. --help shows `type`
  /// behind the name.
  Option option(const std::string& name, const std::string& type,
                std::function<Result<void>(const std::string& text)> read,
                const std::string& help) const;
  /// True when the command line names it.
  Option flag(const std::string& name, bool& value, const std::string& help) const;
  void remove_option(const std::string& name) const;

  /// A text below the options in --help.
  void footer(const std::string& text) const;

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
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Command root();

  /// Runs the command that the arguments name and returns the program's exit code. Bad input and
  /// every failure, exceptions included, print one line on stderr.
  int run(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
  int exit_code_ = 0;
};

}  // namespace senet
