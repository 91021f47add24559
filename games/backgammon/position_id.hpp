// GNU Backgammon's position id: 14 letters for where the checkers stand.
//
// 80 bits: the player not on roll first, then the player on roll; for each the points 1..24 and the
// bar, on each one 1 per checker and then a 0; the rest are 0. Ten bytes, lowest bit first, in
// base64 without padding. The standard start is 4HPwATDgc/ABMA. (GNU Backgammon manual, "Technical
// description of the Position ID".)
#pragma once

#include <string>
#include <string_view>

#include "games/backgammon/board.hpp"
#include "senet/result.hpp"

namespace senet::backgammon {

inline constexpr std::string_view kStartPositionId = "4HPwATDgc/ABMA";
inline constexpr std::size_t kPositionIdLength = 14;

/// The id of a valid board.
std::string position_id(const Board& board);

/// The board of an id. Fails with a reason when the text is no id or its board is not possible (see
/// check()).
Result<Board> board_from_position_id(std::string_view text);

}  // namespace senet::backgammon
