// A game in a shared object: senet_exported_game of senet/game_table.h.
#pragma once

#include <memory>
#include <string>

#include "engine/host/table_game.hpp"
#include "senet/result.hpp"

namespace senet {

/// A shared object's game. Its code stays loaded as long as this exists.
struct GameObject {
  struct Unload {
    void operator()(void* code) const;
  };
  std::string file;
  std::unique_ptr<void, Unload> code;
  GameTable table;     // whose functions are in `code`
  std::string recipe;  // lines of a name and a value

  /// Loads a shared object, and its game after check_table(). Fails when the file is missing or
  /// cannot be loaded, exports no game or one of another version, or when the game breaks a rule of
  /// the table. Every error begins with the file's name. Throws what the game's functions throw.
  static Result<GameObject> open(const std::string& file);
};

}  // namespace senet
