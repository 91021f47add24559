#include "games/connect_four/connect_four.hpp"

#include <fmt/core.h>

#include <bit>
#include <cassert>

#include "games/connect_four/cells.hpp"
#include "games/grid.hpp"

namespace senet {
using namespace connect_four;

namespace {

constexpr GridShape kShape{.columns = 7, .rows = 6, .column_stride = kRight, .row_stride = kUp};

// Offsets of the groups of features listed in connect_four.hpp.
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

// Adds the columns that take an odd number of stones before a stone is below a threat.
void add_odd_columns(FeatureRow& row, std::uint64_t landing, std::uint64_t threats) {
  std::size_t odd_columns = 0;
  for (std::size_t column = 0; column < ConnectFour::kColumns; ++column) {
    const std::uint64_t cells = kColumn << (kRight * static_cast<int>(column));
    const std::uint64_t bottom = landing & cells;
    // The cells from the landing cell up to, but not including, the lowest cell below a threat.
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

// The lines of one direction start in the first `columns` columns, in `rows` rows from row
// `lowest`.
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

void ConnectFour::legal(ActionList<kMaxLegal>& out) const {
  for (Action column = 0; column < kColumns; ++column) {
    if (landing_cell(occupied(), column) != 0) out.push_back(column);
  }
}

ConnectFour ConnectFour::of(const Stones& stones) {
  ConnectFour state;
  const auto plies = static_cast<std::uint64_t>(std::popcount(stones[0] | stones[1]));
  state.first_ = stones[0] | plies * kPly;
  state.second_ = stones[1];
  if (plies == kCells || has_four(stones[other(state.viewer())])) state.first_ |= kOver;
  return state;
}

std::uint8_t ConnectFour::outcome() const {
  assert(turn() == Turn::kOver);
  const Stones by_player = stones();
  return has_four(by_player[0]) ? 0 : has_four(by_player[1]) ? 2 : 1;
}

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

std::string ConnectFour::text() const { return grid_text(kShape, stones()); }

Result<ConnectFour> ConnectFour::from_text(std::string_view text) {
  ConnectFour state;
  if (text == "startpos") return state;
  const auto refuse = [text](std::string_view reason) {
    return fail(fmt::format("connect_four position \"{}\": {}", text, reason));
  };
  if (text.find('/') != std::string_view::npos) {
    const Result<Stones> stones = grid_from_text(kShape, text);
    if (!stones) return refuse(stones.error().reason());
    // A cell is supported when it is at the bottom or the cell below it is occupied.
    const std::uint64_t all = (*stones)[0] | (*stones)[1];
    if ((all & ~((all << kUp) | kBottom)) != 0) return refuse("a stone floats above an empty cell");
    const std::uint64_t tops = all & ~(all >> kUp);
    const std::string_view reason = impossible_because(*stones, tops, has_four);
    if (!reason.empty()) return refuse(reason);
    return of(*stones);
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const Result<Action> action = state.action_from_text(text.substr(i, 1));
    if (!action) return refuse(fmt::format("move {}: {}", i + 1, action.error().reason()));
    state.play(*action);
  }
  return state;
}

std::string ConnectFour::action_text(Action action) const {
  return {static_cast<char>('1' + action)};
}

Result<Action> ConnectFour::action_from_text(std::string_view text) const {
  if (text.size() != 1 || text[0] < '1' || text[0] > '7') {
    return fail(fmt::format("\"{}\" is not a column 1 .. 7", text));
  }
  if (turn() == Turn::kOver) return fail(fmt::format("column {}: the game is over", text));
  const auto action = static_cast<Action>(text[0] - '1');
  if (landing_cell(occupied(), action) == 0) return fail(fmt::format("column {} is full", text));
  return action;
}

ConnectFour ConnectFour::mirrored() const {
  const Stones by_player = stones();
  return of({mirror_board(by_player[0]), mirror_board(by_player[1])});
}

}  // namespace senet
