// Settings as options of a command line.
#pragma once

#include <string>
#include <type_traits>

#include "games/settings.hpp"
#include "selfplay/search_player.hpp"
#include "tools/command_line.hpp"

namespace senet {

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

/// Adds the options of a searching player: --evaluator, --mode, --lanes and the settings of a
/// search that concern players. `options` outlives the parsing.
void add_search_options(const Command& command, SearchOptions& options);

}  // namespace senet
