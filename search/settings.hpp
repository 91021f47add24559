// What people may change in a search, and when it stops.
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>

#include "games/settings.hpp"
#include "nn/evaluates.hpp"

namespace senet {

/// How the rule of search/puct.hpp weighs what it sees.
struct PuctSettings {
  /// Dirichlet noise at the root when a budget asks for it: concentration per action is noise_total
  /// / edges of the root, noise_share of the prior is noise (Silver et al. 2017; KataGo's scaling
  /// by the number of actions).
  float noise_share = 0.25f;
  float noise_total = 10.0f;
  /// Exploration constant of PUCT (Rosin 2011; Silver et al. 2017), in units of the game's values.
  float c_puct = 1.5f;
  /// An unvisited action is taken to be worth its parent's value less this times the root of the
  /// visited priors' sum (first-play urgency reduction, as in Leela Zero and KataGo). kPosition
  /// only.
  float fpu_reduction = 0.2f;
};

constexpr auto settings_of(std::type_identity<PuctSettings>) {
  using S = PuctSettings;
  // Records have a phrase of their own for noise.
  constexpr SettingUse<S> kOfNoise{.of_players = false, .in_records = Said::kNever};
  constexpr SettingUse<S> kFromTheFirst{.in_records = Said::kAlways, .in_players = Said::kAlways};
  return std::tuple{
      setting("noise-share", &S::noise_share, "share of noise in the root's priors",
              {.least = 0, .most = 1}, kOfNoise),
      setting("noise-total", &S::noise_total, "sum of the Dirichlet concentrations",
              {.least = 0, .above_least = true}, kOfNoise),
      setting("c-puct", &S::c_puct, "exploration constant", {.least = 0, .most = 1000},
              kFromTheFirst),
      setting("fpu-reduction", &S::fpu_reduction,
              "how much less than its parent an unvisited move is taken to be worth",
              {.least = 0, .most = 1000}, kFromTheFirst),
  };
}

/// How a search weighs what it sees. The same for every move of a game.
struct SearchSettings {
  Evaluates evaluates = Evaluates::kPosition;
  PuctSettings puct = {};
  /// kPosition: priors are softmax(logit / temperature).
  float policy_temperature = 1.0f;
  /// kAfterstates: priors are softmax(value / temperature) over the afterstates, in the game's
  /// value units.
  float afterstate_temperature = 0.1f;
  /// Keeps the part of the tree that the next root can reach.
  bool reuse_tree = true;
};

constexpr auto settings_of(std::type_identity<SearchSettings>) {
  using S = SearchSettings;
  // What lies below overflows.
  constexpr SettingRange kTemperature{.least = 1e-4, .most = 1000};
  return std::tuple{
      // Every text begins with it, and players may leave it to the network.
      setting("mode", &S::evaluates, "what the network is asked about: position or afterstates", {},
              {.of_players = false, .in_records = Said::kNever, .key = "evaluates"}),
      &S::puct,
      setting("policy-temperature", &S::policy_temperature,
              "position: priors are softmax(logit / this)", kTemperature,
              {.in_players = Said::kAlways,
               .matters = [](const S& s) { return s.evaluates == Evaluates::kPosition; }}),
      setting("afterstate-temperature", &S::afterstate_temperature,
              "afterstates: priors are softmax(value / this)", kTemperature,
              {.in_players = Said::kAlways}),
      setting("reuse-tree", &S::reuse_tree, "keep the tree between moves (0 or 1)", {},
              {.of_players = false, .in_records = Said::kNever}),
  };
}

/// The policy temperature of players that want to win. A network learns to be as sure as the
/// searches that it was shown, and to overlook what they overlooked: flatter priors look at more
/// (as in Leela Chess Zero). Self-play keeps 1, for its visits are what is learnt.
inline constexpr float kPlayersPolicyTemperature = 1.5f;

/// When one search stops: at `visits` visits of the root (those kept from the move before count),
/// earlier when the root's value is proven or the tree is full. 1 = expand the root only.
struct SearchBudget {
  std::uint32_t visits = 100;
  bool noise = false;
};

}  // namespace senet
