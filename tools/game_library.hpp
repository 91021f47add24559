// Games from shared objects: `senet --game-library FILE`.
#pragma once

#include <vector>

#include "games/games.hpp"
#include "senet/result.hpp"

namespace senet {

/// Takes every "--game-library FILE" and "--game-library=FILE" out of a program's arguments, loads
/// the games that these shared objects export (senet_game_library in senet/game_table.h), checks
/// them, and adds them in their order. Their code stays loaded as long as `games` lives. Fails when
/// a file is missing or cannot be loaded, exports no game or one of another version, or when a game
/// breaks a rule of the table or has the name of another.
Result<void> add_game_libraries(Games& games, std::vector<const char*>& arguments);

}  // namespace senet
