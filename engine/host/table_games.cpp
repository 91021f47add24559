// Games that hosts add. A separate file, because they instantiate everything for four more types.
#include <new>
#include <utility>

#include "engine/host/served_game_of.hpp"

namespace senet {

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
