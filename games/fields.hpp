// Splits texts into fields and parses numbers, for readers of notations and of files.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace senet {

/// The fields between any of these characters, empty fields included; at least one. They refer to
/// the memory of `text`.
inline std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t end = text.find_first_of(separators);
    fields.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return fields;
    text.remove_prefix(end + 1);
  }
}

/// Parses a decimal number, with a minus sign if negative. None when `text` is anything else, has
/// other characters before or after the number, or does not fit into the type.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}
/// The same; also none when the number is not in `least` .. `most`.
template <class Number>
std::optional<Number> number_of(std::string_view text, Number least, Number most) {
  const std::optional<Number> number = number_of<Number>(text);
  return number && *number >= least && *number <= most ? number : std::nullopt;
}

}  // namespace senet
