// Names: lists of them for messages, and those of an enumeration's values, both ways, for command
// lines and files.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace senet {

/// "a, b and c": `last` stands before the last of several.
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

/// An enumeration that has a list of its names beside it, each value once:
///   constexpr std::array<Named<Enum>, n> names_of(std::type_identity<Enum>)
template <class Enum>
concept NamedEnum = std::is_enum_v<Enum> && requires {
  names_of(std::type_identity<Enum>{});
};

/// The name of a value; empty for a value that is not in the list.
template <NamedEnum Enum>
constexpr std::string_view name_of(Enum value) {
  for (const Named<Enum>& known : names_of(std::type_identity<Enum>{})) {
    if (known.value == value) return known.name;
  }
  return {};
}

/// The value of this name; none for any other text.
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
