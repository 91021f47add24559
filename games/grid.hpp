// What the games of two colours of stones on a grid share: their notation, their drawing, and which
// boards are possible.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "senet/result.hpp"

namespace senet {

/// One bitboard a player; the first player's stones are written X, the second's O.
using Stones = std::array<std::uint64_t, 2>;

/// How a grid lies in a bitboard: the cell at (column, row), row 0 at the bottom, is bit
/// column * column_stride + row * row_stride.
struct GridShape {
  int columns;
  int rows;
  int column_stride;
  int row_stride;

  constexpr std::uint64_t cell(int column, int row) const {
    return std::uint64_t{1} << (column * column_stride + row * row_stride);
  }
};

/// The board as one word, rows from the top, separated by slashes; a digit stands for that many
/// empty cells (as in chess's FEN): "7/7/7/7/3X3/2OX3".
std::string grid_text(const GridShape& shape, const Stones& stones);

/// Reads what grid_text writes. Fails on a board of another shape or with other characters.
Result<Stones> grid_from_text(const GridShape& shape, std::string_view text);

/// Draws what grid_text() writes for people, a line a row, with the columns' names, a character
/// each, below and, if wanted, the rows' numbers beside it.
std::vector<std::string> grid_drawing(std::string_view text, std::string_view columns,
                                      bool has_row_numbers);

/// Why no game that ends with the first line can lead to this board, or "" when none of the simple
/// reasons holds: numbers of stones, lines of both colours, a line of the player to move, or lines
/// that no single last stone can have made.
///   `has_line(board)`  whether one player's stones hold a winning line
///   `removable`        the cells whose stone can have been the last one played
template <class HasLine>
std::string_view impossible_because(const Stones& stones, std::uint64_t removable,
                                    HasLine has_line) {
  const int first = std::popcount(stones[0]), second = std::popcount(stones[1]);
  if (first != second && first != second + 1) return "X must have as many stones as O, or one more";
  const int last_mover = first == second ? 1 : 0;
  if (has_line(stones[1 - last_mover])) {
    return last_mover == 0 ? "O has a line, but X moved after it"
                           : "X has a line, but O moved after it";
  }
  if (!has_line(stones[last_mover])) return "";
  for (std::uint64_t rest = stones[last_mover] & removable; rest != 0; rest &= rest - 1) {
    if (!has_line(stones[last_mover] & ~(rest & -rest))) return "";
  }
  return "no single last stone can have made its lines";
}

}  // namespace senet
