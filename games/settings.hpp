// One list of settings for each struct with user settings. Command lines, config.json, the
// protocol, records and games' recipes all use it, so that a new setting needs only a new entry.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "games/fields.hpp"
#include "games/names.hpp"
#include "games/schedule.hpp"
#include "senet/result.hpp"

namespace senet {

/// The allowed values of a number. Floating-point numbers must also be finite. Limits are compared
/// in the setting's own type: the float nearest to 0.0001 is slightly less than the double.
struct SettingRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool above_least = false;    // excludes `least` itself
  bool below_most = false;     // excludes `most` itself
  bool or_zero = false;        // also allows 0, which has a special meaning
  std::string_view unit = {};  // of the number, e.g. "MiB"; of a text its form, e.g. "FILE"
};

/// The kinds of text that list the settings on which a game or a player depended.
enum class SettingsText : std::uint8_t {
  kRecord,  // how a self-play game was played
  kPlayer,  // how a player of a match chooses its moves
};

/// When such a text contains a setting.
enum class Mention : std::uint8_t {
  kIfChanged,  // only when it differs from the default; a text without it means the default
  kAlways,     // always; the first version of such texts already contained it
  kNever,      // never: the text expresses it in another way, or it affects no move
};

/// Where a setting of `Struct` can be set, and which texts contain it.
template <class Struct>
struct SettingUse {
  /// Whether it is an option of players that search: senet match, eval and uci, setoption.
  bool of_players = true;
  Mention in_records = Mention::kIfChanged;
  Mention in_players = Mention::kIfChanged;  // only if of_players
  /// Whether it has an effect, given the other settings; null: always.
  bool (*matters)(const Struct&) = nullptr;
  /// Its key in config.json before it had the setting's name; still read.
  std::string_view former_key = {};
  /// Its name among a protocol's options if that does not follow from the name.
  std::string_view option_name = {};
};

/// One setting. A value is a bool, an unsigned integer, a float, a double, a schedule, a named
/// enumeration or a text.
template <class Struct, class Value>
struct Setting {
  std::string_view name;  // "c-puct": the command-line option without dashes
  Value Struct::*member;
  std::string_view help;
  SettingRange range;  // of numbers
  SettingUse<Struct> use;

  bool is_default(const Value& value) const { return value == Struct{}.*member; }
};

/// Makes an entry of a list. Only numbers have a range.
template <class Struct, class Value>
constexpr Setting<Struct, Value> setting(std::string_view name, Value Struct::*member,
                                         std::string_view help, SettingRange range = {},
                                         SettingUse<std::type_identity_t<Struct>> use = {}) {
  return {name, member, help, range, use};
}

/// A struct with a list of settings in its namespace:
///   constexpr auto settings_of(std::type_identity<Struct>)
///     returns a std::tuple of setting()s, in display order; a pointer to a member that itself has
///     a list inserts the settings of that list
/// And, for groups in --help:
///   constexpr std::string_view settings_heading(std::type_identity<Struct>)
template <class Struct>
concept HasSettings = requires {
  settings_of(std::type_identity<Struct>{});
};

/// Calls visit(entry, value) for every setting of `settings`, in the order of the list. `value` is
/// a reference to the member, const if `settings` is const. A third argument of `visit`, if it
/// takes one, is the struct that contains the member.
template <class Struct, class Visit>
requires HasSettings<std::remove_const_t<Struct>>
void for_each_setting(Struct& settings, Visit&& visit) {
  const auto visit_one = [&](const auto& entry) {
    if constexpr (std::is_member_pointer_v<std::remove_cvref_t<decltype(entry)>>) {
      for_each_setting(settings.*entry, visit);
    } else if constexpr (requires { visit(entry, settings.*entry.member, settings); }) {
      visit(entry, settings.*entry.member, settings);
    } else {
      visit(entry, settings.*entry.member);
    }
  };
  std::apply([&](const auto&... entries) { (visit_one(entries), ...); },
             settings_of(std::type_identity<std::remove_const_t<Struct>>{}));
}

/// The entry of a member, which is in `Struct`'s own list.
template <class Struct, class Value>
constexpr Setting<Struct, Value> setting_of(Value Struct::*member) {
  Setting<Struct, Value> found{};
  std::apply(
      [&](const auto&... entries) {
        const auto look = [&](const auto& entry) {
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(entry)>,
                                       Setting<Struct, Value>>) {
            if (entry.member == member) found = entry;
          }
        };
        (look(entries), ...);
      },
      settings_of(std::type_identity<Struct>{}));
  return found;
}

namespace settings_detail {

/// The shortest decimal text that reads back as the same value of this type.
std::string number_text(float value);
std::string number_text(double value);
std::string limits_text(const SettingRange& range);
Error refusal(std::string_view name, const std::string& wanted, std::string_view text);

/// Always true for bools, enumerations and texts. Every value of a schedule must be in the range.
template <class Value>
bool is_in(const SettingRange& range, const Value& value) {
  if constexpr (std::is_same_v<Value, Schedule>) {
    return std::ranges::all_of(value.points(),
                               [&](const auto& point) { return is_in(range, point.value); });
  } else if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>) {
    if (std::is_floating_point_v<Value> && !std::isfinite(value)) return false;
    if (range.or_zero && value == 0) return true;
    assert(std::isinf(range.most) ||
           range.most <= static_cast<double>(std::numeric_limits<Value>::max()));
    if (std::isfinite(range.least)) {
      const auto least = static_cast<Value>(range.least);
      if (value < least || (range.above_least && value == least)) return false;
    }
    if (std::isfinite(range.most)) {
      const auto most = static_cast<Value>(range.most);
      if (value > most || (range.below_most && value == most)) return false;
    }
  }
  return true;
}

}  // namespace settings_detail

