// How self-play games are played: budgets, exploration, and when a game ends early.
#pragma once

#include <cstdint>
#include <string>

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

/// How games with these settings are played, in one short line for their records: "position,
/// 160 visits for 0.33 of the moves, else 32, c_puct 1.5, ...".
std::string settings_text(const PlaySettings& play, const SearchSettings& search);

}  // namespace senet
