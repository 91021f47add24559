#include "tools/protocol/options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "games/any_game.hpp"
#include "games/registry.hpp"
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

// UCI has no type for numbers with a fraction.
Result<Change> set_real(float& to, std::string_view value, float least) {
  constexpr float kMost = 1000;
  float told = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, told);
  if (error != std::errc() || stop != end || !(told >= least && told <= kMost)) {
    return refuse_value(
        fmt::format("a number {:g} .. {:g}, not {}", least, kMost, in_quotes(value)));
  }
  return replace(to, told, Change::kSearch);
}

/// A number of the search's settings, at least kLeast.
template <float SearchSettings::*kSetting, float kLeast>
constexpr Option real_option(std::string_view name) {
  return {name,
          [](const Options& o) {
            return fmt::format("string default {:g}", o.search.settings.*kSetting);
          },
          [](Options& o, std::string_view value) {
            return set_real(o.search.settings.*kSetting, value, kLeast);
          }};
}

constexpr std::array<std::string_view, 5> kEvaluators = {"fused", "onednn", "auto", "reference",
                                                         "hash"};
constexpr std::array<std::string_view, 3> kModes = {"auto", "position", "afterstates"};
constexpr std::array<std::string_view, 1> kEvalModes = {"cubeless"};
constexpr std::array<std::string_view, 1> kOnlyTrue = {"true"};

std::vector<std::string_view> ubgi_games() {
  std::vector<std::string_view> names;
  for (const AnyGame* const game : all_games<AnyGame>()) {
    if (speaks_ubgi(*game)) names.push_back(game->name);
  }
  return names;
}

std::string_view or_auto(std::string_view mode) { return mode.empty() ? "auto" : mode; }

constexpr std::array kOptions = {
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
    Option{"Evaluator", [](const Options& o) { return combo(o.search.evaluator, kEvaluators); },
           [](Options& o, std::string_view value) {
             return set_combo(o.search.evaluator, value, kEvaluators, Change::kSearch);
           }},
    Option{"Mode", [](const Options& o) { return combo(or_auto(o.search.mode), kModes); },
           [](Options& o, std::string_view value) {
             std::string mode(or_auto(o.search.mode));
             const Result<Change> set = set_combo(mode, value, kModes, Change::kSearch);
             if (set) o.search.mode = mode == "auto" ? "" : mode;
             return set;
           }},
    real_option<&SearchSettings::c_puct, 0.0f>("CPuct"),
    real_option<&SearchSettings::fpu_reduction, 0.0f>("FpuReduction"),
    real_option<&SearchSettings::policy_temperature, kLeastTemperature>("PolicyTemperature"),
    real_option<&SearchSettings::afterstate_temperature, kLeastTemperature>(
        "AfterstateTemperature"),
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
  for (const Option& option : kOptions) {
    lines.push_back(fmt::format("option name {} type {}", option.name, option.type(options)));
  }
  return lines;
}

Result<Change> set_option(Options& options, std::string_view name, std::string_view value) {
  for (const Option& option : kOptions) {
    if (!is_same_name(option.name, name)) continue;
    Options changed = options;
    Result<Change> set = option.set(changed, value);
    if (!set) {
      return fail(set.error().status(),
                  fmt::format("{} takes {}", option.name, set.error().reason()));
    }
    options = std::move(changed);
    return set;
  }
  return refuse(Code::kBadArgument, fmt::format("there is no option {}", in_quotes(name)));
}

}  // namespace senet::protocol
