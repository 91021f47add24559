// What GNU Backgammon's own console says to a list of decisions: its legal plays, told by its own
// generator, and its position ids, which its `external` interface does not tell.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "games/backgammon/backgammon.hpp"
#include "senet/result.hpp"
#include "tools/referee/games/backgammon/gnubg.hpp"

namespace senet {

/// What it says to one decision.
struct ConsoleAnswer {
  std::string id;                     // its position id of the board it was told in numbers
  backgammon::SignedPoints points{};  // its reading of our position id
  std::vector<std::string> plays;     // all legal plays in its own words, its best first
  std::vector<std::string> values;    // what it says of each: equity and probabilities, 0-ply
};

/// Which of its two players is on roll. It tells `points` from the side of player 1.
enum class ConsoleSide { kPlayer0, kPlayer1 };

/// Its answers, in order. Every state is a decision. Several processes share the work, because the
/// console sleeps between commands. Fails when it cannot be asked or says too little.
Result<std::vector<ConsoleAnswer>> ask_gnubg_console(std::span<const Backgammon> states,
                                                     ConsoleSide side = ConsoleSide::kPlayer1);

}  // namespace senet
