#include "engine/host/room_of.hpp"

namespace senet {
namespace {

template <Game G>
Result<std::unique_ptr<GameRoom>> make(const GameTable& table, const Weights& weights,
                                       const ServiceSettings& settings, Ledger& ledger,
                                       RowTeam& team) {
  const GamePlan<G> plan{
      .spec = weights.spec(), .most_active = table.functions.most_active, .start = G(table)};
  return make_room(plan, weights, settings, ledger, team);
}

}  // namespace

NetworkSpec GameTable::spec() const {
  NetworkSpec spec;
  spec.game = name;
  spec.features = functions.features;
  spec.policy_logits = functions.actions;
  spec.outcomes = static_cast<std::uint32_t>(kOutcomes<SmallTableGame>);
  return spec;
}

Result<std::unique_ptr<GameRoom>> make_table_room(const GameTable& table, const Weights& weights,
                                                  const ServiceSettings& settings, Ledger& ledger,
                                                  RowTeam& team) {
  return table.functions.state_size <= sizeof(SmallTableGame) - 16
             ? make<SmallTableGame>(table, weights, settings, ledger, team)
             : make<LargeTableGame>(table, weights, settings, ledger, team);
}

}  // namespace senet
