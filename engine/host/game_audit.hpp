// Whether a host's table of functions is a game: its numbers, and what it says while it is played.
#pragma once

#include "engine/host/table_game.hpp"
#include "senet/result.hpp"

namespace senet {

/// Checks the table and plays some games at random with it, always the same. kBadArgument names the
/// first thing that cannot be, and the position where it was seen.
Result<void> check_table(const GameTable& table);

}  // namespace senet
