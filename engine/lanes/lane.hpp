// A lane: one game's search and what the game asks of it.
#pragma once

#include <cstdint>
#include <memory>

#include "search/search.hpp"

namespace senet {

/// One game at a time, one search, one arena. Belongs to its worker's thread; never moves.
template <Game G>
class Lane {
 public:
  Lane(const SearchSettings& settings, const TreeLimits& limits) : search_(settings, limits) {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // The game's side.

  /// Forgets the last game: what a search finds must not depend on which game this lane played
  /// before.
  void begin_game() { search_.forget(); }
  /// Asks for a search of `state`, which is not over, to the end of the budget.
  void ask(const G& state, const SearchBudget& budget, Random noise) {
    state_ = state;
    budget_ = budget;
    noise_ = noise;
  }
  Search<G>& search() { return search_; }
  /// Id of the network that answered the last search.
  std::uint64_t model() const { return model_; }

  // The worker's side.

  /// Begins the search that was asked for, answered by the network `model`. `spare` is the other
  /// half of every lane's arena, used by one at a time.
  void begin_search(std::uint64_t model, std::unique_ptr<Tree<G>>& spare) {
    if (model_ != model) search_.forget();
    model_ = model;
    search_.start(state_, budget_, noise_, &spare);
    kept_ = root_visits();
  }
  /// Visits that the search has made so far; those kept from the move before are not counted.
  std::uint32_t visits_made() const { return root_visits() - kept_; }

 private:
  std::uint32_t root_visits() const { return search_.tree()[search_.root()].n; }

  Search<G> search_;
  G state_{};
  SearchBudget budget_;
  Random noise_{0, 0, 0, Purpose::kNoise};
  std::uint64_t model_ = 0;
  std::uint32_t kept_ = 0;
};

}  // namespace senet
