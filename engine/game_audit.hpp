// Whether a host's table of functions is a game: its numbers, and what it says while it is played.
#pragma once

#include "engine/failure.hpp"
#include "engine/table_game.hpp"

namespace senet {

/// Checks the table and plays some games at random with it, always the same. kBadArgument names the
/// first thing that cannot be, and the position where it was seen.
Outcome<void> check_table(const GameTable& table);

}  // namespace senet
