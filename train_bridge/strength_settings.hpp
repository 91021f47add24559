// Settings of strength in the loop (strength.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "games/settings.hpp"
#include "selfplay/play_settings.hpp"

namespace senet {

struct StrengthSettings {
  double minutes = 10;        // between the beginnings of two matches; 0: none
  float share = 0.05f;        // of the processor time of the workers
  std::uint32_t pairs = 200;  // at most, of a match
  /// A match ends when the test decides between these two strengths; see read_hypotheses(). The
  /// newest network becomes the best when it accepts the second.
  std::string sprt = "0,35";
  std::string labels;  // file; empty: none
  /// Self-play uses the best network. Otherwise it always uses the newest, which learns faster.
  bool gating = false;
};

constexpr auto settings_of(std::type_identity<StrengthSettings>) {
  using S = StrengthSettings;
  return std::tuple{
      setting("strength-minutes", &S::minutes,
              "time between two matches of the newest network against the best so far; 0: none",
              {.least = 0, .most = 1e6, .unit = "min"}),
      setting("strength-share", &S::share,
              "processor time that matches may take, as a share of that of all workers; at most "
              "one core",
              {.least = 0, .most = 1, .above_least = true}),
      setting("strength-pairs", &S::pairs, "longest match; both games of a pair begin alike",
              {.least = 1, .most = 1'000'000, .unit = "pairs"}),
      setting("strength-sprt", &S::sprt,
              "a match ends when a sequential test accepts strength A or strength B, in Elo or "
              "points per game in games with dice; with B the network becomes the best",
              {.unit = "A,B"}),
      setting("strength-labels", &S::labels,
              "file of labelled positions, as for senet eval, on which each network that played a "
              "match is graded",
              {.unit = "FILE"}),
      setting("gating", &S::gating,
              "self-play uses the best network in place of the newest; learns more slowly"),
  };
}

constexpr std::string_view settings_heading(std::type_identity<StrengthSettings>) {
  return "Strength";
}

/// Visits of each search of a match: those of self-play, but not many, so that matches are short.
inline std::uint32_t strength_visits(const PlaySettings& play) {
  constexpr std::uint32_t kMost = 100;
  return std::min(play.full_visits, kMost);
}
/// Searches of a player at the same time. Few, because a player stops only between them.
inline constexpr std::size_t kStrengthLanes = 8;

}  // namespace senet
