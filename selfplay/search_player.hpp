// The player of a match that searches.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "engine/lanes/analyse.hpp"
#include "selfplay/match_player.hpp"
#include "selfplay/search_setup.hpp"

namespace senet {

/// The best move of a search without noise.
template <Game G>
class SearchPlayer final : public MatchPlayer {
 public:
  /// Searches of setup.visits visits, setup.lanes of them side by side, a tree each. What makes
  /// `setup` is set_up_search<G>().
  explicit SearchPlayer(SearchSetup setup)
      : setup_(std::move(setup)),
        analysis_(*setup_.evaluator, setup_.settings, setup_.visits, setup_.lanes,
                  setup_.batch_rows) {}

  Result<void> choose(std::span<const AnyState> states, std::span<const Random>,
                      std::span<Action> actions) override {
    states_.clear();
    for (const AnyState& state : states) states_.push_back(state.as<G>());
    analysis_.run(states_, {.visits = setup_.visits}, 0,
                  [&](std::size_t i, const Decision<G>& decision, const Search<G>&) {
                    actions[i] = decision.best();
                  });
    return {};
  }

 private:
  const SearchSetup setup_;
  Analysis<G> analysis_;
  std::vector<G> states_;  // reused from call to call
};

}  // namespace senet
