// Positions of backgammon as the world writes them: GNU Backgammon's position id and the XGID.
//
// Position id: 14 letters for where the checkers stand.
//
// 80 bits: the player not on roll first, then the player on roll; for each the points 1..24 and the
// bar, on each one 1 per checker and then a 0; the rest are 0. Ten bytes, lowest bit first, in
// base64 without padding. The standard start is 4HPwATDgc/ABMA. (GNU Backgammon manual, "Technical
// description of the Position ID".)
//
// XGID: the position text of eXtreme Gammon, with all it says, the cube and the match included.
//
//   XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10
//        |                          | | | |  | | | | |
//        |                          | | | |  | | | | largest cube, as a power of two
//        |                          | | | |  | | | match length, 0 for money
//        |                          | | | |  | | rules (see Xgid)
//        |                          | | | |  | score of the player at the top
//        |                          | | | |  score of the player at the bottom
//        |                          | | | dice, 00 before the roll
//        |                          | | on roll: 1 bottom, -1 top
//        |                          | cube owner: 1 bottom, -1 top, 0 centred
//        |                          cube, as a power of two
//        26 places as the player at the bottom numbers them
//
// Places: the top player's bar, points 1..24, the bottom player's bar; A..O for 1..15 checkers of
// the bottom player, a..o for those of the top player, - for none.
#pragma once

#include <optional>
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

/// Everything an XGID says. The defaults are money play with a centred cube, before the roll.
struct Xgid {
  Checkers bottom{};  // each from its player's own side
  Checkers top{};
  bool bottom_on_roll = true;
  std::optional<Dice> dice;
  int cube_log2 = 0;
  int cube_owner = 0;  // 1 bottom, -1 top, 0 neither
  int score_bottom = 0;
  int score_top = 0;
  int rules = 0;  // money: Jacoby 1 + beavers 2; match: Crawford game 1
  int match_length = 0;
  int max_cube_log2 = 10;

  bool operator==(const Xgid&) const = default;
};

/// The text, beginning with "XGID=".
std::string xgid_text(const Xgid& xgid);

/// Reads an XGID with or without "XGID=". Fails with a reason on bad text, an impossible board (see
/// check()), or when the player on roll is asked about the cube (dice D, B or R) and not about a
/// play.
Result<Xgid> parse_xgid(std::string_view text);

}  // namespace senet::backgammon
