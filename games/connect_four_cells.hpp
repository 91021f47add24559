// Sets of Connect Four cells in one word, as ConnectFour holds them: lines, threats, where stones
// land.
#pragma once

#include <cstdint>

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

/// Where the next stones land, one bit a column: a full column's bit is in the seventh row.
constexpr std::uint64_t landing_cells(std::uint64_t occupied) { return occupied + kBottom; }

/// The same for one column: no bit when it is full.
constexpr std::uint64_t landing_cell(std::uint64_t occupied, unsigned column) {
  return landing_cells(occupied) & (kColumn << (kRight * static_cast<int>(column)));
}

/// Whether these stones hold four in a line.
constexpr bool has_four(std::uint64_t stones) {
  std::uint64_t found = 0;
  for (const int step : {kUp, kRight, kDownRight, kUpRight}) {
    const std::uint64_t pairs = stones & (stones >> step);
    found |= pairs & (pairs >> 2 * step);
  }
  return found != 0;
}

/// The empty cells where one more of these stones makes four, in reach or not. Along a row or a
/// diagonal the missing stone may be any of the four, in a column only the top one.
constexpr std::uint64_t threats(std::uint64_t stones, std::uint64_t occupied) {
  std::uint64_t found = (stones << 1) & (stones << 2) & (stones << 3);
  for (const int step : {kRight, kDownRight, kUpRight}) {
    const std::uint64_t two_before = (stones << step) & (stones << 2 * step);
    const std::uint64_t two_after = (stones >> step) & (stones >> 2 * step);
    found |= two_before & ((stones << 3 * step) | (stones >> step));
    found |= two_after & ((stones >> 3 * step) | (stones << step));
  }
  return found & kBoard & ~occupied;
}

/// Left and right exchanged.
constexpr std::uint64_t mirror_board(std::uint64_t board) {
  std::uint64_t mirror = 0;
  for (int column = 0; column < 7; ++column) {
    mirror = (mirror << kRight) | ((board >> (kRight * column)) & kColumn);
  }
  return mirror;
}

}  // namespace senet::connect_four
