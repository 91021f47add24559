// Settings as options of a command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <type_traits>

#include "games/settings.hpp"

namespace senet {

/// What stands behind an option in --help: "UINT:0 .. 1000000 MiB", "{position, afterstates}".
template <class Struct, class Value>
std::string option_type(const Setting<Struct, Value>& entry) {
  if constexpr (NamedEnum<Value>) {
    return "{" + all_names<Value>() + "}";
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
/// the setting does not take is a parse error. `to` outlives the parsing.
template <class Struct, class Value, class To>
CLI::Option* add_setting(CLI::App& command, const Setting<Struct, Value>& entry, To& to) {
  const auto set = [entry, &to](const std::string& text) {
    Value value{};
    if (const Result<void> read = set_value(entry, value, text); !read) {
      throw CLI::ValidationError("--" + read.error().reason());
    }
    to = value;
  };
  CLI::Option* const option = command.add_option_function<std::string>(
      "--" + std::string(entry.name), set, std::string(entry.help));
  option->type_name(option_type(entry));
  if constexpr (std::is_same_v<To, Value>) option->default_str(setting_text(to));
  return option;
}

}  // namespace senet
