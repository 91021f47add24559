#include "games/registry.hpp"

#include <string>

namespace senet {

Error unknown_game(std::string_view name) {
  std::string known;
  for (const std::string_view game : game_names()) {
    known.append(known.empty() ? "" : ", ").append(game);
  }
  return fail("unknown game \"" + std::string(name) + "\"; known games: " + known);
}

}  // namespace senet
