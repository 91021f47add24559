// The player of a match that searches.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/lanes/analyse.hpp"
#include "selfplay/match_player.hpp"

namespace senet {

/// The best move of a search without noise.
template <Game G>
class SearchPlayer final : public MatchPlayer {
 public:
  /// Searches of `visits` visits (at least 1), `lanes` of them side by side, a tree each. The
  /// evaluator outlives the player and takes batches of `batch_rows` rows.
  SearchPlayer(Evaluator& evaluator, const SearchSettings& settings, std::uint32_t visits,
               std::size_t lanes, std::size_t batch_rows)
      : analysis_(evaluator, settings, visits, lanes, batch_rows), visits_(visits) {}

  Result<void> choose(std::span<const AnyState> states, std::span<const Random>,
                      std::span<Action> actions) override {
    states_.clear();
    for (const AnyState& state : states) states_.push_back(state.as<G>());
    analysis_.run(states_, {.visits = visits_}, 0,
                  [&](std::size_t i, const Decision<G>& decision, const Search<G>&) {
                    actions[i] = decision.best();
                  });
    return {};
  }

 private:
  Analysis<G> analysis_;
  std::uint32_t visits_;
  std::vector<G> states_;  // reused from call to call
};

}  // namespace senet
