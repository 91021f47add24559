// The kit of Connect Four.
#include <cstdlib>

#include "games/connect_four/connect_four.hpp"
#include "games/connect_four/kit/exam.hpp"
#include "games/grid.hpp"
#include "games/kit.hpp"

namespace senet {
namespace {

constexpr auto kRecipe = std::to_array<RecipeEntry>({{"width", "256"},
                                                     {"visits", "160"},
                                                     {"fast-visits", "32"},
                                                     {"full-share", "0.33"},
                                                     {"temperature-plies", "16"},
                                                     {"random-plies", "20"},
                                                     {"lambda", "0.8"},
                                                     {"blunder", "0.2"}});

// Nearer to the middle is better.
int place_worth(Action column) { return -std::abs(static_cast<int>(column) - 3); }

}  // namespace

template <>
Kit kit_of<ConnectFour>() {
  return {.recipe = kRecipe,
          .players = kPlainPlayers<ConnectFour, &place_worth>,
          .is_standard = true,
          .tree_bench_visits = 800,
          .drawing =
              [](const AnyState& state) {
                return grid_drawing(state.text(), "1234567", /*has_row_numbers=*/false);
              },
          .read_exam = &connect_four::read_exam,
          .exam_text =
              "CSV (moves,ply,s1,...,s7,value), or lines \"moves value\", for which\n"
              "a solver grades the moves; answers: moves,column"};
}

}  // namespace senet
