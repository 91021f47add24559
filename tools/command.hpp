// The command line of the senet program: sub-commands, options, failures and exit codes. It wraps
// CLI11, so that --help looks the same everywhere. Only command.cpp includes CLI11, because that
// adds five seconds to a file's compile time.
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

/// A command whose arguments have been validated. Calling it does the work and prints.
using Job = absl::AnyInvocable<Result<void>()>;

/// Thrown by a command that has printed everything and ends the program with this code.
struct ExitCode {
  int code;
};

/// The result's value; throws its error prefixed with the option's name.
template <class T>
T value_for(std::string_view option, Result<T> result) {
  if (!result) {
    throw Error(result.error().status(), std::string(option) + ": " + result.error().reason());
  }
  return std::move(result).value();
}

/// "; did you mean \"selfplay\"?" with the name that is nearest to `word`, or "" if none is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& names);

/// Flushes stdout. Fails when this or an earlier write failed.
Result<void> flush_output();

/// One option of a command. Copies refer to the same option; valid as long as its CommandLine.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  /// Refuses values outside [least, most]. --help shows the bounds and the unit. The option takes a
  /// number; T is one of the types that command.cpp instantiates.
  template <class T>
  Option in_range(T least, T most, std::string_view unit = "") const;
  /// Refuses negative numbers; the error shows `example`, a good value. The option takes a double.
  Option not_negative(const std::string& example, std::string_view unit) const;
  /// Refuses all other values. --help shows the type NAME.
  Option one_of(const std::vector<std::string>& values) const;
  /// --help shows this word after the name instead of the type: "--game NAME".
  Option shows_type(const std::string& type) const;
  Option required() const;
  /// --help shows the variable's current value as the default.
  Option shows_default() const;
  /// --help shows this text as the default.
  Option shows_default(const std::string& text) const;

  /// Whether the command line contains the option. Valid after parsing.
  bool is_given() const;

 private:
  CLI::Option* option_;
};

/// A command or sub-command. Copies refer to the same command; valid as long as its CommandLine.
class Command {
 public:
  explicit Command(CLI::App& app, int& exit_code) : app_(&app), exit_code_(&exit_code) {}

  Command add_command(const std::string& name, const std::string& help) const;

  /// Adds an option ("--name") or, without dashes, the next positional argument. Parsing writes
  /// `value`, which must outlive it; an absent option leaves `value` unchanged. T is one of the
  /// types that command.cpp instantiates.
  template <class T>
  Option option(const std::string& name, T& value, const std::string& help) const;
  /// Adds an option whose text is passed to `read`; an error from `read` is a usage error. --help
  /// shows `type` after the name.
  Option option(const std::string& name, const std::string& type,
                std::function<Result<void>(const std::string& text)> read,
                const std::string& help) const;
  /// Adds a flag: parsing sets `value` to true when the command line contains it.
  Option flag(const std::string& name, bool& value, const std::string& help) const;
  /// Groups the options and commands added from now on under this heading in --help.
  void heading(const std::string& text) const;

  /// Adds text below the options in --help, under what is already there: an index, one line
  /// "name<tab>explanation" for each entry, or a paragraph.
  void index(const std::string& heading, const std::string& entries) const;
  void footer(const std::string& text) const;

  /// Runs the job returned by `prepare` when the command line selects this command and none of its
  /// sub-commands. An Error thrown or returned by prepare() is bad input, one from the job is a
  /// failure. A command without this call requires a sub-command.
  void runs(std::function<Result<Job>()> prepare) const;

 private:
  CLI::App* app_;
  int* exit_code_;
};

class CommandLine {
 public:
  /// `version` is what --version prints.
  CommandLine(const std::string& name, const std::string& description, const std::string& version);
  ~CommandLine();

  Command root() { return Command(*app_, exit_code_); }

  /// Runs the command selected by the arguments and returns the program's exit code: 0 for success,
  /// 2 for bad input, 1 for any other failure or an early stop, or that of an ExitCode. Bad input
  /// and every failure, exceptions included, print one line on stderr: "senet <command>: <reason>",
  /// or "senet: <reason>" if no command was selected.
  int run(int argc, const char* const* argv);
  /// Prints the line for bad input that the program has found before run(), and returns its code.
  int refuse(const Error& error) const;

 private:
  std::unique_ptr<CLI::App> app_;
  int exit_code_ = 0;  // exit code for an error thrown at this stage
};

/// A setting's value for --help: as the command line takes it.
template <class Value>
std::string default_text(const Value& value) {
  if constexpr (std::is_same_v<Value, bool>) return value ? "1" : "0";
  return setting_text(value);
}

/// The type shown after an option in --help and, after a colon, its allowed values: "N:1 .. 4096",
/// "X:above 0 s", "NAME:position, afterstates".
template <class Struct, class Value>
std::string option_type(const Setting<Struct, Value>& entry) {
  if constexpr (NamedEnum<Value>) {
    return std::string("NAME:").append(all_names<Value>());
  } else if constexpr (std::is_same_v<Value, std::string>) {
    return std::string(entry.range.unit);
  } else if constexpr (std::is_same_v<Value, bool>) {
    return "0|1";
  } else {
    std::string values = settings_detail::limits_text(entry.range);
    if (!values.empty() && entry.range.or_zero) values.insert(0, "0 or ");
    if (const std::string_view unit = entry.range.unit; !unit.empty()) {
      values.append(values.empty() ? "" : " ").append(unit);
    }
    const bool is_whole = std::is_unsigned_v<Value>;
    return (is_whole                          ? "N"
            : std::is_same_v<Value, Schedule> ? "X[@SHARE,...]"
                                              : "X") +
           (values.empty() ? "" : ":" + values);
  }
}

/// Adds --NAME for a setting. Its value is assigned to `to`, which outlives the parsing and accepts
/// a Value. A value that the setting does not accept is a usage error.
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
  if constexpr (std::is_same_v<To, Value>) option.shows_default(default_text(to));
  return option;
}

/// Adds all settings of a struct, in their listed order.
template <HasSettings Struct>
void add_settings(const Command& command, Struct& settings) {
  for_each_setting(settings,
                   [&](const auto& entry, auto& value) { add_setting(command, entry, value); });
}

/// Adds the options of a searching player: --evaluator, --mode and the search settings that apply
/// to players. `options` outlives the parsing.
void add_search_options(const Command& command, SearchOptions& options);

/// Adds --weights, a source for open_network(), to which --help refers as `what`; an absent option
/// stands for default_source(). `note` follows the help.
void add_weights_option(const Command& command, std::string& source,
                        const std::string& what = "the network", const std::string& note = "");

/// Adds --workers for a command whose trees have no bound but the memory.
void add_workers_option(const Command& command, SearchOptions& options);

class Games;

/// Add one sub-command each. `games`, which the program knows, outlives the command line.
void add_perft_command(const Command& program, const Games& games);
void add_inspect_command(const Command& program, const Games& games);
void add_log_command(const Command& program, const Games& games);
void add_monitor_command(const Command& program);
void add_status_command(const Command& program);
void add_stop_command(const Command& program);
void add_eval_command(const Command& program, const Games& games);
void add_ladder_command(const Command& program, const Games& games);
void add_match_command(const Command& program, const Games& games);
void add_selfplay_command(const Command& program, const Games& games);
void add_train_command(const Command& program, const Games& games);
void add_report_command(const Command& program, const Games& games);
void add_uci_command(const Command& program, const Games& games);
void add_analyse_command(const Command& program, const Games& games);
void add_solve_command(const Command& program, const Games& games);
/// The same for listed games only.
void add_bench_command(const Command& program);

}  // namespace senet
