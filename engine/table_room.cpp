#include "engine/room_of.hpp"

namespace senet {
namespace {

template <Game G>
Outcome<std::unique_ptr<GameRoom>> make(const GameTable& table, const NetworkSpec& spec,
                                        const ServiceSettings& settings, Ledger& ledger) {
  const GamePlan<G> plan{
      .spec = spec, .most_active = table.functions.most_active, .start = G(table)};
  return make_room(plan, settings, ledger);
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

Outcome<std::unique_ptr<GameRoom>> make_table_room(const GameTable& table, const NetworkSpec& spec,
                                                   const ServiceSettings& settings,
                                                   Ledger& ledger) {
  return table.functions.state_size <= sizeof(SmallTableGame) - 16
             ? make<SmallTableGame>(table, spec, settings, ledger)
             : make<LargeTableGame>(table, spec, settings, ledger);
}

}  // namespace senet
