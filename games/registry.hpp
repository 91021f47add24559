// The games of this build by their names: a table of functions for each, so that only the files
// that CMake makes for a game (games/senet_game.cmake) know its type.
#pragma once

#include <cstddef>
#include <ranges>
#include <span>
#include <string>
#include <string_view>

#include "games/game_table.hpp"
#include "games/names.hpp"
#include "senet/result.hpp"

namespace senet {

/// The names of all games, in the order of the list.
std::span<const std::string_view> game_names();

/// The functions game_table<Table, G>() of all games of the list, in its order. Defined for each
/// kind of table by a source file that CMake makes.
template <class Table>
using TableOf = const Table& (*)();
template <class Table>
std::span<const TableOf<Table>> game_tables();

/// The tables themselves, as pointers: a view.
template <class Table>
auto all_games() {
  return game_tables<Table>() |
         std::views::transform([](TableOf<Table> table) { return &table(); });
}

/// Says that there is no game of this name, and which there are.
inline Error unknown_game(std::string_view name) {
  return fail("unknown game \"" + std::string(name) + "\"; known games: " + joined(game_names()));
}

/// The table of the game of this name, never null; unknown_game() when there is none.
template <class Table>
Result<const Table*> find_game(std::string_view name) {
  const std::span<const std::string_view> names = game_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return &game_tables<Table>()[i]();
  }
  return unknown_game(name);
}

}  // namespace senet