/// The value as text: 0.2, 100, true, position. Reading it back gives exactly the same value.
template <class Value>
std::string setting_text(const Value& value) {
  if constexpr (NamedEnum<Value>) {
    return std::string(name_of(value));
  } else if constexpr (std::is_same_v<Value, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<Value, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<Value, Schedule>) {
    return value.text();
  } else if constexpr (std::is_floating_point_v<Value>) {
    return settings_detail::number_text(value);
  } else {
    static_assert(std::is_unsigned_v<Value>);
    return std::to_string(value);
  }
}

/// The range of a number as text, limited by its type: "1 .. 4096", "above 0", "at most
/// 4294967295". Empty when there is no limit.
template <class Struct, class Value>
std::string range_text(const Setting<Struct, Value>& entry) {
  SettingRange range = entry.range;
  if constexpr (std::is_unsigned_v<Value> && sizeof(Value) < 8) {
    if (std::isinf(range.most)) range.most = static_cast<double>(std::numeric_limits<Value>::max());
  }
  return settings_detail::limits_text(range);
}

/// The allowed values in words: "a whole number 1 .. 4096", "one of position, afterstates".
template <class Struct, class Value>
std::string values_wanted(const Setting<Struct, Value>& entry) {
  if constexpr (NamedEnum<Value>) {
    return "one of " + all_names<Value>();
  } else if constexpr (std::is_same_v<Value, std::string>) {
    return "a text";
  } else if constexpr (std::is_same_v<Value, bool>) {
    return "0 or 1";
  } else {
    std::string wanted = entry.range.or_zero ? "0 or " : "";
    wanted += std::is_unsigned_v<Value> ? "a whole number" : "a number";
    const std::string range = range_text(entry);
    if (!range.empty()) wanted += " " + range;
    if (std::is_same_v<Value, Schedule>) wanted += ", or several as NUMBER@SHARE,NUMBER@SHARE";
    return wanted;
  }
}

/// Fails when `value` is not allowed.
template <class Struct, class Value>
Result<void> check_value(const Setting<Struct, Value>& entry, const Value& value) {
  if (settings_detail::is_in(entry.range, value)) return {};
  return settings_detail::refusal(entry.name, values_wanted(entry), setting_text(value));
}

/// Parses `text` into `value`. On failure `value` is unchanged, and the error names the setting,
/// the allowed values and the text: "c-puct takes a number 0 .. 1000, not "x"".
template <class Struct, class Value>
Result<void> set_value(const Setting<Struct, Value>& entry, Value& value, std::string_view text) {
  const auto read = [&]() -> std::optional<Value> {
    if constexpr (NamedEnum<Value>) {
      return value_of<Value>(text);
    } else if constexpr (std::is_same_v<Value, bool>) {
      if (text == "1" || text == "true") return true;
      return text == "0" || text == "false" ? std::optional(false) : std::nullopt;
    } else if constexpr (std::is_same_v<Value, std::string>) {
      return std::string(text);
    } else if constexpr (std::is_same_v<Value, Schedule>) {
      return Schedule::parse(text);
    } else {
      return number_of<Value>(text);
    }
  }();
  if (!read || !settings_detail::is_in(entry.range, *read)) {
    return settings_detail::refusal(entry.name, values_wanted(entry), text);
  }
  value = *read;
  return {};
}

/// Sets the setting with this name; for recipes, command lines and protocols. `settings` is
/// anything that for_each_setting() accepts. Fails on an unknown name or a value that is not
/// allowed.
template <class Settings>
Result<void> apply_setting(Settings& settings, std::string_view name, std::string_view text) {
  Result<void> applied = fail("there is no setting \"" + std::string(name) + "\"");
  for_each_setting(settings, [&](const auto& entry, auto& value) {
    if (entry.name == name) applied = set_value(entry, value, text);
  });
  return applied;
}

/// The same for each NAME=VALUE of `words`, which spaces separate, if may_set(NAME).
template <class Settings, class MaySet>
Result<void> apply_settings(Settings& settings, std::string_view words, MaySet&& may_set) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      return fail("\"" + std::string(word) + "\" is not NAME=VALUE");
    }
    const std::string_view name = word.substr(0, equals);
    if (!may_set(name)) return fail(std::string(name) + ": cannot be set here");
    const auto set = apply_setting(settings, name, word.substr(equals + 1));
    if (!set) return set;
  }
  return {};
}

/// Fails with the first setting whose value is not allowed.
template <class Settings>
Result<void> check_settings(const Settings& settings) {
  Result<void> checked;
  for_each_setting(settings, [&](const auto& entry, const auto& value) {
    if (checked) checked = check_value(entry, value);
  });
  return checked;
}

/// The settings that a text of this kind contains: ", c_puct 1.5, fpu_reduction 0.2".
template <class Settings>
std::string settings_summary(const Settings& settings, SettingsText kind) {
  std::string text;
  const auto say = [&](const auto& entry, const auto& value, const auto& owner) {
    const auto& use = entry.use;
    if (kind == SettingsText::kPlayer && !use.of_players) return;
    if (use.matters != nullptr && !use.matters(owner)) return;
    const Mention said = kind == SettingsText::kPlayer ? use.in_players : use.in_records;
    if (said == Mention::kNever || (said == Mention::kIfChanged && entry.is_default(value))) return;
    std::string name(entry.name);
    std::ranges::replace(name, '-', '_');
    text += ", " + name + " " + setting_text(value);
  };
  for_each_setting(settings, say);
  return text;
}

}  // namespace senet
