#include "tools/command.hpp"

#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <system_error>

#include "engine/lanes/worker_settings.hpp"
#include "games/fields.hpp"
#include "tools/terminal.hpp"

namespace senet {
namespace {

constexpr int kFailed = 1, kBadInput = 2;

/// Prints the line of an error and returns the exit code. `command`: "senet match".
int report(std::string_view command, std::string reason, int exit_code) {
  // A reason may quote a file or an option that contains line breaks; print it on one line.
  std::ranges::replace_if(
      reason, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  print_stderr("{}: {}\n", command, reason);
  return exit_code;
}

/// CLI11's group of options for which no heading was set.
constexpr const char* kPlainGroup = "Options";

/// Lays out --help for the width of the terminal, or for 80 columns if stdout is none:
///
///   --visits N                  visits of each search [1 .. 1000000; default 100]
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() {
    label("SUBCOMMAND", "COMMAND");
    label("SUBCOMMANDS", "COMMANDS");
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    const std::string full_type = option->get_type_size() == 0 ? "" : option->get_type_name();
    const std::size_t colon = std::min(full_type.find(':'), full_type.size());
    std::vector<std::string> notes;
    if (colon < full_type.size()) notes.push_back(full_type.substr(colon + 1));
    if (option->get_required()) notes.emplace_back("required");
    if (!option->get_default_str().empty()) notes.push_back("default " + option->get_default_str());
    for (std::string& note : notes) {
      if (note.find(',') == std::string::npos) std::ranges::replace(note, ' ', kHardSpace);
    }
    std::string name = make_option_name(option, is_positional);
    if (const std::size_t comma = name.find(','); comma != std::string::npos) {
      name.insert(comma + 1, " ");
    }
    if (colon > 0 && !is_positional) name.append(" ").append(full_type, 0, colon);
    return entry(name, option->get_description() +
                           (notes.empty() ? "" : fmt::format(" [{}]", fmt::join(notes, "; "))));
  }
  /// Commands come before options.
  std::string make_help(const CLI::App* command, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string help = make_description(command) + make_usage(command, std::move(name)) +
                       make_positionals(command) + make_subcommands(command, mode) +
                       option_groups(command) + '\n' + make_footer(command);
    // CLI11 leaves a second empty line between groups.
    for (std::size_t at; (at = help.find("\n\n\n")) != std::string::npos;) help.erase(at, 1);
    if (help.ends_with("\n\n")) help.pop_back();
    return help;
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return entry(command->get_name(), command->get_description());
  }
  std::string make_footer(const CLI::App* command) const override {
    std::string text;
    const std::string footer = command->get_footer();
    for (std::size_t begin = 0; begin < footer.size();) {
      const std::size_t end = std::min(footer.find('\n', begin), footer.size());
      const std::string line = footer.substr(begin, end - begin);
      const std::size_t tab = line.find('\t');
      text += tab == std::string::npos ? wrapped(line, text_columns(), 0) + "\n"
                                       : entry(line.substr(0, tab), line.substr(tab + 1));
      begin = end + 1;
    }
    return text;
  }

 private:
  static constexpr std::size_t kIndent = 2, kColumn = 30;

  /// The group for which no heading was set comes last; it has --help.
  std::string option_groups(const CLI::App* command) const {
    std::string text;
    std::vector<std::string> groups = command->get_groups();
    std::ranges::stable_partition(groups, [](const auto& group) { return group != kPlainGroup; });
    for (const std::string& group : groups) {
      const auto options = command->get_options([&](const CLI::Option* option) {
        return option->get_group() == group && option->nonpositional();
      });
      if (!options.empty()) text += make_group(group, false, options);
    }
    return text;
  }

  static std::string entry(const std::string& name, const std::string& help) {
    std::string line = std::string(kIndent, ' ') + name;
    if (line.size() + 2 > kColumn) line += "\n";
    const std::size_t used = line.back() == '\n' ? 0 : line.size();
    line.append(kColumn - used, ' ');
    return line + wrapped(help, text_columns() - kColumn, kColumn) + "\n";
  }
};

/// The number of edits that turn one word into the other: letters inserted, removed or replaced,
/// and neighbours swapped (optimal string alignment).
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::vector<std::size_t>> rows(from.size() + 1,
                                             std::vector<std::size_t>(to.size() + 1));
  std::iota(rows[0].begin(), rows[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    rows[i][0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = rows[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      rows[i][j] = std::min({replaced, rows[i - 1][j] + 1, rows[i][j - 1] + 1});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
      }
    }
  }
  return rows.back().back();
}

/// The innermost selected command.
const CLI::App& chosen_command(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_command(*chosen.front());
}

/// "senet match": the names from the program's down to the command's.
std::string full_name(const CLI::App& command) {
  return command.get_parent() == nullptr
             ? command.get_name()
             : full_name(*command.get_parent()) + " " + command.get_name();
}

/// The libraries begin a reason with the name of a setting ("mode: ...", "lanes takes ..."). If it
/// is an option of the command, the reason gets its dashes, also behind the option that led to it
/// ("--weights: mode: ...").
std::string with_dashes(const CLI::App& command, std::string reason) {
  std::size_t at = 0;
  while (reason.compare(at, 2, "--") == 0) {
    const std::size_t end = reason.find(": ", at);
    if (end == std::string::npos) return reason;
    at = end + 2;
  }
  const std::size_t end = std::min(reason.find(": ", at), reason.find(" takes ", at));
  if (end == std::string::npos) return reason;
  const std::string option = "--" + reason.substr(at, end - at);
  if (command.get_option_no_throw(option) != nullptr) reason.insert(at, "--");
  return reason;
}

/// Describes the first argument that `command` could not use.
std::string unknown_argument(const CLI::App& command, const std::string& argument) {
  const std::string word = argument.substr(0, argument.find('='));
  std::vector<std::string> names;
  if (word.starts_with('-')) {
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return fmt::format("there is no option {}{}", word, suggestion(word, names));
  }
  for (const CLI::App* other : command.get_subcommands({})) names.push_back(other->get_name());
  if (names.empty()) return fmt::format("unexpected argument \"{}\"", word);
  if (command.get_parent() == nullptr) names.insert(names.end(), {"help", "version"});
  return fmt::format("there is no command \"{}\"{}", word, suggestion(word, names));
}

/// A usage error as one sentence. `app` is the program.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  std::string text = error.what();
  // A mistyped option is also missing where it is required; name the mistake.
  for (const CLI::App* command = &app;;) {
    const std::vector<std::string> unknown = command->remaining();
    if (!unknown.empty()) return unknown_argument(*command, unknown.front());
    const std::vector<CLI::App*> chosen = command->get_subcommands();
    if (chosen.empty()) break;
    command = chosen.front();
  }
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch)) {
    const std::string name = text.substr(0, text.find(':'));
    const bool is_missing = text.ends_with("missing");
    return name + (is_missing ? " needs a value" : " takes one value, but is given several times");
  }
  // CLI11 writes "--name: " before the text of a check.
  if (const std::size_t colon = text.find(": takes "); colon != std::string::npos) {
    text.erase(colon, 1);
  }
  return text;
}

