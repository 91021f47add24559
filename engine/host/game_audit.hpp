// Whether a host's table of functions is a game: its numbers, and what it says while it is played.
#pragma once

#include "engine/host/table_game.hpp"
#include "senet/result.hpp"

namespace senet {

/// Checks the table's numbers, then plays some games at random with it, always the same, as
/// senet/check_game.hpp does; its functions work in memory that shows what they overwrite.
/// SENET_BAD_ARGUMENT names the first thing that cannot be, the function at fault and the position.
Result<void> check_table(const GameTable& table);

}  // namespace senet
