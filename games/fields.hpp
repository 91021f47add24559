// The fields and numbers of a text: for readers of notations and of files.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace senet {

/// What stands between these characters, empty fields included. At least one; they live as long as
/// what `text` shows.
inline std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t end = text.find_first_of(separators);
    fields.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return fields;
    text.remove_prefix(end + 1);
  }
}

/// The number that `text` is, in decimal, with a minus sign where it is negative; none when it is
/// anything else, has anything before or behind it, or does not fit into the type.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}
/// The same from `least` to `most`; none for any other.
template <class Number>
std::optional<Number> number_of(std::string_view text, Number least, Number most) {
  const std::optional<Number> number = number_of<Number>(text);
  return number && *number >= least && *number <= most ? number : std::nullopt;
}

}  // namespace senet
