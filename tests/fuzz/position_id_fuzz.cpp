// Any text as a GNU position id.
#include "games/backgammon/board.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace senet;
  using namespace senet::backgammon;
  const Result<Board> board = board_from_position_id(text_of(data, size));
  if (!board) return 0;
  promise(check(*board).has_value(), "an accepted board is valid");
  promise(position_id(*board).size() == kPositionIdLength, "an id has the fixed length");
  promise(board_from_position_id(position_id(*board)) == *board, "boards round-trip through ids");
  return 0;
}
