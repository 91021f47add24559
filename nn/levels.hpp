// Levels of strength: how a network is played below its full strength.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "senet/result.hpp"

namespace senet {

/// One level of strength of one network. `senet ladder` finds levels by matches between neighbours
/// and stores them in the network's file.
struct Level {
  std::uint32_t visits;   // of each search, at least 1
  float temperature = 0;  // of draw_at_level() (search/decision.hpp); 0: plays the best move
  float most_loss = 0;    // of a move that it draws, in the game's points
  float rating = 0;       // in Elo; uniformly random moves are rated 0

  bool operator==(const Level&) const = default;
};

/// Maximum number of levels of a network.
inline constexpr std::size_t kMaxLevels = 100;

/// The levels as text, the weakest first: "VISITS TEMPERATURE LOSS RATING, ...". read_levels()
/// reads it back without loss. An error names the level that is malformed or not stronger than the
/// one before it.
std::string levels_text(std::span<const Level> levels);
Result<std::vector<Level>> read_levels(std::string_view text);

}  // namespace senet
