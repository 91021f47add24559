// What surrounds Connect Four.
#pragma once

#include <cstdlib>

#include "games/connect_four/connect_four.hpp"
#include "games/exam.hpp"
#include "games/grid.hpp"
#include "games/kit.hpp"

namespace senet {

template <>
struct GameKit<ConnectFour> : DefaultKit<ConnectFour> {
  static constexpr auto kRecipe = std::to_array<RecipeEntry>({{"width", "256"},
                                                              {"visits", "160"},
                                                              {"fast-visits", "32"},
                                                              {"full-share", "0.33"},
                                                              {"temperature-plies", "16"},
                                                              {"random-plies", "20"},
                                                              {"lambda", "0.8"},
                                                              {"blunder", "0.2"}});
  static constexpr bool kIsStandard = true;
  static constexpr std::uint32_t kTreeBenchVisits = 800;
  /// Nearer to the middle is better.
  static int place_worth(Action column) { return -std::abs(static_cast<int>(column) - 3); }
  static std::vector<std::string> drawing(const ConnectFour& state) {
    return grid_drawing(state.text(), "1234567", /*has_row_numbers=*/false);
  }
  /// Positions with their worth: games/connect_four/kit/exam.hpp.
  static Result<Exam> read_exam(const std::string& file);
  static constexpr std::string_view kExamText =
      "CSV (moves,ply,s1,...,s7,value), or lines \"moves value\", for which\n"
      "a solver judges the moves; answers: moves,column";
};

}  // namespace senet
