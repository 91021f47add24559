// Games from shared objects: `senet --game-library FILE`.
#pragma once

#include <string>
#include <vector>

#include "games/games.hpp"
#include "senet/result.hpp"

namespace senet {

/// Loads the game that a shared object exports (senet_game_library in senet/game_table.h), checks
/// it, and adds it. Its code stays loaded as long as `games` lives. Fails when the file cannot be
/// loaded, exports no game or one of another version, or when the game breaks a rule of the table.
Result<void> add_game_library(Games& games, const std::string& file);

/// Takes every "--game-library FILE" and "--game-library=FILE" out of a program's arguments and
/// adds these games in their order. Fails when add_game_library() does, and when a file is missing.
Result<void> add_game_libraries(Games& games, std::vector<const char*>& arguments);

}  // namespace senet
