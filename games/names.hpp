// Lists of names for messages, and conversion between the values of an enumeration and their names,
// for command lines and files.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace senet {

/// Joins names: "a, b and c". `last` is the separator before the last name.
inline std::string joined(std::span<const std::string_view> names, std::string_view last = ", ") {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text.append(i == 0 ? "" : i + 1 < names.size() ? ", " : last).append(names[i]);
  }
  return text;
}

/// A value and its name.
template <class Enum>
struct Named {
  std::string_view name;
  Enum value;
};

/// An enumeration with a list of names in its namespace that contains each value once:
///   constexpr std::array<Named<Enum>, n> names_of(std::type_identity<Enum>)
template <class Enum>
concept NamedEnum = std::is_enum_v<Enum> && requires {
  names_of(std::type_identity<Enum>{});
};

/// The name of a value; empty when the value is not in the list.
template <NamedEnum Enum>
constexpr std::string_view name_of(Enum value) {
  for (const Named<Enum>& known : names_of(std::type_identity<Enum>{})) {
    if (known.value == value) return known.name;
  }
  return {};
}

/// The value with this name; none when the name is not in the list.
template <NamedEnum Enum>
constexpr std::optional<Enum> value_of(std::string_view name) {
  for (const Named<Enum>& known : names_of(std::type_identity<Enum>{})) {
    if (known.name == name) return known.value;
  }
  return std::nullopt;
}

/// "position, afterstates": all names in the order of the list.
template <NamedEnum Enum>
std::string all_names() {
  std::vector<std::string_view> names;
  for (const Named<Enum>& known : names_of(std::type_identity<Enum>{})) names.push_back(known.name);
  return joined(names);
}

}  // namespace senet
