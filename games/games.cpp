#include "games/games.hpp"

#include <string>
#include <utility>

namespace senet {

Games::Games() {
  for (const AnyGame* const game : all_games<AnyGame>()) games_.push_back(game);
}

Result<void> Games::add(std::unique_ptr<const OwnTables> game) {
  const std::string_view name = game->game().name;
  if (find(name)) return fail("there is already a game \"" + std::string(name) + "\"");
  games_.push_back(&game->game());
  own_.push_back(std::move(game));
  return {};
}

Result<const AnyGame*> Games::find(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const AnyGame* const game : games_) {
    if (game->name == name) return game;
    names.push_back(game->name);
  }
  return fail(unknown_game(name, names).reason() + " (--game-library FILE adds another)");
}

}  // namespace senet
