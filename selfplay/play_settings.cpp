#include "selfplay/play_settings.hpp"

#include <fmt/core.h>

namespace senet {

std::string settings_text(const PlaySettings& play, const SearchSettings& search) {
  std::string text = fmt::format("{}, {} visits", name_of(search.evaluates), play.full_visits);
  if (play.full_share < 1) {
    text += fmt::format(" for {} of the moves, else {}", play.full_share, play.fast_visits);
  }
  text += settings_summary(search, SettingsText::kRecord);
  if (play.noise) {
    text += fmt::format(", noise {} of {}", search.puct.noise_share, search.puct.noise_total);
  }
  if (play.temperature_plies > 0) {
    text += fmt::format(", temperature {} to ply {}", play.temperature, play.temperature_plies);
  }
  if (play.random_plies > 0) text += fmt::format(", up to {} random moves", play.random_plies);
  if (play.resign_below > 0) {
    text += fmt::format(", resigns below {} but in {} of the games", play.resign_below,
                        play.resign_play_through);
  }
  return text + settings_summary(play, SettingsText::kRecord);
}

}  // namespace senet
