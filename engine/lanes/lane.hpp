// A lane: the search of one game at a time, and the game's request for it.
#pragma once

#include <cstdint>
#include <memory>

#include "search/search.hpp"

namespace senet {

/// Serves one game at a time, with one search and one tree. For its worker's thread; never moves.
template <Game G>
class Lane {
 public:
  Lane(const SearchSettings& settings, const TreeLimits& limits) : search_(settings, limits) {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // Called by the game.

  /// Clears the tree: results must not depend on the game that this lane played before.
  void begin_game() { search_.forget(); }
  /// Requests a search of `state`, an unfinished game, with this budget.
  void ask(const G& state, const SearchBudget& budget, Random noise) {
    state_ = state;
    budget_ = budget;
    noise_ = noise;
  }
  Search<G>& search() { return search_; }
  /// Id of the network that the last search used.
  std::uint64_t model() const { return model_; }

  // Called by the worker.

  /// Begins the requested search with the network `model`. `spare` is a second tree, shared by all
  /// lanes and used by one at a time.
  void begin_search(std::uint64_t model, std::unique_ptr<Tree<G>>& spare) {
    if (model_ != model) search_.forget();
    model_ = model;
    search_.start(state_, budget_, noise_, &spare);
    kept_ = search_.visits();
  }
  /// Visits that the search has made so far, without those kept from the previous move.
  std::uint32_t visits_made() const { return search_.visits() - kept_; }

 private:
  Search<G> search_;
  G state_{};
  SearchBudget budget_;
  Random noise_{0, 0, 0, Purpose::kNoise};
  std::uint64_t model_ = 0;
  std::uint32_t kept_ = 0;
};

}  // namespace senet
