#include "games/any_game.hpp"

#include "games/names.hpp"
#include "games/registry.hpp"

namespace senet {

float final_value(const AnyState& state, Player player) {
  const AnyGame& game = state.game();
  const std::uint8_t outcome = state.outcome();
  return game.outcome_values[player == 0 ? outcome : game.outcome_mirror[outcome]];
}

Action draw_action(const AnyState& state, Random& random) {
  if (state.turn() == Turn::kChance) {
    std::vector<float> probability;
    state.chance(probability);
    return static_cast<Action>(random.pick(probability));
  }
  std::vector<Action> legal;
  state.legal(legal);
  return legal[random.below(static_cast<std::uint32_t>(legal.size()))];
}

std::string games_that(const std::function<bool(const AnyGame&)>& has, std::string_view last) {
  std::vector<std::string_view> names;
  for (const AnyGame* const game : all_games<AnyGame>()) {
    if (has(*game)) names.push_back(game->name);
  }
  return joined(names, last);
}

}  // namespace senet
