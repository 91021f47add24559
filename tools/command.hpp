// What the sub-commands of the senet program share: how each is added, what options it has, how it
// fails, what it exits with. CLI11 reads the command line; all options are added here, so that
// --help shows them alike. Only command.cpp includes CLI11, which costs a file five seconds to
// compile.
#pragma once

#include <absl/functional/any_invocable.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "games/settings.hpp"
#include "selfplay/search_player.hpp"
#include "senet/result.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace senet {

/// A command whose input has been read and found good. Calling it does the work and prints.
using Job = absl::AnyInvocable<Result<void>()>;

/// The result's value; throws its error with the name of the option that asked for it in front.
template <class T>
T value_for(std::string_view option, Result<T> result) {
  if (!result) {
    throw Error(result.error().status(), std::string(option) + ": " + result.error().reason());
  }
  return std::move(result).value();
}

/// Flushes stdout. Fails when a part of it could not be written, be it now or before.
Result<void> flush_output();

/// One option of a command. Copies mean the same option; it lives as long as its CommandLine.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  /// Refuses values outside of [least, most]. --help shows the bounds with their type, which is one
  /// of those that command.cpp lists.
  template <class T>
  Option in_range(T least, T most) const;
  Option not_negative() const;
  /// Refuses all other values.
  Option one_of(const std::vector<std::string>& values) const;
  Option required() const;
  /// --help shows the value that the variable has now.
  Option shows_default() const;
  /// --help shows this text as the default.
  Option shows_default(const std::string& text) const;

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
  /// parsing, which writes it; an option that the command line does not name leaves it alone. It is
  /// of a type that command.cpp lists.
  template <class T>
  Option option(const std::string& name, T& value, const std::string& help) const;
  /// Calls `read` with the option's text; a reason of its is a usage error. --help shows `type`
  /// behind the name.
  Option option(const std::string& name, const std::string& type,
                std::function<Result<void>(const std::string& text)> read,
                const std::string& help) const;
  /// True when the command line names it.
  Option flag(const std::string& name, bool& value, const std::string& help) const;
  /// Options that are added from here on stand under this heading in --help.
  void heading(const std::string& text) const;

  /// A text below the options in --help.
  void footer(const std::string& text) const;

  /// Runs the job that `prepare` makes when the command line means this command and none of its
  /// sub-commands. What goes wrong, an Error that is thrown or returned, is bad input when it is
  /// prepare()'s and a failure when it is the job's. Without it, a sub-command has to be named.
  void runs(std::function<Result<Job>()> prepare) const;

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

  Command root() { return Command(*app_, exit_code_); }

  /// Runs the command that the arguments name and returns the program's exit code: 0, or 2 when it
  /// was asked for something that makes no sense, or 1 when something else went wrong or it was
  /// stopped early. Bad input and every failure, exceptions included, print one line on stderr,
  /// "senet <command>: <reason>".
  int run(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
  int exit_code_ = 0;  // of an error that is thrown now
};

/// What stands behind an option in --help: "UINT:0 .. 1000000 MiB", "{position, afterstates}".
template <class Struct, class Value>
std::string option_type(const Setting<Struct, Value>& entry) {
  if constexpr (NamedEnum<Value>) {
    return std::string("{").append(all_names<Value>()).append("}");
  } else if constexpr (std::is_same_v<Value, bool>) {
    return "BOOL";
  } else {
    std::string type = std::is_unsigned_v<Value> ? "UINT" : "FLOAT";
    if (const std::string range = range_text(entry); !range.empty()) {
      type += (entry.range.or_zero ? ":0 or " : ":") + range;
    }
    return entry.range.unit.empty() ? type : type + " " + std::string(entry.range.unit);
  }
}

/// Adds --NAME for an entry whose values go to `to`, anything that a Value can be assigned to. What
/// the setting does not take is a usage error. `to` outlives the parsing.
template <class Struct, class Value, class To>
Option add_setting(const Command& command, const Setting<Struct, Value>& entry, To& to) {
  const auto set = [entry, &to](const std::string& text) -> Result<void> {
    Value value{};
    if (const Result<void> read = set_value(entry, value, text); !read) return read;
    to = value;
    return {};
  };
  const Option option = command.option(std::string("--").append(entry.name), option_type(entry),
                                       set, std::string(entry.help));
  if constexpr (std::is_same_v<To, Value>) option.shows_default(setting_text(to));
  return option;
}

/// Adds all settings of a struct, in the order of their list.
template <HasSettings Struct>
void add_settings(const Command& command, Struct& settings) {
  for_each_setting(settings,
                   [&](const auto& entry, auto& value) { add_setting(command, entry, value); });
}

/// Adds the options of a searching player: --evaluator, --mode and the settings of a
/// search that concern players. `options` outlives the parsing.
void add_search_options(const Command& command, SearchOptions& options);

/// Each adds one sub-command to the program.
void add_perft_command(const Command& program);
void add_inspect_command(const Command& program);
void add_eval_command(const Command& program);
void add_label_command(const Command& program);
void add_match_command(const Command& program);
void add_selfplay_command(const Command& program);
void add_uci_command(const Command& program);
void add_bench_command(const Command& program);

}  // namespace senet
