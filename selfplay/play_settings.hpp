// Settings of self-play games: search budgets, exploration, and early ends of games.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>

#include "games/schedule.hpp"
#include "search/settings.hpp"
#include "selfplay/start_settings.hpp"

namespace senet {

struct PlaySettings {
  std::uint64_t seed = 1;  // of the run; seed and game number determine every draw of a game
  /// Playout cap randomisation (Wu 2019): a share of the decisions is searched with the full
  /// budget, noise and a policy target; the others with a small budget, to finish the game sooner.
  std::uint32_t full_visits = 100;
  std::uint32_t fast_visits = 100;
  float full_share = 1.0f;
  /// Most visits of any search in the course of a run with a trainer, rounded; 0: no limit.
  Schedule visit_limit = 0.0f;
  bool noise = true;  // Dirichlet noise in full searches
  /// For the first temperature_plies plies, moves are drawn with probability proportional to
  /// visits^(1/temperature); afterwards the best move is played.
  float temperature = 1.0f;
  std::uint32_t temperature_plies = 12;
  /// Each game begins with a uniformly drawn number of random moves, 0 to this many, chosen
  /// uniformly from the sound moves, for variety.
  std::uint32_t random_plies = 0;
  /// Plies (including chance) after which a game is cut and scored by the network.
  std::uint32_t ply_cap = 1000;
  /// A player resigns when its root value is below -resign_below times the value range in three
  /// consecutive searches by that player. 0: never.
  float resign_below = 0.0f;
  /// Share of the games in which no player resigns, to measure how often resignation is wrong.
  float resign_play_through = 0.1f;
  StartSettings starts = {};
};

constexpr auto settings_of(std::type_identity<PlaySettings>) {
  using S = PlaySettings;
  // settings_text() has its own phrases for these settings.
  constexpr SettingUse<S> kInAPhrase{.in_records = Mention::kNever};
  return std::tuple{
      setting("seed", &S::seed, "random seed of the run", {}, kInAPhrase),
      setting("visits", &S::full_visits, "visits of a full search", {.least = 1, .most = 1'000'000},
              kInAPhrase),
      setting("fast-visits", &S::fast_visits,
              "visits of a fast search (playout cap randomisation); at most --visits",
              {.least = 1, .most = 1'000'000}, kInAPhrase),
      setting("full-share", &S::full_share, "share of decisions with a full search",
              {.least = 0, .most = 1}, kInAPhrase),
      setting(
          "visit-limit", &S::visit_limit,
          "most visits of any search, or a schedule such as 3@0.85,1@0.86 over the planned run; "
          "0: no limit",
          {.least = 0, .most = 10'000}),
      setting("noise", &S::noise, "Dirichlet noise at the root of full searches", {}, kInAPhrase),
      setting("temperature", &S::temperature, "temperature of the choice of moves in the opening",
              {.least = 0, .most = 100}, kInAPhrase),
      setting("temperature-plies", &S::temperature_plies, "length of the opening",
              {.unit = "plies"}, kInAPhrase),
      setting(
          "random-plies", &S::random_plies,
          "maximum number of random moves at the start of a game that begins with the game's own "
          "start",
          {.least = 0, .most = 1000, .unit = "plies"}, kInAPhrase),
      setting("ply-cap", &S::ply_cap,
              "maximum game length; a longer game is cut and scored by the network, or with one "
              "player counts as not solved",
              {.least = 1, .most = 100'000, .unit = "plies"}, kInAPhrase),
      setting("resign-below", &S::resign_below,
              "resignation threshold as a share of the value range; 0: never resign",
              {.least = 0, .most = 1}, kInAPhrase),
      setting("resign-play-through", &S::resign_play_through,
              "share of the games that are always played to their end, which shows how often "
              "resignation is wrong",
              {.least = 0, .most = 1}, kInAPhrase),
      &S::starts,
  };
}

constexpr std::string_view settings_heading(std::type_identity<PlaySettings>) { return "Games"; }

/// A one-line description of the settings for game records: "position, 160 visits for 0.33 of the
/// moves, else 32, c_puct 1.5, ...".
std::string settings_text(const PlaySettings& play, const SearchSettings& search);

}  // namespace senet
