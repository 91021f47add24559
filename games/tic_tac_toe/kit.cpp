#include "games/tic_tac_toe/kit.hpp"

#include "games/grid_drawing.hpp"

namespace senet {

std::vector<std::string> GameKit<TicTacToe>::drawing(const TicTacToe& state) {
  return grid_drawing(state.text(), "abc", /*has_row_numbers=*/true);
}

}  // namespace senet
