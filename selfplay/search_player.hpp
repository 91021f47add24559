// The match player that searches, and its setup: network, evaluator, search settings, lanes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/lanes/analyse.hpp"
#include "nn/evaluator.hpp"
#include "search/settings.hpp"
#include "search/tree.hpp"
#include "selfplay/match_player.hpp"

namespace senet {

/// How a player searches; the defaults are for playing to win.
struct SearchOptions {
  EvaluatorKind evaluator = EvaluatorKind::kFused;
  std::optional<Evaluates> mode = {};  // what the network evaluates; none: see resolve_evaluates
  std::size_t lanes = 0;               // concurrent searches; 0: up to 64 that fit into kTreeMemory
  SearchSettings settings{.policy_temperature = kPlayersPolicyTemperature};
};

/// Everything a search needs besides positions.
struct SearchSetup {
  SharedWeights weights;
  std::unique_ptr<Evaluator> evaluator;  // for `weights`
  SearchSettings settings;
  std::uint32_t visits = 1;  // per search; 1 = the network alone
  std::size_t lanes = 1;
  std::size_t batch_rows = 1;
};

/// Maximum bytes for the trees of one player when the number of lanes is not set.
inline constexpr std::size_t kTreeMemory = std::size_t{1} << 30;

/// Builds the setup for weights that play G. visits 0 is treated as 1.
template <Game G>
Result<SearchSetup> set_up_search(SharedWeights weights, const SearchOptions& options,
                                  std::uint32_t visits) {
  SearchSetup setup;
  setup.settings = options.settings;
  const Result<Evaluates> asked =
      resolve_evaluates(weights->spec(), G::kHasAfterstates, options.mode);
  if (!asked) return fail("mode: " + asked.error().reason());
  setup.settings.evaluates = *asked;
  setup.visits = std::max(visits, 1u);
  const std::size_t tree = Tree<G>::bytes(limits_for<G>(setup.visits, setup.settings.evaluates));
  setup.lanes =
      options.lanes > 0 ? options.lanes : std::clamp<std::size_t>(kTreeMemory / tree, 1, 64);
  setup.batch_rows =
      *asked == Evaluates::kAfterstates ? 256 : std::min<std::size_t>(setup.lanes, 256);
  Result<std::unique_ptr<Evaluator>> evaluator =
      make_evaluator(options.evaluator, *weights, setup.batch_rows);
  if (!evaluator) return evaluator.error();
  setup.evaluator = std::move(*evaluator);
  setup.weights = std::move(weights);
  return setup;
}

/// Plays the best move of a search without noise.
template <Game G>
class SearchPlayer final : public MatchPlayer {
 public:
  /// Runs searches of setup.visits visits, setup.lanes of them concurrently, each with its own
  /// tree. `setup` comes from set_up_search<G>().
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
