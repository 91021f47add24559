#include "games/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace senet::settings_detail {
namespace {

template <class Number>
bool read(std::string_view text, Number& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

}  // namespace

// The shortest digits that read back as this number of this type.
std::string number_text(float value) { return fmt::format("{}", value); }
std::string number_text(double value) { return fmt::format("{}", value); }
std::string number_text(std::uint64_t value) { return fmt::format("{}", value); }

bool read_number(std::string_view text, float& value) { return read(text, value); }
bool read_number(std::string_view text, double& value) { return read(text, value); }
bool read_number(std::string_view text, std::uint64_t& value) { return read(text, value); }

bool read_bool(std::string_view text, bool& value) {
  value = text == "1" || text == "true";
  return value || text == "0" || text == "false";
}

std::string limits_text(const SettingRange& range) {
  const std::string least = number_text(range.least), most = number_text(range.most);
  const bool has_least = std::isfinite(range.least), has_most = std::isfinite(range.most);
  if (has_least && has_most && !range.above_least && !range.below_most) {
    return fmt::format("{} .. {}", least, most);
  }
  std::string limits;
  if (has_least) limits = fmt::format("{} {}", range.above_least ? "above" : "at least", least);
  if (has_most) {
    limits += fmt::format("{}{} {}", has_least ? " and " : "",
                          range.below_most ? "below" : "at most", most);
  }
  return limits;
}

Error refusal(std::string_view name, const std::string& wanted, std::string_view text) {
  constexpr std::size_t kLongestText = 40;
  std::string shown(text.substr(0, kLongestText));
  if (shown.size() < text.size()) shown += "...";
  // Whatever the text holds, the message stays one line.
  std::ranges::replace_if(
      shown, [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  return fail(fmt::format("{} takes {}, not \"{}\"", name, wanted, shown));
}

}  // namespace senet::settings_detail