constexpr const char* kNumberCheck = "number";

/// A check of a number. `wanted` describes the good ones: "a whole number 1 .. 4096". A second
/// check of an option replaces the first one.
template <class T, class Allows>
CLI::Validator number_check(std::string wanted, std::string shown, Allows allows,
                            const std::string& example = "") {
  if (!example.empty()) wanted += fmt::format(", for example {}", example);
  return {[wanted, allows](std::string& text) -> std::string {
            const std::optional<T> value = number_of<T>(text);
            if (value && allows(*value)) return "";
            return fmt::format("takes {}, not \"{}\"", wanted, text);
          },
          shown, kNumberCheck};
}

void replace_number_check(CLI::Option& option, CLI::Validator check) {
  *option.get_validator(kNumberCheck) = std::move(check);
}

template <class T>
constexpr const char* kNumber = std::integral<T> ? "a whole number" : "a number";

}  // namespace

std::string suggestion(std::string_view word, const std::vector<std::string>& names) {
  const std::string* nearest = nullptr;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(word, name);
    // At most one letter in three may differ.
    if (distance <= std::max({word.size(), name.size(), std::size_t{3}}) / 3 && distance < least) {
      nearest = &name;
      least = distance;
    }
  }
  return nearest == nullptr ? "" : fmt::format("; did you mean \"{}\"?", *nearest);
}

