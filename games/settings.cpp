#include "games/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace senet::settings_detail {
namespace {
// For people: 1e-6, not 1e-06.
std::string shortest(std::string text) {
  if (const std::size_t zero = text.find("e-0"); zero != std::string::npos) text.erase(zero + 2, 1);
  return text;
}
}  // namespace

std::string number_text(float value) { return shortest(fmt::format("{}", value)); }
std::string number_text(double value) { return shortest(fmt::format("{}", value)); }

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
  // Control characters would break the one-line message.
  std::ranges::replace_if(
      shown, [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  return fail(fmt::format("{} takes {}, not \"{}\"", name, wanted, shown));
}

}  // namespace senet::settings_detail
