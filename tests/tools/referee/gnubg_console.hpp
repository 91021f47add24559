// Uses GNU Backgammon's console to get its legal plays, from its own move generator, and its
// position ids. Its `external` interface provides neither.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "games/backgammon/backgammon.hpp"
#include "senet/result.hpp"
#include "tools/referee/games/backgammon/gnubg.hpp"

namespace senet {

/// gnubg's answer to one decision.
struct ConsoleAnswer {
  std::string id;                     // its position id of the board, which we send as numbers
  backgammon::SignedPoints points{};  // the board that it reads from our position id
  std::vector<std::string> plays;     // all legal plays in its notation, the best first
  std::vector<std::string> values;    // equity and probabilities of each play, 0-ply
};

/// Which of gnubg's two players is on roll. `points` is always from the perspective of player 1.
enum class ConsoleSide { kPlayer0, kPlayer1 };

/// Returns the answers in the order of `states`, all of which are decisions. Uses several
/// processes, because the console sleeps between commands. Fails when gnubg cannot be used or an
/// answer is missing.
Result<std::vector<ConsoleAnswer>> ask_gnubg_console(std::span<const Backgammon> states,
                                                     ConsoleSide side = ConsoleSide::kPlayer1);

}  // namespace senet
