// Learns the weights of the linear backgammon player (selfplay/linear_backgammon.hpp) by playing
// against itself, and prints them as selfplay/linear_backgammon_weights.hpp:
//
//   learn_linear GAMES > selfplay/linear_backgammon_weights.hpp
//
// TD(0) (Sutton 1988): the value of a position is tanh of the sum, in units of three points; after
// each play the value of the position before it moves towards minus the value after it, and at the
// end towards what the game was worth.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include "games/draws.hpp"
#include "selfplay/linear_backgammon.hpp"

namespace senet {
namespace {

using LinearWeights = std::array<double, LinearFeatures::kAll>;

// Weights are printed as whole thousandths.
constexpr double kScale = 1000;
constexpr double kFirstRate = 0.005, kLastRate = 0.0001;

void learn(LinearWeights& weights, const LinearFeatures& features, double target, double rate) {
  const double value = std::tanh(linear_sum(features, weights));
  const double step = rate * (target - value) * (1 - value * value);
  for (std::size_t i = 0; i < features.count; ++i) {
    weights[features.list[i].index] += step * features.list[i].times;
  }
}

void play_and_learn(LinearWeights& weights, std::uint64_t game, double rate) {
  Backgammon state;
  std::optional<LinearFeatures> before;  // after the opponent's last play
  for (std::uint32_t ply = 0; state.turn() != Turn::kOver; ++ply) {
    if (state.turn() == Turn::kChance) {
      Random draw(0, game, ply, Purpose::kChance);
      state.play(draw_roll(state, draw));
      continue;
    }
    const Player mover = state.viewer();
    state.play(best_linear_play(state, weights));
    if (state.turn() == Turn::kOver) {
      const double worth = final_value(state, mover) / Backgammon::kValueRange;
      if (before) learn(weights, *before, -worth, rate);
      return;
    }
    const LinearFeatures after = linear_features(state.board());
    const double value = std::tanh(linear_sum(after, weights));
    if (before) learn(weights, *before, -value, rate);
    before = after;
  }
}

void print(const LinearWeights& weights, std::uint64_t games) {
  fmt::print(
      "// Weights of the linear backgammon player, in the order of its features.\n"
      "// Learnt, not written: build/release/tools/learn_linear {}\n"
      "#pragma once\n\n#include <array>\n#include <cstdint>\n\n"
      "#include \"selfplay/linear_backgammon.hpp\"\n\nnamespace senet {{\n\n// clang-format off\n"
      "inline constexpr std::array<std::int16_t, LinearFeatures::kAll> "
      "kLinearBackgammonWeights = {{",
      games);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    fmt::print("{}{},", i % 16 == 0 ? "\n    " : " ",
               static_cast<std::int16_t>(std::lround(weights[i] * kScale)));
  }
  fmt::print("\n}};\n// clang-format on\n\n}}  // namespace senet\n");
}

}  // namespace
}  // namespace senet

int main(int argc, char** argv) {
  const std::string_view told = argc == 2 ? argv[1] : "";
  std::uint64_t games = 0;
  const auto [end, error] = std::from_chars(told.data(), told.data() + told.size(), games);
  if (error != std::errc() || end != told.data() + told.size() || games == 0) {
    fmt::print(stderr, "learn_linear GAMES: how many games to learn from\n");
    return 2;
  }
  senet::LinearWeights weights{};
  for (std::uint64_t game = 0; game < games; ++game) {
    const double done = static_cast<double>(game) / static_cast<double>(games);
    const double rate = senet::kFirstRate * std::pow(senet::kLastRate / senet::kFirstRate, done);
    senet::play_and_learn(weights, game, rate);
  }
  senet::print(weights, games);
}
