// How self-play games are played: budgets, exploration, and when a game ends early.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>

#include "search/settings.hpp"

namespace senet {

struct PlaySettings {
  std::uint64_t seed = 1;  // of the run: with a game's number it fixes every draw of that game
  /// Playout cap randomisation (Wu 2019): a share of the decisions gets the full budget, noise and
  /// a policy target; the others a small one, to get on with the game.
  std::uint32_t full_visits = 100;
  std::uint32_t fast_visits = 100;
  float full_share = 1.0f;
  bool noise = true;  // Dirichlet noise in full searches
  /// Moves are drawn with probability proportional to visits^(1/temperature) for the first
  /// temperature_plies plies, and are the best one afterwards.
  float temperature = 1.0f;
  std::uint32_t temperature_plies = 12;
  /// The game begins with 0 to this many moves drawn blindly among the sound ones (uniform count),
  /// for variety.
  std::uint32_t random_plies = 0;
  /// Plies (chance included) after which a game is cut and scored by the network.
  std::uint32_t ply_cap = 1000;
  /// A player whose root value is below -resign_below times the value range in three searches of
  /// his in a row gives up. 0: nobody ever does.
  float resign_below = 0.0f;
};

constexpr auto settings_of(std::type_identity<PlaySettings>) {
  using S = PlaySettings;
  // settings_text() has phrases for them.
  constexpr SettingUse<S> kInAPhrase{.in_records = Said::kNever};
  return std::tuple{
      setting("seed", &S::seed, "fixes every draw of the run", {}, kInAPhrase),
      setting("visits", &S::full_visits, "visits of a full search", {.least = 1, .most = 1'000'000},
              kInAPhrase),
      setting("fast-visits", &S::fast_visits,
              "visits of a fast search (playout cap randomisation); at most those of a full one",
              {.least = 1, .most = 1'000'000}, kInAPhrase),
      setting("full-share", &S::full_share, "share of the decisions that get a full search",
              {.least = 0, .most = 1}, kInAPhrase),
      setting("noise", &S::noise, "Dirichlet noise at the root of full searches (0 or 1)", {},
              kInAPhrase),
      setting("temperature", &S::temperature, "temperature of the opening moves' choice",
              {.least = 0, .most = 100}, kInAPhrase),
      setting("temperature-plies", &S::temperature_plies, "plies played with that temperature",
              {.unit = "plies"}, kInAPhrase),
      setting("random-plies", &S::random_plies, "a game begins with up to so many blind moves",
              {.least = 0, .most = 1000, .unit = "plies"}, kInAPhrase),
      setting("ply-cap", &S::ply_cap, "plies after which a game is cut and scored by the network",
              {.least = 1, .most = 100'000, .unit = "plies"}, kInAPhrase),
      setting("resign-below", &S::resign_below,
              "resignation threshold as a share of the value range; 0: never",
              {.least = 0, .most = 1}, kInAPhrase),
  };
}

/// How games with these settings are played, in one short line for their records: "position,
/// 160 visits for 0.33 of the moves, else 32, c_puct 1.5, ...".
std::string settings_text(const PlaySettings& play, const SearchSettings& search);

}  // namespace senet
