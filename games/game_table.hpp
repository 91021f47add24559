// What a layer knows of a game, once for each game.
#pragma once

namespace senet {

/// Whether G is a game of the list in games/CMakeLists.txt: games/list/NAME.hpp says so, which the
/// game's own header includes.
template <class G>
inline constexpr bool kIsListed = false;

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

}  // namespace senet
