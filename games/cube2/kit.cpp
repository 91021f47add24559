// The kit of the 2x2x2 cube.
#include "games/kit.hpp"
#include "games/cube2/cube2.hpp"

namespace senet {
namespace {

// Games are cut after 20 moves, so that many samples are of scrambles: a network that learns only
// where its own moves lead never finds the shorter ways. But cut after 4 or 6, few are solved, and
// the curriculum falls behind. Searches of three visits learn fastest; then the network plays
// alone, so that it learns where it would go in circles.
constexpr auto kRecipe =
    std::to_array<RecipeEntry>({{"width", "128"},
                                {"blocks", "1"},
                                {"visits", "3"},
                                {"fast-visits", "3"},
                                {"visit-limit", "3@0.86,1@0.87"},
                                {"lambda", "0"},
                                {"temperature-plies", "0"},
                                {"afterstate-temperature", "0.5"},
                                {"starts", "scrambles"},
                                {"curriculum", "0.9"},
                                {"ply-cap", "20"},
                                {"samples-per-position", "2"},
                                {"train-batch", "1024"},
                                {"planned-minutes", "28"},
                                {"learning-rate", "0.005@0.35,0.0006@0.86,0.0001@1"},
                                {"steady-steps", "0"},
                                {"ema", "0.998"},
                                {"steps-per-iteration", "50"},
                                {"queue", "4000"}});

// The cube laid open. Each letter is the face that a sticker belongs to when the cube is solved:
//
//         U U
//         U U
//     L L F F R R B B
//     L L F F R R B B
//         D D
//         D D
std::vector<std::string> drawing(const AnyState& any_state) {
  const auto& cube = any_state.as<Cube2>();
  // Position of a sticker: the corner, then the number of its axis. DBL stays.
  struct Place {
    std::size_t position, axis;
  };
  constexpr std::size_t kFixed = Cube2::kCorners;
  const auto sticker = [&](Place place) {
    if (place.position == kFixed) return Cube2::kPositions[kFixed][place.axis];
    const std::size_t turned = (place.axis + 3 - cube.orientation(place.position)) % 3;
    return Cube2::kPositions[cube.corner(place.position)][turned];
  };
  const auto row = [&](std::string_view indent, std::initializer_list<Place> places) {
    std::string line(indent);
    for (const Place& place : places) {
      if (!line.empty()) line += ' ';
      line += sticker(place);
    }
    return line;
  };
  return {row("   ", {{2, 0}, {3, 0}}),
          row("   ", {{1, 0}, {0, 0}}),
          row("", {{2, 1}, {1, 2}, {1, 1}, {0, 2}, {0, 1}, {3, 2}, {3, 1}, {2, 2}}),
          row("", {{kFixed, 2}, {5, 1}, {5, 2}, {4, 1}, {4, 2}, {6, 1}, {6, 2}, {kFixed, 1}}),
          row("   ", {{5, 0}, {4, 0}}),
          row("   ", {{kFixed, 0}, {6, 0}}),
          "moves left: " + std::to_string(cube.moves_left())};
}

}  // namespace

template <>
Kit kit_of<Cube2>() {
  return {.recipe = kRecipe, .players = {&kRandomPlayer, 1}, .drawing = &drawing};
}

}  // namespace senet