Result<void> flush_output() {
  const bool was_written = std::ferror(stdout) == 0;
  errno = 0;
  if (std::fflush(stdout) == 0 && was_written) return {};
  return fail("cannot write to stdout: " +
              (errno == 0 ? "part of it was lost" : std::generic_category().message(errno)));
}

template <class T>
Option Option::in_range(T least, T most, std::string_view unit) const {
  const std::string range = fmt::format("{} .. {}", least, most);
  replace_number_check(*option_,
                       number_check<T>(fmt::format("{} {}", kNumber<T>, range),
                                       fmt::format("{}{}{}", range, unit.empty() ? "" : " ", unit),
                                       [=](T value) { return least <= value && value <= most; }));
  return *this;
}

template Option Option::in_range(int, int, std::string_view) const;
template Option Option::in_range(unsigned, unsigned, std::string_view) const;
template Option Option::in_range(std::uint64_t, std::uint64_t, std::string_view) const;
template Option Option::in_range(double, double, std::string_view) const;

Option Option::not_negative(const std::string& example, std::string_view unit) const {
  replace_number_check(
      *option_, number_check<double>(
                    "a number of at least 0", fmt::format("at least 0 {}", unit),
                    [](double value) { return value >= 0 && std::isfinite(value); }, example));
  return *this;
}

Option Option::one_of(const std::vector<std::string>& values) const {
  const std::string all = fmt::format("{}", fmt::join(values, ", "));
  const auto check = [=](const std::string& text) {
    const bool is_member = std::ranges::find(values, text) != values.end();
    return is_member ? "" : fmt::format("takes one of {}, not \"{}\"", all, text);
  };
  return option_->type_name("NAME")->check(check, all), *this;
}

Option Option::required() const { return option_->required(), *this; }
Option Option::shows_type(const std::string& type) const { return option_->type_name(type), *this; }
Option Option::shows_default() const { return option_->capture_default_str(), *this; }

Option Option::shows_default(const std::string& text) const {
  return option_->default_str(text), *this;
}

bool Option::is_given() const { return option_->count() > 0; }

