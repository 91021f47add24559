#include "games/schedule.hpp"

#include <algorithm>
#include <cmath>

#include "games/fields.hpp"
#include "games/settings.hpp"

namespace senet {

std::optional<Schedule> Schedule::parse(std::string_view text) {
  Schedule schedule;
  if (const auto constant = number_of<float>(text)) return Schedule(*constant);
  schedule.count_ = 0;
  for (const std::string_view field : split(text, ",")) {
    const std::size_t at = field.find('@');
    if (at == std::string_view::npos || schedule.count_ == kMostPoints) return std::nullopt;
    const auto value = number_of<float>(field.substr(0, at));
    const auto share = number_of<float>(field.substr(at + 1), 0.0f, 1.0f);
    if (!value || !share) return std::nullopt;
    if (schedule.count_ > 0 && *share <= schedule.points().back().share) return std::nullopt;
    schedule.points_[schedule.count_++] = {*value, *share};
  }
  // The same value everywhere is a constant.
  return schedule.is_constant() ? Schedule(schedule.points_[0].value) : schedule;
}

std::string Schedule::text() const {
  using settings_detail::number_text;
  if (is_constant()) return number_text(points_[0].value);
  std::string text;
  for (const auto& [value, share] : points()) {
    text += (text.empty() ? "" : ",") + number_text(value) + "@" + number_text(share);
  }
  return text;
}

float Schedule::at(double share, Curve curve) const {
  const auto points = this->points();
  const auto next = std::ranges::find_if(points, [&](const Point& p) { return share < p.share; });
  if (next == points.begin()) return points.front().value;
  if (next == points.end()) return points.back().value;
  const auto& [from, began] = *(next - 1);
  const auto& [to, ends] = *next;
  const auto part = static_cast<float>((share - began) / (ends - began));
  if (curve == Curve::kGeometric) return from * std::pow(to / from, part);
  return from + (to - from) * part;
}

}  // namespace senet
