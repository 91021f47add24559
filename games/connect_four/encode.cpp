// What a network sees of a Connect Four position: the table is in connect_four.hpp.
#include <bit>

#include "games/connect_four/cells.hpp"
#include "games/connect_four/connect_four.hpp"

namespace senet {
using namespace connect_four;

namespace {

// Where the parts of the table begin.
constexpr std::size_t kMarks = 4 * ConnectFour::kCells;
constexpr std::size_t kFirstPlayer = kMarks + 4 * ConnectFour::kColumns;
constexpr std::size_t kOdd = kFirstPlayer + 1;
constexpr std::size_t kFilling = kOdd + ConnectFour::kColumns + 1;
constexpr std::size_t kTwos = kFilling + 4;
static_assert(kTwos + 2 * ConnectFour::kLines == ConnectFour::kFeatures);

void add_cells(FeatureRow& row, std::size_t first, std::uint64_t cells) {
  for (; cells != 0; cells &= cells - 1) {
    const auto bit = static_cast<std::size_t>(std::countr_zero(cells));
    row.add(first + bit - bit / kRight, 1.0f);
  }
}

void add_columns(FeatureRow& row, std::size_t first, std::uint64_t cells) {
  for (; cells != 0; cells &= cells - 1) {
    row.add(first + static_cast<std::size_t>(std::countr_zero(cells)) / kRight, 1.0f);
  }
}

// Which columns take an odd number of stones before a stone lies below a threat.
void add_odd_columns(FeatureRow& row, std::uint64_t landing, std::uint64_t threats) {
  std::size_t odd_columns = 0;
  for (std::size_t column = 0; column < ConnectFour::kColumns; ++column) {
    const std::uint64_t cells = kColumn << (kRight * static_cast<int>(column));
    const std::uint64_t bottom = landing & cells;
    // Cells from the landing one up, without those from the lowest one below a threat up.
    const std::uint64_t above = cells & ~(bottom - 1), stop = first_of(above & (threats >> kUp));
    if (std::popcount(above & (stop - 1)) % 2 == 0) continue;
    row.add(kOdd + column, 1.0f);
    ++odd_columns;
  }
  if (odd_columns % 2 == 1) row.add(kOdd + ConnectFour::kColumns, 1.0f);
}

void add_winner(FeatureRow& row, std::size_t first, int winner) {
  if (winner != 0) row.add(first + (winner > 0 ? 0 : 1), 1.0f);
}

// Lines of one direction, which lie `rows` high from the row `lowest` in each column.
struct Direction {
  int step;
  std::size_t columns, lowest, rows;
};
constexpr Direction kDirections[] = {
    {kUp, 7, 0, 3}, {kRight, 4, 0, 6}, {kDownRight, 4, 3, 3}, {kUpRight, 4, 0, 3}};

void add_twos(FeatureRow& row, std::size_t first, std::uint64_t stones, std::uint64_t others) {
  for (const Direction& direction : kDirections) {
    std::uint64_t lines = lines_of_two(stones, others, direction.step);
    for (; lines != 0; lines &= lines - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(lines));
      row.add(first + bit / kRight * direction.rows + bit % kRight - direction.lowest, 1.0f);
    }
    first += direction.columns * direction.rows;
  }
}

}  // namespace

void ConnectFour::encode(FeatureRow& row) const {
  const std::uint64_t all = occupied(), landing = landing_cells(all) & kBoard;
  const Stones by_player = stones();
  const std::uint64_t mine = by_player[viewer()], theirs = by_player[other(viewer())];
  const std::uint64_t my_threats = threats(mine, all), their_threats = threats(theirs, all);
  add_cells(row, 0, mine);
  add_cells(row, kCells, theirs);
  add_cells(row, 2 * kCells, my_threats);
  add_cells(row, 3 * kCells, their_threats);
  const std::uint64_t after_landing = landing << kUp;
  add_columns(row, kMarks, my_threats & landing);
  add_columns(row, kMarks + kColumns, their_threats & landing);
  add_columns(row, kMarks + 2 * kColumns, my_threats & after_landing);
  add_columns(row, kMarks + 3 * kColumns, their_threats & after_landing);
  if (viewer() == 0) row.add(kFirstPlayer, 1.0f);
  add_odd_columns(row, landing, my_threats | their_threats);
  add_winner(row, kFilling, filling_up(landing, my_threats, their_threats));
  add_winner(row, kFilling + 2, -filling_up(landing, their_threats, my_threats));
  add_twos(row, kTwos, mine, theirs);
  add_twos(row, kTwos + kLines, theirs, mine);
}

}  // namespace senet
