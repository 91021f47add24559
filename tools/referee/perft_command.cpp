// senet perft: counts the leaves of the game tree, a cheap and strict test of a move generator.
#include "games/perft.hpp"

#include <fmt/core.h>

#include <chrono>
#include <memory>
#include <numeric>
#include <vector>

#include "games/any_game.hpp"
#include "games/games.hpp"
#include "tools/command.hpp"

namespace senet {
namespace {

struct PerftArguments {
  std::string game;
  std::string position;  // empty: the start position
  int depth = 1;
  bool divide = false;
};

std::string leaves_text(const AnyGame& game, const Leaves& leaves) {
  if (!game.has_dice) return fmt::format("leaves {}", leaves.each_once);
  return fmt::format("{} {}  {} {}", game.count_names[0], leaves.each_once, game.count_names[1],
                     leaves.by_chance);
}

Leaves count(const AnyState& state, int depth) {
  return *state.game().perft(state.bytes(), depth, /*keep_going=*/{});
}

/// Prints a line for every first move, or on a chance turn for every roll. A roll does not reduce
/// the depth.
void print_divided(const AnyState& state, int depth) {
  if (state.turn() == Turn::kOver) return;
  const bool is_roll = state.turn() == Turn::kChance;
  std::vector<Action> actions;
  if (is_roll) {
    std::vector<float> probabilities;
    state.chance(probabilities);
    actions.resize(probabilities.size());
    std::iota(actions.begin(), actions.end(), Action{0});
  } else {
    state.legal(actions);
  }
  for (const Action action : actions) {
    AnyState child = state;
    child.play(action);
    fmt::print("{:<24} {}\n", state.action_text(action),
               leaves_text(state.game(), count(child, is_roll ? depth : depth - 1)));
  }
}

Result<void> run(const AnyState& state, const PerftArguments& arguments) {
  if (arguments.divide && arguments.depth > 0) print_divided(state, arguments.depth);
  const auto began = std::chrono::steady_clock::now();
  const Leaves leaves = count(state, arguments.depth);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - began;
  fmt::print("{}\n{:.3f} ms, {:.3g} million leaves/s\n", leaves_text(state.game(), leaves),
             1e3 * time.count(), static_cast<double>(leaves.each_once) / time.count() / 1e6);
  return {};
}

Job prepare(const PerftArguments& arguments, const Games& games) {
  const AnyGame& game = *games.find(arguments.game).value();
  const AnyState state =
      arguments.position.empty()
          ? game.perft_start(game)
          : value_for("--position", AnyState::from_text(game, arguments.position));
  return [state, arguments] { return run(state, arguments); };
}

}  // namespace

void add_perft_command(const Command& program, const Games& games) {
  auto arguments = std::make_shared<PerftArguments>();
  const Command command =
      program.add_command("perft", "Count the move sequences of a given length from a position");
  command.option("game", arguments->game, "name of the game").required();
  command.option("depth", arguments->depth, "number of moves; dice rolls do not count")
      .required()
      .in_range(0, 1000);
  command
      .option("--position", arguments->position, "position to start from, in the game's notation")
      .shows_type("POSITION")
      .shows_default("the start position, before any roll");
  command.flag("--divide", arguments->divide, "also print a line for each first move or roll");
  std::string footer = "A game that ends before that depth does not count.";
  for (const AnyGame* const game : games.all()) {
    if (!game->has_dice) continue;
    footer += fmt::format("\n{}: {} counts every roll once, {} weights it by its probability.",
                          game->name, game->count_names[0], game->count_names[1]);
  }
  command.footer(footer);
  command.runs([arguments, &games] { return prepare(*arguments, games); });
}

}  // namespace senet
