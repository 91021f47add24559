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

/// The whole number from `least` to `most` that `text` is in decimal digits, with a minus sign
/// where it is negative; none for any other text.
template <class Number>
std::optional<Number> parse_number(std::string_view text, Number least, Number most) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || read != end || number < least || number > most) return std::nullopt;
  return number;
}

}  // namespace senet
