#include "games/grid.hpp"

#include <fmt/core.h>

#include <utility>

#include "games/fields.hpp"

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
  const std::vector<std::string_view> rows = split(text, "/");
  if (std::cmp_greater(rows.size(), shape.rows)) {
    return fail(fmt::format("the board has more than {} rows", shape.rows));
  }
  if (std::cmp_less(rows.size(), shape.rows)) {
    return fail(fmt::format("the board has {} rows, not {}", rows.size(), shape.rows));
  }
  Stones stones{};
  int row = shape.rows;
  for (const std::string_view cells : rows) {
    --row;
    int column = 0;
    for (const char c : cells) {
      const bool is_run = c >= '1' && c <= '9';
      if (!is_run && c != 'X' && c != 'O') {
        return fail(fmt::format("'{}' is not X, O, / or a digit 1 .. 9 for empty cells", c));
      }
      const int width = is_run ? c - '0' : 1;
      if (column + width > shape.columns) {
        return fail(fmt::format("row {} has more than {} cells", row + 1, shape.columns));
      }
      if (!is_run) stones[c == 'X' ? 0 : 1] |= shape.cell(column, row);
      column += width;
    }
    if (column != shape.columns) {
      return fail(fmt::format("row {} has {} cells, not {}", row + 1, column, shape.columns));
    }
  }
  return stones;
}

std::vector<std::string> grid_drawing(std::string_view text, std::string_view columns,
                                      bool has_row_numbers) {
  std::vector<std::string> lines;
  const std::vector<std::string_view> rows = split(text, "/");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string& line = lines.emplace_back();
    for (const char c : rows[i]) {
      const bool is_run = c >= '0' && c <= '9';
      for (int k = 0; k < (is_run ? c - '0' : 1); ++k) line.append({' ', is_run ? '.' : c});
    }
    if (has_row_numbers) line += "  " + std::to_string(rows.size() - i);
  }
  lines.emplace_back();
  for (const char c : columns) lines.back().append({' ', c});
  return lines;
}

}  // namespace senet
