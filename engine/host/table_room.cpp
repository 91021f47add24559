#include "engine/host/room_of.hpp"

namespace senet {
namespace {

template <Game G>
Result<std::unique_ptr<GameRoom>> make(const GameTable& table, const NetworkSpec& spec,
                                       const ServiceSettings& settings, Ledger& ledger,
                                       RowTeam& team) {
  const GamePlan<G> plan{
      .spec = spec, .most_active = table.functions.most_active, .start = G(table)};
  return make_room(plan, settings, ledger, team);
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

Result<std::unique_ptr<GameRoom>> make_table_room(const GameTable& table, const NetworkSpec& spec,
                                                  const ServiceSettings& settings, Ledger& ledger,
                                                  RowTeam& team) {
  return table.functions.state_size <= sizeof(SmallTableGame) - 16
             ? make<SmallTableGame>(table, spec, settings, ledger, team)
             : make<LargeTableGame>(table, spec, settings, ledger, team);
}

}  // namespace senet
