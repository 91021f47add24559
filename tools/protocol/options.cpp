#include "tools/protocol/options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "games/any_game.hpp"
#include "games/registry.hpp"
#include "games/settings.hpp"
#include "tools/protocol/game_words.hpp"
#include "tools/protocol/words.hpp"

namespace senet::protocol {
namespace {

// One option: how it announces itself behind "type", and how it takes a value.
struct Option {
  std::string_view name;
  std::string (*type)(const Options&);
  Result<Change> (*set)(Options&, std::string_view value);
};

std::string spin(std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  return fmt::format("spin default {} min {} max {}", value, least, most);
}

template <class Names>
std::string combo(std::string_view value, const Names& names) {
  std::string text = fmt::format("combo default {}", value);
  for (const std::string_view name : names) text.append(" var ").append(name);
  return text;
}

// A refusal that does not know the option's name yet; set_option() puts it in front.
Error refuse_value(std::string text) { return refuse(Code::kBadArgument, std::move(text)); }

// What is set to the value it has builds nothing anew.
template <class Value>
Change replace(Value& to, Value value, Change change) {
  const bool is_new = to != value;
  to = std::move(value);
  return is_new ? change : Change::kNothing;
}

Result<Change> set_spin(std::uint32_t& to, std::string_view value, std::uint32_t least,
                        std::uint32_t most, Change change) {
  const std::optional<std::uint64_t> told = number(value, most);
  if (!told || *told < least) {
    return refuse_value(
        fmt::format("a whole number {} .. {}, not {}", least, most, in_quotes(value)));
  }
  return replace(to, static_cast<std::uint32_t>(*told), change);
}

template <class Names>
Result<Change> set_combo(std::string& to, std::string_view value, const Names& names,
                         Change change) {
  if (std::ranges::find(names, value) == std::ranges::end(names)) {
    std::string known;
    for (const std::string_view name : names) known.append(known.empty() ? "" : ", ").append(name);
    return refuse_value(fmt::format("one of {}, not {}", known, in_quotes(value)));
  }
  return replace(to, std::string(value), change);
}

// The name of a setting's option: "c-puct" is CPuct.
std::string option_name(std::string_view setting) {
  std::string name;
  bool begins = true;
  for (const char c : setting) {
    if (c != '-') name += begins && c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    begins = c == '-';
  }
  return name;
}

template <NamedEnum Enum>
std::vector<std::string_view> names_in() {
  std::vector<std::string_view> names;
  for (const Named<Enum>& known : names_of(std::type_identity<Enum>{})) names.push_back(known.name);
  return names;
}

// How an option that is a setting announces itself. UCI has no type for numbers with a fraction.
template <class Struct, class Value>
std::string setting_type(const Setting<Struct, Value>& entry, const Value& value) {
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

template <class Struct, class Value>
Result<Change> set_setting(Setting<Struct, Value> entry, Value& to, std::string_view value) {
  const std::string name = option_name(entry.name);
  entry.name = name;
  Value read{};
  const Result<void> set = set_value(entry, read, value);
  if (!set) return refuse(Code::kBadArgument, set.error());
  return replace(to, read, Change::kSearch);
}

constexpr std::array<std::string_view, 1> kEvalModes = {"cubeless"};
constexpr std::array<std::string_view, 1> kOnlyTrue = {"true"};

constexpr std::string_view kAuto = "auto";

std::vector<std::string_view> ubgi_games() {
  std::vector<std::string_view> names;
  for (const AnyGame* const game : all_games<AnyGame>()) {
    if (speaks_ubgi(*game)) names.push_back(game->name);
  }
  return names;
}

std::string_view or_auto(std::optional<Evaluates> mode) { return mode ? name_of(*mode) : kAuto; }
std::vector<std::string_view> modes() {
  std::vector<std::string_view> names = names_in<Evaluates>();
  names.insert(names.begin(), kAuto);
  return names;
}

constexpr std::array kFirstOptions = {
    Option{"Game", [](const Options& o) { return combo(o.game, game_names()); },
           [](Options& o, std::string_view value) {
             const Result<Change> set = set_combo(o.game, value, game_names(), Change::kGame);
             if (set && *set == Change::kGame) o.weights.clear();  // they play the other game
             return set;
           }},
    Option{"WeightsFile",
           [](const Options& o) {
             return fmt::format("string default {}", o.weights.empty() ? "<empty>" : o.weights);
           },
           [](Options& o, std::string_view value) -> Result<Change> {
             o.weights = value == "<empty>" ? "" : value;
             return Change::kNetwork;
           }},
    Option{"Visits", [](const Options& o) { return spin(o.visits, 0, kMostVisits); },
           [](Options& o, std::string_view value) {
             return set_spin(o.visits, value, 0, kMostVisits, Change::kNothing);
           }},
    Option{"Hash", [](const Options& o) { return spin(o.hash_mib, 1, o.hash_limit_mib); },
           [](Options& o, std::string_view value) {
             return set_spin(o.hash_mib, value, 1, o.hash_limit_mib, Change::kSearch);
           }},
    Option{"MultiPV", [](const Options& o) { return spin(o.multi_pv, 1, kMostMultiPv); },
           [](Options& o, std::string_view value) {
             return set_spin(o.multi_pv, value, 1, kMostMultiPv, Change::kNothing);
           }},
    Option{"Evaluator",
           [](const Options& o) {
             return combo(name_of(o.search.evaluator), names_in<EvaluatorKind>());
           },
           [](Options& o, std::string_view value) {
             std::string kind(name_of(o.search.evaluator));
             const Result<Change> set =
                 set_combo(kind, value, names_in<EvaluatorKind>(), Change::kSearch);
             if (set) o.search.evaluator = *value_of<EvaluatorKind>(kind);
             return set;
           }},
    Option{"Mode", [](const Options& o) { return combo(or_auto(o.search.mode), modes()); },
           [](Options& o, std::string_view value) {
             std::string mode(or_auto(o.search.mode));
             const Result<Change> set = set_combo(mode, value, modes(), Change::kSearch);
             if (set) o.search.mode = value_of<Evaluates>(mode);
             return set;
           }},
};

// Behind the settings of the search.
constexpr std::array kLastOptions = {
    // What runners like to set. Each can be told what is the case and nothing else; a search draws
    // nothing, so that any seed gives the same answers.
    Option{"Threads", [](const Options&) { return spin(1, 1, 1); },
           [](Options&, std::string_view value) {
             std::uint32_t threads = 1;
             return set_spin(threads, value, 1, 1, Change::kNothing);
           }},
    Option{"Seed", [](const Options&) { return spin(0, 0, INT32_MAX); },
           [](Options&, std::string_view value) {
             std::uint32_t seed = 0;
             return set_spin(seed, value, 0, INT32_MAX, Change::kNothing);
           }},
    Option{"Deterministic", [](const Options&) { return std::string("check default true"); },
           [](Options&, std::string_view value) {
             std::string only = "true";
             return set_combo(only, value, kOnlyTrue, Change::kNothing);
           }},
    Option{"EvalMode", [](const Options&) { return combo("cubeless", kEvalModes); },
           [](Options&, std::string_view value) {
             std::string only = "cubeless";
             return set_combo(only, value, kEvalModes, Change::kNothing);
           }},
    // Of UBGI, whose variants are games of their own here.
    Option{"Variant", [](const Options&) { return combo(first_game(), ubgi_games()); },
           [](Options&, std::string_view value) {
             std::string only = first_game();
             return set_combo(only, value, ubgi_games(), Change::kNothing);
           }},
};

bool is_same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

std::string first_game() {
  const std::vector<std::string_view> ubgi = ubgi_games();
  return std::string(ubgi.empty() ? game_names().front() : ubgi.front());
}

std::vector<std::string> option_lines(const Options& options) {
  std::vector<std::string> lines;
  const auto add = [&](std::string_view name, std::string_view type) {
    lines.push_back(fmt::format("option name {} type {}", name, type));
  };
  for (const Option& option : kFirstOptions) add(option.name, option.type(options));
  for_each_setting(options.search.settings, [&](const auto& entry, const auto& value) {
    if (entry.use.of_players) add(option_name(entry.name), setting_type(entry, value));
  });
  for (const Option& option : kLastOptions) add(option.name, option.type(options));
  return lines;
}

Result<Change> set_option(Options& options, std::string_view name, std::string_view value) {
  Options changed = options;
  Result<Change> set =
      refuse(Code::kBadArgument, fmt::format("there is no option {}", in_quotes(name)));
  for (const std::span<const Option> known :
       {std::span<const Option>(kFirstOptions), std::span<const Option>(kLastOptions)}) {
    for (const Option& option : known) {
      if (!is_same_name(option.name, name)) continue;
      set = option.set(changed, value);
      if (set) continue;
      set =
          fail(set.error().status(), fmt::format("{} takes {}", option.name, set.error().reason()));
    }
  }
  for_each_setting(changed.search.settings, [&](const auto& entry, auto& to) {
    if (!entry.use.of_players || !is_same_name(option_name(entry.name), name)) return;
    set = set_setting(entry, to, value);
  });
  if (set) options = std::move(changed);
  return set;
}

}  // namespace senet::protocol
