#include "tools/protocol/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "games/registry.hpp"
#include "tools/protocol/requests.hpp"

namespace senet::protocol {
namespace {

using Names = std::vector<std::string_view>;

// One option of an Options that outlives it.
struct Option {
  std::string name;
  std::string type;  // what stands behind "type", the current value included
  std::function<Result<Change>(std::string_view value)> set;
};

// The option of a setting: "c-puct" is CPuct.
std::string option_name(std::string_view key) {
  std::string name;
  bool begins = true;
  for (const char c : key) {
    if (c != '-') name += begins && c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    begins = c == '-';
  }
  return name;
}

std::string combo(std::string_view value, const Names& names) {
  return fmt::format("combo default {} var {}", value, fmt::join(names, " var "));
}

template <NamedEnum Enum>
Names names_in() {
  Names names;
  for (const Named<Enum>& known : names_of(std::type_identity<Enum>{})) names.push_back(known.name);
  return names;
}

// How a setting announces itself. UCI has no type for numbers with a fraction.
template <class Struct, class Value>
std::string type_text(const Setting<Struct, Value>& entry, const Value& value) {
  if constexpr (NamedEnum<Value>) {
    return combo(name_of(value), names_in<Value>());
  } else if constexpr (std::is_same_v<Value, bool>) {
    return fmt::format("check default {}", value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return fmt::format("string default {}", value);
  } else {
    const double most = std::min<double>(entry.range.most, std::numeric_limits<Value>::max());
    return fmt::format("spin default {} min {} max {}", value, std::max(entry.range.least, 0.0),
                       most);
  }
}

// What is set to the value it has builds nothing anew.
template <class Value>
Change replace(Value& to, Value value, Change change) {
  return std::exchange(to, value) != value ? change : Change::kNothing;
}

template <class Struct, class Value>
Option of_setting(Setting<Struct, Value> entry, Value& to, Change change) {
  const std::string name = option_name(entry.key());
  const auto set = [=, &to](std::string_view text) mutable -> Result<Change> {
    entry.name = name;
    Value value{};
    const Result<void> read = set_value(entry, value, text);
    if (!read) return refuse(Code::kBadArgument, read.error());
    return replace(to, value, change);
  };
  return {name, type_text(entry, to), set};
}

// One of some words, the one it has now in front.
Option of_names(const std::string& name, std::string_view value, const Names& names,
                std::function<Change(std::string_view)> set) {
  return {name, combo(value, names), [=](std::string_view text) -> Result<Change> {
            if (std::ranges::find(names, text) != names.end()) return set(text);
            return bad_argument("{} takes one of {}, not {}", name, fmt::join(names, ", "),
                                in_quotes(text));
          }};
}

// What runners like to set: each takes what is the case and nothing else. A search draws nothing,
// so that any seed gives the same answers.
Option fixed_number(const std::string& name, std::uint32_t value, std::uint32_t most) {
  return {name, fmt::format("spin default {} min {} max {}", value, value, most),
          [=](std::string_view text) -> Result<Change> {
            const std::optional<std::uint64_t> read = number(text, most);
            if (read && *read >= value) return Change::kNothing;
            return bad_argument("{} takes a whole number {} .. {}, not {}", name, value, most,
                                in_quotes(text));
          }};
}

Names ubgi_games() {
  Names names;
  for (const AnyGame* const game : all_games<AnyGame>()) {
    if (speaks_ubgi(*game)) names.push_back(game->name);
  }
  return names;
}

std::vector<Option> options_of(Options& o) {
  const auto nothing = [](std::string_view) { return Change::kNothing; };
  std::vector<Option> all;
  const Names games(game_names().begin(), game_names().end());
  all.push_back(of_names("Game", o.game, games, [&o](std::string_view name) {
    if (name == o.game) return Change::kNothing;
    o.game = name;
    o.weights.clear();  // they play the other game
    return Change::kGame;
  }));
  all.push_back({"WeightsFile",
                 fmt::format("string default {}", o.weights.empty() ? "<empty>" : o.weights),
                 [&o](std::string_view file) {
                   o.weights = file == "<empty>" ? "" : file;
                   return Change::kNetwork;
                 }});
  for_each_setting(o, [&](auto entry, auto& value) {
    const bool is_hash = &value == &o.hash_mib;
    if (is_hash) entry.range.most = o.hash_limit_mib;
    all.push_back(of_setting(entry, value, is_hash ? Change::kSearch : Change::kNothing));
  });
  all.push_back(of_setting(setting("evaluator", &SearchOptions::evaluator, ""), o.search.evaluator,
                           Change::kSearch));
  Names modes = names_in<Evaluates>();
  modes.insert(modes.begin(), "auto");
  all.push_back(of_names(
      "Mode", o.search.mode ? name_of(*o.search.mode) : "auto", modes, [&o](std::string_view name) {
        return replace(o.search.mode, value_of<Evaluates>(name), Change::kSearch);
      }));
  for_each_setting(o.search.settings, [&](const auto& entry, auto& value) {
    if (entry.use.of_players) all.push_back(of_setting(entry, value, Change::kSearch));
  });
  all.push_back(fixed_number("Threads", 1, 1));
  all.push_back(fixed_number("Seed", 0, INT32_MAX));
  all.push_back(of_names("Deterministic", "true", {"true"}, nothing));
  all.back().type = "check default true";
  all.push_back(of_names("EvalMode", "cubeless", {"cubeless"}, nothing));
  // Of UBGI, whose variants are games of their own here.
  all.push_back(of_names("Variant", first_game(), ubgi_games(), nothing));
  return all;
}

bool is_same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

std::string first_game() {
  const Names ubgi = ubgi_games();
  return std::string(ubgi.empty() ? game_names().front() : ubgi.front());
}

std::vector<std::string> option_lines(const Options& options) {
  std::vector<std::string> lines;
  Options copy = options;
  for (const Option& option : options_of(copy)) {
    lines.push_back(fmt::format("option name {} type {}", option.name, option.type));
  }
  return lines;
}

Result<Change> set_option(Options& options, std::string_view name, std::string_view value) {
  for (const Option& option : options_of(options)) {
    if (is_same_name(option.name, name)) return option.set(value);
  }
  return bad_argument("there is no option {}", in_quotes(name));
}

}  // namespace senet::protocol
