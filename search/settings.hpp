// The settings of a search, and its budget.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>

#include "games/settings.hpp"
#include "nn/evaluates.hpp"
#include "senet/game.hpp"

namespace senet {

/// Settings of the rule in search/puct.hpp.
struct PuctSettings {
  /// Dirichlet noise at the root, if a budget requests it: the concentration per action is
  /// noise_total / root edges, and a fraction noise_share of the prior is noise (Silver et al.
  /// 2017; KataGo's scaling by the number of actions).
  float noise_share = 0.25f;
  float noise_total = 10.0f;
  /// Exploration constant of PUCT (Rosin 2011; Silver et al. 2017), in units of the game's values.
  float c_puct = 1.5f;
  /// First-play urgency reduction (as in Leela Zero and KataGo): the assumed value of an unvisited
  /// action is its parent's value minus this times the square root of the visited priors' sum.
  /// kPosition only.
  float fpu_reduction = 0.2f;

  bool operator==(const PuctSettings&) const = default;
};

constexpr auto settings_of(std::type_identity<PuctSettings>) {
  using S = PuctSettings;
  // Records describe noise in a separate phrase.
  constexpr SettingUse<S> kOfNoise{.of_players = false, .in_records = Mention::kNever};
  constexpr SettingUse<S> kFromTheFirst{.in_records = Mention::kAlways,
                                        .in_players = Mention::kAlways};
  return std::tuple{
      setting("noise-share", &S::noise_share, "fraction of Dirichlet noise in the root priors",
              {.least = 0, .most = 1}, kOfNoise),
      setting("noise-total", &S::noise_total, "total Dirichlet concentration at the root",
              {.least = 0, .above_least = true}, kOfNoise),
      setting("c-puct", &S::c_puct, "PUCT exploration constant", {.least = 0, .most = 1000},
              kFromTheFirst),
      setting("fpu-reduction", &S::fpu_reduction,
              "first-play urgency reduction for unvisited moves", {.least = 0, .most = 1000},
              kFromTheFirst),
  };
}

constexpr std::string_view settings_heading(std::type_identity<PuctSettings>) { return "Search"; }

/// Settings of searches by plies (search/plies.hpp). A filter keeps at most a number of moves whose
/// values at the ply before were within a window of the best.
struct PlySettings {
  std::uint32_t ply = 0;    // 0: search a tree
  std::uint32_t moves = 8;  // of the root
  float window = 0.16f;
  std::uint32_t replies = 1;  // of every other decision
  float reply_window = 0.05f;

  bool operator==(const PlySettings&) const = default;
};

constexpr auto settings_of(std::type_identity<PlySettings>) {
  using S = PlySettings;
  constexpr SettingRange kPoints{.least = 0, .most = 100, .unit = "points"};
  constexpr auto kMatters = [](const S& s) { return s.ply > 0; };
  return std::tuple{
      setting("ply", &S::ply,
              "depth in plies of a full-width expectimax, which replaces the tree search; 0: tree "
              "search",
              {.least = 0, .most = 6}),
      setting("ply-moves", &S::moves, "maximum number of root moves evaluated beyond ply 0",
              {.least = 1, .most = 4096}, {.matters = kMatters}),
      setting("ply-window", &S::window,
              "largest loss at ply 0 of these moves; half as large at every further ply", kPoints,
              {.matters = kMatters}),
      setting("ply-replies", &S::replies,
              "maximum number of replies to each roll evaluated beyond ply 0",
              {.least = 1, .most = 64}, {.matters = kMatters}),
      setting("ply-reply-window", &S::reply_window,
              "largest loss at ply 0 of these replies; half as large at every further ply", kPoints,
              {.matters = kMatters}),
  };
}

constexpr std::string_view settings_heading(std::type_identity<PlySettings>) { return "Search"; }

/// Settings of a search, the same for every move of a game.
struct SearchSettings {
  Evaluates evaluates = Evaluates::kPosition;
  PuctSettings puct = {};
  PlySettings plies = {};
  /// kPosition: priors are softmax(logit / temperature).
  float policy_temperature = 1.0f;
  /// kAfterstates and kMoves: priors are softmax(value / temperature) over the moves, in the game's
  /// value units.
  float afterstate_temperature = 0.1f;
  /// Keeps the part of the tree that the next root can reach.
  bool reuse_tree = true;
  /// Maximum number of leaves of one search in flight: 1 at first, another for each 32 visits. The
  /// result depends on it, but neither on the number of threads nor on the size of the batch. A
  /// search by plies has one.
  std::uint32_t leaves = 1;

  bool operator==(const SearchSettings&) const = default;
};

constexpr auto settings_of(std::type_identity<SearchSettings>) {
  using S = SearchSettings;
  // Smaller temperatures overflow.
  constexpr SettingRange kTemperature{.least = 1e-4, .most = 1000};
  return std::tuple{
      // Every text starts with the mode. Players may take it from the network's file.
      setting("mode", &S::evaluates,
              "what the network evaluates: the position; afterstates (what the moves lead to) in "
              "games that have them; moves, all at once, with dueling heads",
              {}, {.of_players = false, .in_records = Mention::kNever, .former_key = "evaluates"}),
      &S::puct,
      setting("policy-temperature", &S::policy_temperature,
              "softmax temperature of the priors in mode position", kTemperature,
              {.in_players = Mention::kAlways,
               .matters = [](const S& s) { return s.evaluates == Evaluates::kPosition; }}),
      setting("afterstate-temperature", &S::afterstate_temperature,
              "softmax temperature of the priors in modes afterstates and moves", kTemperature,
              {.in_players = Mention::kAlways}),
      &S::plies,
      setting("leaves", &S::leaves,
              "maximum number of leaves of one search in flight; more leaves make a search faster, "
              "but slightly weaker at the same number of visits",
              {.least = 1, .most = 256}),
      setting("reuse-tree", &S::reuse_tree, "keep the tree between moves", {},
              {.of_players = false, .in_records = Mention::kNever}),
  };
}

constexpr std::string_view settings_heading(std::type_identity<SearchSettings>) { return "Search"; }

/// Whether a search that exists can change this setting (Search::adjust).
constexpr bool can_adjust(std::string_view name) {
  return name != "mode" && name != "reuse-tree" && !name.starts_with("ply");
}

/// Fails if the settings contradict each other; `evaluates` is resolved.
inline Result<void> check_search(const SearchSettings& settings) {
  if (settings.plies.ply == 0 || settings.evaluates == Evaluates::kAfterstates) return {};
  return fail("ply: a search by plies values afterstates, but this network does not");
}

/// The policy temperature of players that play to win. A network learns the confidence of the
/// searches that it is trained on, and their oversights: flatter priors explore more moves (as in
/// Leela Chess Zero). Self-play keeps 1, because its visits are the training targets.
inline constexpr float kPlayersPolicyTemperature = 1.5f;

/// When a search stops: at `visits` visits of the root (including those kept from the previous
/// move), or earlier if the root's value is proven or the tree is full. 1 = expand the root only.
struct SearchBudget {
  std::uint32_t visits = 100;
  bool noise = false;
  /// The legal actions to search at the root; empty: all. Must outlive the search, whose tree is
  /// not kept.
  std::span<const Action> only = {};
};

/// Rows of a batch for this many leaves in flight: one row per leaf, or one per legal move.
constexpr std::size_t rows_in_flight(std::size_t leaves, Evaluates evaluates) {
  constexpr std::size_t kMost = 256;
  return evaluates == Evaluates::kAfterstates ? kMost : std::min(leaves, kMost);
}

}  // namespace senet
