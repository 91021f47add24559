// senet perft: count the leaves of the game tree, the sharpest cheap test of a move generator.
#include "games/perft.hpp"

#include <fmt/core.h>

#include <chrono>
#include <memory>

#include "games/registry.hpp"
#include "tools/command.hpp"

namespace senet {
namespace {

struct PerftArguments {
  std::string game;
  std::string position;  // empty: the start
  int depth = 1;
  bool divide = false;
};

template <Game G>
Result<G> start_position(const std::string& position) {
  if (!position.empty()) return G::from_text(position);
  // Published counts let the first roll be any of the 21; in a game it is no double.
  if constexpr (std::is_same_v<G, Backgammon>) {
    return Backgammon::start({.first_roll = FirstRoll::kAny});
  } else {
    return G{};
  }
}

template <Game G>
std::string leaves_text(const Leaves& leaves) {
  if (!StochasticGame<G>) return fmt::format("leaves {}", leaves.each_once);
  return fmt::format("plays_21 {}  plays_36 {}", leaves.each_once, leaves.by_chance);
}

template <Game G>
void print_child(const G& state, Action action, int depth) {
  G child = state;
  child.play(action);
  fmt::print("{:<24} {}\n", state.action_text(action), leaves_text<G>(perft(child, depth)));
}

/// A line for every first move; on a chance turn for every roll, which takes nothing off the depth.
template <Game G>
void print_divided(const G& state, int depth) {
  if (state.turn() == Turn::kOver) return;
  if constexpr (StochasticGame<G>) {
    if (state.turn() == Turn::kChance) {
      std::array<float, G::kMaxChance> probabilities;
      const std::size_t outcomes = state.chance(probabilities);
      for (std::size_t i = 0; i < outcomes; ++i) {
        print_child(state, static_cast<Action>(i), depth);
      }
      return;
    }
  }
  ActionList<G::kMaxLegal> actions;
  state.legal(actions);
  for (const Action action : actions) print_child(state, action, depth - 1);
}

template <Game G>
Result<void> run(const G& state, const PerftArguments& arguments) {
  if (arguments.divide && arguments.depth > 0) print_divided(state, arguments.depth);
  const auto began = std::chrono::steady_clock::now();
  const Leaves leaves = perft(state, arguments.depth);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - began;
  fmt::print("{}\n{:.3f} s, {:.0f} nodes/s\n", leaves_text<G>(leaves), time.count(),
             static_cast<double>(leaves.each_once) / time.count());
  return {};
}

Result<Job> prepare(const PerftArguments& arguments) {
  return visit_game(arguments.game, [&]<class G>(std::type_identity<G>) -> Result<Job> {
    const Result<G> state = start_position<G>(arguments.position);
    if (!state) return fail(fmt::format("--position: {}", state.error().reason()));
    return Job([state = *state, arguments] { return run(state, arguments); });
  });
}

}  // namespace

void add_perft_command(const Command& program) {
  auto arguments = std::make_shared<PerftArguments>();
  const Command command =
      program.add_command("perft", "Count the ways to play some moves from a position");
  command.option("game", arguments->game, "name of the game").required();
  command.option("depth", arguments->depth, "number of players' moves; dice do not count")
      .required()
      .in_range(0, 1000);
  command.option("--position", arguments->position,
                 "where to start, as the game writes positions (default: its start; in "
                 "backgammon with any first roll)");
  command.flag("--divide", arguments->divide, "also a line for each first move or roll");
  command.footer(
      "A game that ends before that depth counts nothing. With dice: plays_21 counts every roll\n"
      "once, plays_36 by its chance (doubles 1, others 2).");
  command.runs([arguments] { return run_command("perft", prepare(*arguments)); });
}

}  // namespace senet