template <class T>
Option Command::option(const std::string& name, T& value, const std::string& help) const {
  CLI::Option* const option = app_->add_option(name, value, help);
  if constexpr (std::is_arithmetic_v<T>) {
    option->type_name(std::integral<T> ? "N" : "X");
    option->check(number_check<T>(kNumber<T>, "", [](T) { return true; }));
  } else if constexpr (std::is_same_v<T, std::optional<std::uint64_t>>) {
    option->type_name("N");
    option->check(number_check<std::uint64_t>("a whole number", "", [](auto) { return true; }));
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    option->type_name("PATH");
  }
  return Option(*option);
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

void Command::index(const std::string& heading, const std::string& entries) const {
  app_->footer(fmt::format("{}{}:\n{}\n\n", app_->get_footer(), heading, entries));
}

void Command::footer(const std::string& text) const { app_->footer(app_->get_footer() + text); }

Command Command::add_command(const std::string& name, const std::string& help) const {
  const std::string group = app_->option_defaults()->get_group();
  CLI::App* const command = app_->add_subcommand(name, help);
  command->group(group == kPlainGroup ? "Commands" : group);
  command->option_defaults()->group(kPlainGroup);
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
  app_->set_version_flag("--version", version, "print the version and exit");
  app_->set_help_flag("-h,--help", "print this help and exit");
  app_->formatter(std::make_shared<HelpFormatter>());
}

CommandLine::~CommandLine() = default;

int CommandLine::run(int argc, const char* const* argv) {
  // `senet help match`, `senet version` and `senet` alone are other words for options.
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty()) words.emplace_back("--help");
  if (words.front() == "version") words.front() = "--version";
  if (words.front() == "help") {
    words.erase(words.begin());
    const auto is_topic = [&](const CLI::App* command) { return command->check_name(words[0]); };
    if (!words.empty() && (words[0] == "help" || words[0] == "version")) words.clear();
    if (!words.empty() && std::as_const(*app_).get_subcommands(is_topic).empty()) {
      return report("senet help", unknown_argument(*app_, words.front()) + " (see senet --help)",
                    kBadInput);
    }
    words.emplace_back("--help");
  }
  std::ranges::reverse(words);  // as CLI11 wants them
  const auto name = [&] { return full_name(chosen_command(*app_)); };
  // The libraries may throw: CLI11 on bad input, fmt when the disk is full.
  try {
    app_->parse(std::move(words));
    flush_output().value();
    return 0;
  } catch (const CLI::ParseError& error) {
    // --help and --version also arrive as exceptions, with exit code 0; all others are bad input.
    if (error.get_exit_code() == 0) {
      app_->exit(error);
      const Result<void> flushed = flush_output();
      return flushed ? 0 : report("senet help", flushed.error().reason(), kFailed);
    }
    const std::string reason = usage_error(*app_, error);
    return report(name(), fmt::format("{} (see {} --help)", reason, name()), kBadInput);
  } catch (const ExitCode& end) {
    const Result<void> flushed = flush_output();
    return flushed ? end.code : report(name(), flushed.error().reason(), kFailed);
  } catch (const Error& error) {
    return report(name(), with_dashes(chosen_command(*app_), error.reason()), exit_code_);
  } catch (const std::bad_alloc&) {
    return report(name(), "out of memory", kFailed);
  } catch (const std::exception& error) {
    return report(name(), error.what(), kFailed);
  }
}

int CommandLine::refuse(const Error& error) const {
  return report(full_name(*app_), error.reason(), kBadInput);
}

void add_search_options(const Command& command, SearchOptions& options) {
  add_setting(command, setting_of(&Evaluation::kind), options.evaluation.kind);
  auto mode = setting_of(&SearchSettings::evaluates);
  const std::string mode_help =
      std::string(mode.help) + "; playouts: no network, random games value the positions";
  mode.help = mode_help;
  add_setting(command, mode, options.mode).shows_default("as it was trained, else afterstates");
  for_each_setting(options, [&](const auto& entry, auto& value) {
    if (entry.use.of_players) add_setting(command, entry, value);
  });
  command
      .option("--tablebase-folder", options.tablebase_folder,
              "folder for the file of the tablebase, which is built on first use")
      .shows_type("PATH")
      .shows_default("$XDG_CACHE_HOME/senet, else ~/.cache/senet");
}

void add_weights_option(const Command& command, std::string& source, const std::string& what,
                        const std::string& note) {
  command
      .option("--weights", source,
              what +
                  ": a safetensors file, builtin, untrained[:SEED], or playouts (random games "
                  "in place of a network)" +
                  note)
      .shows_type("NETWORK")
      .shows_default("builtin if the game has a built-in network, else playouts");
}

void add_workers_option(const Command& command, SearchOptions& options) {
  const auto workers = setting("workers", &SearchOptions::workers,
                               "threads that search; 0: one per hardware thread", {.most = 1024});
  add_setting(command, workers, options.workers);
}

}  // namespace senet
