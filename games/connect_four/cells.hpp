// Sets of Connect Four cells as bitboards in ConnectFour's layout: lines, threats, and the cells
// where stones land.
#pragma once

#include <cstdint>
#include <utility>

namespace senet::connect_four {

/// Distance in bits between neighbours: up, right, and the two diagonals.
inline constexpr int kUp = 1, kRight = 7, kDownRight = 6, kUpRight = 8;

inline constexpr std::uint64_t kColumn = 0x3f;  // the six cells of the first column

/// One copy of `cells` (of the first column) in every column.
constexpr std::uint64_t in_every_column(std::uint64_t cells) {
  std::uint64_t board = 0;
  for (int column = 0; column < 7; ++column) board |= cells << (kRight * column);
  return board;
}
inline constexpr std::uint64_t kBottom = in_every_column(1);
inline constexpr std::uint64_t kBoard = in_every_column(kColumn);

/// The cells where the next stones land, one bit per column. A full column's bit is in the seventh
/// row.
constexpr std::uint64_t landing_cells(std::uint64_t occupied) { return occupied + kBottom; }

/// The same for one column; empty when it is full.
constexpr std::uint64_t landing_cell(std::uint64_t occupied, unsigned column) {
  return landing_cells(occupied) & (kColumn << (kRight * static_cast<int>(column)));
}

/// Whether these stones contain four in a line.
constexpr bool has_four(std::uint64_t stones) {
  std::uint64_t found = 0;
  for (const int step : {kUp, kRight, kDownRight, kUpRight}) {
    const std::uint64_t pairs = stones & (stones >> step);
    found |= pairs & (pairs >> 2 * step);
  }
  return found != 0;
}

/// A set of cells for each player, in one register.
using CellsOfBoth = std::uint64_t __attribute__((vector_size(16)));

/// The empty cells where one more of these stones completes four, whether or not a stone can land
/// there now; of one player or of both. In a row or diagonal the missing stone may be any of the
/// four, in a column only the top one.
template <class Cells>
constexpr Cells threats(Cells stones, std::uint64_t occupied) {
  Cells found = (stones << 1) & (stones << 2) & (stones << 3);
  for (const int step : {kRight, kDownRight, kUpRight}) {
    const Cells pairs = stones & (stones << step);  // the second stones of two in a row
    found |= (pairs << step) & ((stones << 3 * step) | (stones >> step));
    found |= (pairs >> 2 * step) & ((stones >> 3 * step) | (stones << step));
  }
  return found & (kBoard & ~occupied);
}

/// The landing cells where a stone does not lose immediately: it blocks an immediate threat if
/// there is one, and it is not directly below a threat. Empty when every stone loses.
constexpr std::uint64_t safe_cells(std::uint64_t landing, std::uint64_t their_threats) {
  const std::uint64_t blocks = landing & their_threats;
  if ((blocks & (blocks - 1)) != 0) return 0;
  return (blocks != 0 ? blocks : landing) & ~(their_threats >> kUp);
}

/// The lowest of these cells in the leftmost column that contains any.
constexpr std::uint64_t first_of(std::uint64_t cells) { return cells & (0 - cells); }

/// Whether the number of cells is odd. Not std::popcount(), which is a function call without the
/// instruction for it: this is part of every position's features.
constexpr bool is_odd(std::uint64_t cells) {
  for (const int half : {32, 16, 8, 4, 2, 1}) cells ^= cells >> half;
  return (cells & 1) != 0;
}

/// The winner if the board fills up without new threats. Both players first play cells that are
/// below no threat, then cells whose only cost is one of their threats, then cells that they are
/// forced to play (the zugzwang that Allis, A Knowledge-based Approach of Connect-Four, 1988,
/// counts by odd and even rows). `mine` are the threats of the player to move, `theirs` the other
/// player's, `landing` the landing cells. 1: the player to move wins, -1: the other player wins, 0:
/// neither.
constexpr int filling_up(std::uint64_t landing, std::uint64_t mine, std::uint64_t theirs) {
  constexpr std::uint64_t kSeventh = kBottom << 6;  // above each column
  for (int mover = 1; landing != 0; mover = -mover) {
    if ((landing & mine) != 0) return mover;
    if ((landing & theirs) == 0) {
      // Each column fills up to its lowest cell below a threat, in whichever order, so all of them
      // at once. With a bit in every column, a subtraction stays inside the columns.
      const std::uint64_t empty = (kSeventh - landing) & kBoard;
      const std::uint64_t stops = (((mine | theirs) >> kUp) & empty) | kSeventh;
      const std::uint64_t lowest = stops & ~(stops - kBottom);
      if (is_odd(empty & (lowest - kBottom))) {
        mover = -mover;
        std::swap(mine, theirs);
      }
      landing = lowest & kBoard;
      if (landing == 0) return 0;
    }
    const std::uint64_t safe = safe_cells(landing, theirs);
    if (safe == 0) return -mover;
    const std::uint64_t harmless = safe & ~(mine >> kUp);
    const std::uint64_t stone = first_of(harmless != 0 ? harmless : safe);
    landing = (landing ^ stone) | ((stone << kUp) & kBoard);
    std::swap(mine, theirs);
  }
  return 0;
}

/// The lines of four in one direction that contain exactly two stones of one player and none of the
/// other, for both players. Each line is represented by its first cell along `step`.
inline CellsOfBoth lines_of_two(CellsOfBoth stones, int step) {
  const auto at = [step](auto cells, int place) { return cells >> (place * step); };
  const CellsOfBoth one = stones, two = at(stones, 1), three = at(stones, 2), four = at(stones, 3);
  const CellsOfBoth first_any = one | two, second_any = three | four;
  const CellsOfBoth pairs =
      ((one & two) & ~second_any) | ((three & four) & ~first_any) | ((one ^ two) & (three ^ four));
  const std::uint64_t inside = kBoard & at(kBoard, 1) & at(kBoard, 2) & at(kBoard, 3);
  const CellsOfBoth any = first_any | second_any;
  return pairs & inside & ~__builtin_shufflevector(any, any, 1, 0);
}

/// Swaps left and right in all seven rows.
constexpr std::uint64_t mirror_board(std::uint64_t board) {
  std::uint64_t mirror = 0;
  for (int column = 0; column < 7; ++column) {
    mirror = (mirror << kRight) | ((board >> (kRight * column)) & 0x7f);
  }
  return mirror;
}

}  // namespace senet::connect_four
