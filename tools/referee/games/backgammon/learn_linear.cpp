// Learns the weights of the linear backgammon player (games/backgammon/kit/linear.hpp) by playing
// against itself, and prints them as games/backgammon/kit/linear_weights.hpp:
//
//   learn_linear GAMES > games/backgammon/kit/linear_weights.hpp
//
// TD(0) (Sutton 1988): the value of a position is tanh of the sum, in units of three points; after
// each play the value of the position before it moves towards minus the value after it, and at the
// end towards what the game was worth.
#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "games/backgammon/kit/linear.hpp"
#include "games/draws.hpp"
#include "games/fields.hpp"

namespace senet::backgammon {
namespace {

using Weights = LinearWeights<double>;

// Weights are printed as whole thousandths.
constexpr double kScale = 1000;
constexpr double kFirstRate = 0.005, kLastRate = 0.0001;

void learn(Weights& weights, const Board& board, double target, double rate) {
  const double value = std::tanh(linear_sum(board, weights));
  const double step = rate * (target - value) * (1 - value * value);
  visit_linear_features(board, [&](std::size_t i, int times) { weights[i] += step * times; });
}

void play_and_learn(Weights& weights, std::uint64_t game, double rate) {
  Backgammon state;
  std::optional<Board> before;  // after the opponent's last play
  for (std::uint32_t ply = 0; state.turn() != Turn::kOver; ++ply) {
    if (state.turn() == Turn::kChance) {
      Random draw(0, game, ply, Purpose::kChance);
      state.play(draw_roll(state, draw));
      continue;
    }
    const Player mover = state.viewer();
    state.play(best_linear_play(state, weights));
    const bool is_over = state.turn() == Turn::kOver;
    const double value = is_over ? final_value(state, mover) / Backgammon::kValueRange
                                 : std::tanh(linear_sum(state.board(), weights));
    if (before) learn(weights, *before, -value, rate);
    before = state.board();
  }
}

void print(const Weights& weights, std::uint64_t games) {
  fmt::print(
      "// Weights of the linear backgammon player, in the order of its features.\n"
      "// Learnt, not written: build/release/tools/learn_linear {}\n"
      "#pragma once\n\n#include <cstdint>\n\n"
      "#include \"games/backgammon/kit/linear.hpp\"\n\nnamespace senet::backgammon {{\n\n// "
      "clang-format off\n"
      "inline constexpr LinearWeights<std::int16_t> kLinearWeights = {{",
      games);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    fmt::print("{}{},", i % 16 == 0 ? "\n    " : " ",
               static_cast<std::int16_t>(std::lround(weights[i] * kScale)));
  }
  fmt::print("\n}};\n// clang-format on\n\n}}  // namespace senet::backgammon\n");
}

}  // namespace
}  // namespace senet::backgammon

int main(int argc, char** argv) {
  using namespace senet::backgammon;
  const auto games =
      senet::number_of<std::uint64_t>(argc == 2 ? argv[1] : "", 1, std::uint64_t{1} << 62);
  if (!games) {
    fmt::print(stderr, "learn_linear GAMES: how many games to learn from\n");
    return 2;
  }
  Weights weights{};
  for (std::uint64_t game = 0; game < *games; ++game) {
    const double done = static_cast<double>(game) / static_cast<double>(*games);
    play_and_learn(weights, game, kFirstRate * std::pow(kLastRate / kFirstRate, done));
  }
  print(weights, *games);
}
