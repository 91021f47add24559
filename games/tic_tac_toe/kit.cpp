// The kit of tic-tac-toe.
#include "games/kit.hpp"
#include "games/grid.hpp"
#include "games/tic_tac_toe/tic_tac_toe.hpp"

namespace senet {
namespace {

constexpr auto kRecipe = std::to_array<RecipeEntry>({{"width", "32"},
                                                     {"blocks", "1"},
                                                     {"visits", "50"},
                                                     {"fast-visits", "50"},
                                                     {"temperature-plies", "4"},
                                                     {"begin-after", "500"},
                                                     {"window-minimum", "5000"}});

// The centre is best, then the corners.
int place_worth(Action cell) { return cell == 4 ? 2 : cell % 2 == 0 ? 1 : 0; }

}  // namespace

template <>
Kit kit_of<TicTacToe>() {
  return {.recipe = kRecipe,
          .players = kPlainPlayers<TicTacToe, &place_worth>,
          .drawing = [](const AnyState& state) {
            return grid_drawing(state.text(), "abc", /*has_row_numbers=*/true);
          }};
}

}  // namespace senet
