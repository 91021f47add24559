// The board of a game on a grid, for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace senet {

/// Draws what grid_text() writes (games/grid.hpp), a line a row, with the columns' names, a
/// character each, below and, if wanted, the rows' numbers beside it.
std::vector<std::string> grid_drawing(std::string_view text, std::string_view columns,
                                      bool has_row_numbers);

}  // namespace senet
