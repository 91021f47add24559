// Many positions, one network: searches side by side that share their batches, on the calling
// thread.
#pragma once

#include <cassert>
#include <span>
#include <vector>

#include "nn/evaluator.hpp"
#include "search/rounds.hpp"

namespace senet {

/// Searches independent positions with one evaluator, many at a time. Owns its trees and its batch;
/// belongs to one thread. The evaluator outlives it and takes batches of `batch_rows` rows.
template <Game G, class SearchOf = Search<G>>
class Analysis {
 public:
  /// Reserves `lanes` trees with room for searches of `visits` visits, at least one lane; a larger
  /// budget ends early and says so.
  Analysis(Evaluator& evaluator, const SearchSettings& settings, std::uint32_t visits,
           std::size_t lanes, std::size_t batch_rows)
      : evaluator_(evaluator), rounds_(batch_rows, G::kMaxActive) {
    assert(lanes >= 1 && batch_rows >= 1);
    const TreeLimits limits = limits_for<G>(visits, settings.evaluates);
    lanes_.reserve(lanes);
    for (std::size_t i = 0; i < lanes; ++i) lanes_.push_back({SearchOf(settings, limits)});
  }

  /// Searches every state (none of them over) with this budget and calls use(index, decision,
  /// search) as each is done; decision and search are valid during the call. `seed` and the index
  /// draw the noise, if the budget asks for any. Allocates nothing.
  template <class Use>
  void run(std::span<const G> states, const SearchBudget& budget, std::uint64_t seed, Use&& use) {
    rounds_.clear();  // an earlier run may have ended by an exception
    for (Lane& lane : lanes_) lane.busy = false;
    Turns<Use> turns{.all = *this, .states = states, .budget = budget, .seed = seed, .use = use};
    while (rounds_.round(turns)) {
    }
  }

 private:
  struct Lane {
    SearchOf search;
    std::size_t index = 0;  // of the state that it searches
    bool busy = false;
  };

  /// Each lane searches one state after the other.
  template <class Use>
  struct Turns {
    Analysis& all;
    const std::span<const G> states;
    const SearchBudget& budget;
    const std::uint64_t seed;
    Use& use;
    Circle circle = {};
    std::size_t begun = 0;

    SearchOf* next() {
      return circle.next(all.lanes_.size(), [&](std::size_t i) -> SearchOf* {
        Lane& lane = all.lanes_[i];
        if (!lane.busy && begun == states.size()) return nullptr;
        if (!lane.busy) {
          lane.index = begun++;
          lane.busy = true;
          lane.search.start(states[lane.index], budget,
                            Random(seed, lane.index, 0, Purpose::kNoise));
        }
        return &lane.search;
      });
    }
    void rested(SearchOf&) {}
    void over(SearchOf& search) {
      Lane& lane = all.lanes_[circle.at()];
      use(lane.index, search.decision(), search);
      lane.busy = false;
      circle.stay();
    }
    void answer(const Batch& batch) { all.evaluator_.forward(batch); }
  };

  Evaluator& evaluator_;
  Rounds<SearchOf> rounds_;
  std::vector<Lane> lanes_;
};

}  // namespace senet
