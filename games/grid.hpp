// Shared code of games with two colours of stones on a grid: notation, drawing, and a check of
// which boards are possible.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "senet/result.hpp"

namespace senet {

/// One bitboard per player; the first player's stones are written X, the second's O.
using Stones = std::array<std::uint64_t, 2>;

/// The layout of a grid in a bitboard: the cell at (column, row), row 0 at the bottom, is bit
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

/// The board as one word, rows from the top, separated by slashes; a digit is a number of empty
/// cells (as in chess's FEN): "7/7/7/7/3X3/2OX3".
std::string grid_text(const GridShape& shape, const Stones& stones);

/// Reads the output of grid_text(). Fails on a board of another shape or with other characters.
Result<Stones> grid_from_text(const GridShape& shape, std::string_view text);

/// Draws the board that `text` describes (as grid_text() writes it) for people: one line per row,
/// the columns' names, one character each, below it, and optionally row numbers to its right.
std::vector<std::string> grid_drawing(std::string_view text, std::string_view columns,
                                      bool has_row_numbers);

/// Why this board cannot arise in a game that ends with the first winning line, or "" when none of
/// the simple reasons applies: the numbers of stones, lines of both colours, a line of the player
/// to move, or lines that no single last stone can have completed.
///   `has_line(board)`  whether one player's stones contain a winning line
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
  return "no single last stone can have completed all lines";
}

}  // namespace senet
