#include "games/grid.hpp"

#include <fmt/core.h>

namespace senet {

std::string grid_text(const GridShape& shape, const Stones& stones) {
  std::string text;
  for (int row = shape.rows - 1; row >= 0; --row) {
    int empty = 0;
    const auto flush = [&] {
      if (empty > 0) text += static_cast<char>('0' + empty);
      empty = 0;
    };
    for (int column = 0; column < shape.columns; ++column) {
      const std::uint64_t cell = shape.cell(column, row);
      if (((stones[0] | stones[1]) & cell) == 0) {
        ++empty;
        continue;
      }
      flush();
      text += (stones[0] & cell) != 0 ? 'X' : 'O';
    }
    flush();
    if (row > 0) text += '/';
  }
  return text;
}

Result<Stones> grid_from_text(const GridShape& shape, std::string_view text) {
  Stones stones{};
  int row = shape.rows - 1, column = 0;
  for (const char c : text) {
    if (c == '/') {
      if (column != shape.columns) {
        return fail(fmt::format("row {} has {} cells, not {}", row + 1, column, shape.columns));
      }
      if (--row < 0) return fail(fmt::format("the board has more than {} rows", shape.rows));
      column = 0;
      continue;
    }
    const bool is_run = c >= '1' && c <= '9';
    if (!is_run && c != 'X' && c != 'O') {
      return fail(fmt::format("'{}' is neither X, O, a number of empty cells nor /", c));
    }
    const int width = is_run ? c - '0' : 1;
    if (column + width > shape.columns) {
      return fail(fmt::format("row {} has more than {} cells", row + 1, shape.columns));
    }
    if (!is_run) stones[c == 'X' ? 0 : 1] |= shape.cell(column, row);
    column += width;
  }
  if (row != 0)
    return fail(fmt::format("the board has {} rows, not {}", shape.rows - row, shape.rows));
  if (column != shape.columns) {
    return fail(fmt::format("row 1 has {} cells, not {}", column, shape.columns));
  }
  return stones;
}

}  // namespace senet
