// The games of this build by their names: a table of functions for each, so that only the files
// that CMake makes for a game (games/senet_game.cmake) know its type.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "games/list.hpp"
#include "games/names.hpp"
#include "senet/result.hpp"

namespace senet {

/// The names of all games, in the order of the list.
constexpr std::span<const std::string_view> game_names() { return kGameNames; }

/// Whether G is a game of the list.
template <class G>
inline constexpr bool kIsListed = []<class... Listed>(GameList<Listed...>) {
  return (std::is_same_v<G, Listed> || ...);
}(AllGames{});

/// What a layer knows of the game G. A table is a plain struct of constants and pointers to
/// functions with a `template <Game G> static Table of()`. For each game of the list one
/// source file, which CMake makes, defines this function. The table lives as long as the program.
template <class Table, class G>
requires kIsListed<G>
const Table& game_table();
/// The table of any other game is made where it is asked for: by whatever sees Table::of<G>().
template <class Table, class G>
requires(!kIsListed<G>) const Table& game_table() {
  static const Table kTable = Table::template of<G>();
  return kTable;
}

/// The tables of all games of the list, in its order.
template <class Table>
auto all_games() {
  return []<class... G>(GameList<G...>) {
    return std::array<const Table*, sizeof...(G)>{&game_table<Table, G>()...};
  }(AllGames{});
}

/// Says that there is no game of this name, and which there are.
inline Error unknown_game(std::string_view name) {
  return fail("unknown game \"" + std::string(name) + "\"; known games: " + joined(kGameNames));
}

/// The table of the game of this name, never null; unknown_game() when there is none.
template <class Table>
Result<const Table*> find_game(std::string_view name) {
  for (std::size_t i = 0; i < kGameNames.size(); ++i) {
    if (kGameNames[i] == name) return all_games<Table>()[i];
  }
  return unknown_game(name);
}

}  // namespace senet
