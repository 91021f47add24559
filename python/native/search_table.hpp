// The search of a game for Python: many positions, side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "games/any_game.hpp"
#include "nn/evaluator.hpp"
#include "search/decision.hpp"
#include "search/settings.hpp"

namespace senet {

/// What senet.search() does with each of its positions.
struct SearchRequest {
  SearchSettings settings;
  SearchBudget budget;
  std::uint64_t seed = 0;      // of the noise
  std::size_t lanes = 1;       // searches in progress at the same time
  std::size_t batch_rows = 1;  // maximum rows of an evaluation
};

/// The table of a game (games/registry.hpp).
struct SearchTable {
  /// Bytes of a search with these settings.
  std::size_t (*bytes)(const AnyGame& game, const SearchRequest& request);
  /// Searches states[i], in each of which a player is to move, and calls use(i, choices, value).
  /// The noise of states[i] is that of number `first` + i. Ends early, without the remaining
  /// calls, when keep_going() is false. Throws what the evaluator throws.
  void (*run)(
      const AnyGame& game, Evaluator& evaluator, const SearchRequest& request,
      std::span<const AnyState> states, std::size_t first,
      const std::function<void(std::size_t i, std::span<const Choice> choices, float value)>& use,
      const std::function<bool()>& keep_going);

  /// Defined in python/native/search_table_of.hpp.
  template <Game G>
  static SearchTable of();
};

}  // namespace senet
