#include "games/grid_drawing.hpp"

namespace senet {

std::vector<std::string> grid_drawing(std::string_view text, std::string_view columns,
                                      bool has_row_numbers) {
  // Rows from the top, parted by slashes; digits stand for empty cells.
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '/') {
      lines.emplace_back();
    } else if (c >= '0' && c <= '9') {
      for (int i = 0; i < c - '0'; ++i) lines.back() += " .";
    } else {
      lines.back().append({' ', c});
    }
  }
  if (has_row_numbers) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      lines[i] += "  " + std::to_string(lines.size() - i);
    }
  }
  lines.emplace_back();
  for (const char c : columns) lines.back().append({' ', c});
  return lines;
}

}  // namespace senet
