// Games that hosts add. A separate file, because they instantiate everything for four more types.
#include <algorithm>
#include <new>
#include <utility>

#include "engine/host/served_game_of.hpp"

namespace senet {

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

template <Game G>
HostTable OwnGame::make_host() {
  const G& start = *::new (start_.data()) G(table_);
  HostTable host = HostTable::of<G>();
  host.game = AnyGame::rules_of(start);
  return host;
}

OwnGame::OwnGame(GameTable table)
    : table_(std::move(table)), host_(with_type_of(table_, [this]<class G>(std::type_identity<G>) {
        return make_host<G>();
      })) {}

}  // namespace senet
