// Numbers from text, the whole of it or nothing.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace senet {

/// The number that `text` is, in decimal; none when it is anything else, has anything before or
/// behind it, or does not fit into the type.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace senet
