#include "games/any_game.hpp"

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
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text.append(i == 0 ? "" : i + 1 < names.size() ? ", " : last).append(names[i]);
  }
  return text;
}

}  // namespace senet
