// The games of this build by name. Each has tables of functions, so that only the files that CMake
// generates for a game (games/senet_game.cmake) depend on its type.
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

/// The functions game_table<Table, G>() of all listed games, in the order of the list. CMake
/// generates the source file that defines this for each kind of table.
template <class Table>
using TableOf = const Table& (*)();
template <class Table>
std::span<const TableOf<Table>> game_tables();

/// A view of pointers to the tables of all games, in the order of the list.
template <class Table>
auto all_games() {
  return game_tables<Table>() |
         std::views::transform([](TableOf<Table> table) { return &table(); });
}

/// The error for an unknown name. It lists the known games.
inline Error unknown_game(std::string_view name,
                          std::span<const std::string_view> known = game_names()) {
  return fail("unknown game \"" + std::string(name) + "\"; known games: " + joined(known));
}

/// The table of the game with this name, never null. Fails with unknown_game().
template <class Table>
Result<const Table*> find_game(std::string_view name) {
  const std::span<const std::string_view> names = game_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return &game_tables<Table>()[i]();
  }
  return unknown_game(name);
}

}  // namespace senet
