// The search table of a game, instantiated by the game's source file.
#pragma once

#include <vector>

#include "engine/lanes/analyse.hpp"
#include "python/native/search_table.hpp"
#include "search/tree.hpp"

namespace senet {

template <Game G>
SearchTable SearchTable::of() {
  return {
      .bytes =
          [](const AnyGame& game, const SearchRequest& request) {
            const SearchSettings& settings = request.settings;
            const TreeLimits limits =
                limits_for(start_as<G>(game), request.budget.visits, settings.evaluates);
            return Search<G>::bytes(settings, limits) + ScratchPool<G>::bytes(settings.leaves);
          },
      .run =
          [](const AnyGame& game, Evaluator& evaluator, const SearchRequest& request,
             std::span<const AnyState> states, std::size_t first, const auto& use,
             const std::function<bool()>& keep_going) {
            std::vector<G> typed;
            typed.reserve(states.size());
            for (const AnyState& state : states) typed.push_back(state.as<G>());
            Analysis<G> analysis(evaluator, request.settings, request.budget.visits, request.lanes,
                                 request.batch_rows, {}, start_as<G>(game));
            analysis.run(
                typed, request.budget, request.seed,
                [&](std::size_t i, const Decision<G>& decision, const Search<G>&) {
                  use(i, decision.choices, decision.value);
                },
                first, keep_going);
          },
  };
}

}  // namespace senet
