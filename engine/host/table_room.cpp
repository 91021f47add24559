#include <algorithm>

#include "engine/host/room_of.hpp"
#include "engine/host/table_game.hpp"

namespace senet {
namespace {

/// The room of the first of these types of games that has room for the table's.
template <Game G, Game... Larger>
Result<std::unique_ptr<GameRoom>> make(const GameTable& table, const Weights& weights,
                                       const ServiceSettings& settings, Ledger& ledger,
                                       RowTeam& team) {
  if constexpr (sizeof...(Larger) > 0) {
    if (!G::has_room_for(table)) {
      return make<Larger...>(table, weights, settings, ledger, team);
    }
  }
  const GamePlan<G> plan{
      .spec = weights.spec(), .most_active = table.functions.most_active, .start = G(table)};
  return make_room(plan, weights, settings, ledger, team);
}

}  // namespace

GameTable::GameTable(const senet_game_table& table)
    : name(table.name.data == nullptr ? std::string_view()
                                      : std::string_view(table.name.data, table.name.size)),
      functions(table) {
  functions.name = {};
  if (functions.outcomes == 0) {
    functions.outcomes = 3;
    constexpr std::int8_t kValues[] = {1, 0, -1};
    constexpr std::uint8_t kMirror[] = {2, 1, 0};
    std::copy_n(kValues, 3, functions.outcome_values);
    std::copy_n(kMirror, 3, functions.outcome_mirror);
  }
  if (functions.logits_of == nullptr) {
    functions.policy_logits = functions.actions;
    functions.logits_per_action = 1;
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(functions.outcomes, outcome_values.size());
       ++i) {
    outcome_values[i] = functions.outcome_values[i];
    value_range = std::max(value_range, outcome_values[i]);
  }
}

NetworkSpec GameTable::spec() const {
  NetworkSpec spec;
  spec.game = name;
  spec.features = functions.features;
  spec.policy_logits = functions.policy_logits;
  spec.outcomes = functions.outcomes;
  return spec;
}

Result<std::unique_ptr<GameRoom>> make_table_room(const GameTable& table, const Weights& weights,
                                                  const ServiceSettings& settings, Ledger& ledger,
                                                  RowTeam& team) {
  return make<TableGame<kSmallState, false>, TableGame<SENET_MOST_STATE, false>,
              TableGame<kSmallState, true>, TableGame<SENET_MOST_STATE, true>>(
      table, weights, settings, ledger, team);
}

}  // namespace senet
