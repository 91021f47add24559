#include "nn/levels.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <optional>

#include "games/fields.hpp"

namespace senet {

std::string levels_text(std::span<const Level> levels) {
  std::string text;
  for (const Level& level : levels) {
    text += fmt::format("{}{} {} {} {}", text.empty() ? "" : ", ", level.visits, level.temperature,
                        level.most_loss, level.rating);
  }
  return text;
}

Result<std::vector<Level>> read_levels(std::string_view text) {
  std::vector<Level> levels;
  if (text.empty()) return levels;
  const std::vector<std::string_view> entries = split(text, ",");
  if (entries.size() > kMaxLevels) {
    return fail(fmt::format("{} levels are too many (at most {})", entries.size(), kMaxLevels));
  }
  for (std::string_view entry : entries) {
    if (entry.starts_with(' ')) entry.remove_prefix(1);
    const std::vector<std::string_view> fields = split(entry, " ");
    const auto wrong = [&](std::string_view why) {
      return fail(fmt::format("level {} is \"{}\": {}", levels.size() + 1, entry, why));
    };
    if (fields.size() != 4) return wrong("it must have visits, temperature, loss and rating");
    const auto visits = number_of(fields[0], 1u, UINT32_MAX);
    if (!visits) return wrong("the visits must be an integer from 1");
    std::array<float, 3> numbers;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto number = number_of<float>(fields[i + 1]);
      if (!number || !std::isfinite(*number) || *number < 0) {
        return wrong("temperature, loss and rating must be numbers from 0");
      }
      numbers[i] = *number;
    }
    const auto [temperature, most_loss, rating] = numbers;
    if (rating > 10'000 || rating != std::round(rating)) {
      return wrong("the rating must be an integer 0 .. 10000");
    }
    if (!levels.empty() && rating <= levels.back().rating) {
      return wrong("its rating must exceed the one before");
    }
    levels.push_back({*visits, temperature, most_loss, rating});
  }
  return levels;
}

}  // namespace senet
