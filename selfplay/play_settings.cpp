#include "selfplay/play_settings.hpp"

#include <fmt/core.h>

namespace senet {

std::string settings_text(const PlaySettings& play, const SearchSettings& search) {
  std::string text =
      fmt::format("{}, {} visits", evaluates_name(search.evaluates), play.full_visits);
  if (play.full_share < 1) {
    text += fmt::format(" for {:.3g} of the moves, else {}", play.full_share, play.fast_visits);
  }
  text += fmt::format(", c_puct {:.3g}, fpu_reduction {:.3g}", search.c_puct, search.fpu_reduction);
  // Records that say nothing of it mean 1: there was none when the first were made.
  if (search.evaluates == Evaluates::kPosition && search.policy_temperature != 1) {
    text += fmt::format(", policy_temperature {:.3g}", search.policy_temperature);
  }
  if (play.noise) {
    text += fmt::format(", noise {:.3g} of {:.3g}", search.noise_share, search.noise_total);
  }
  if (play.temperature_plies > 0) {
    text += fmt::format(", temperature {:.3g} to ply {}", play.temperature, play.temperature_plies);
  }
  if (play.random_plies > 0) text += fmt::format(", up to {} blind", play.random_plies);
  if (play.resign_below > 0) text += fmt::format(", resigns below {:.3g}", play.resign_below);
  return text;
}

}  // namespace senet
