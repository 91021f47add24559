// Searches many positions with one network on the calling thread; the searches share batches.
#pragma once

#include <cassert>
#include <functional>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "nn/evaluator.hpp"
#include "nn/huge_pages.hpp"
#include "search/rounds.hpp"

namespace senet {

/// Searches independent positions with one evaluator, many at a time. Owns its trees and its batch;
/// for one thread. The evaluator outlives it and takes batches of `batch_rows` rows.
template <Game G, class SearchOf = Search<G>>
class Analysis {
 public:
  /// Reserves `lanes` (at least 1) trees with room for `visits` visits each. A search with a larger
  /// budget ends early, with Decision::full set. `game` is any state of the game.
  Analysis(Evaluator& evaluator, const SearchSettings& settings, std::uint32_t visits,
           std::size_t lanes, std::size_t batch_rows, const Tablebase<G>& tablebase = {},
           const G& game = only_start<G>())
      : Analysis(evaluator, settings, limits_for(game, visits, settings.evaluates), lanes,
                 batch_rows, tablebase, row_size(game)) {}

  /// Searches all states (unfinished games) with this budget and calls use(index, decision, search)
  /// when each search ends; decision and search are valid during the call. If the budget asks for
  /// noise, it is drawn from `seed` and the index plus `first`, the number of the first state.
  /// Asks keep_going() after each forward pass or pause, and ends when it is false. Allocates
  /// nothing.
  template <class Use>
  void run(std::span<const G> states, const SearchBudget& budget, std::uint64_t seed, Use&& use,
           std::uint64_t first = 0, const std::function<bool()>& keep_going = {}) {
    rounds_.clear();  // an exception may have ended an earlier run
    for (Lane& lane : lanes_) lane.busy = false;
    Turns<Use> turns{
        .all = *this, .states = states, .budget = budget, .seed = seed, .first = first, .use = use};
    while (rounds_.round(turns) && (!keep_going || keep_going())) {
    }
  }

 private:
  struct Lane {
    SearchOf search;
    std::size_t index = 0;  // of its state
    bool busy = false;
  };
  /// The memory of all searches: one block, so that hundreds of small trees share huge pages.
  struct Memory {
    Memory(const SearchSettings& settings, const TreeLimits& limits, std::size_t lanes)
        : block(lanes * (SearchOf::bytes(settings, limits) +
                         ScratchPool<G>::bytes(settings.leaves) + kGaps),
                &pages),
          scratches(lanes * settings.leaves, block) {}

    static constexpr std::size_t kGaps = 1024;  // lost to the alignment of a search's parts
    HugePages pages;
    std::pmr::monotonic_buffer_resource block;
    ScratchPool<G> scratches;
  };

  Analysis(Evaluator& evaluator, const SearchSettings& settings, const TreeLimits& limits,
           std::size_t lanes, std::size_t batch_rows, const Tablebase<G>& tablebase,
           const RowSize& row)
      : evaluator_(evaluator),
        rounds_(batch_rows, row),
        memory_(std::make_unique<Memory>(settings, limits, lanes)) {
    assert(lanes >= 1 && batch_rows >= 1);
    lanes_.reserve(lanes);
    for (std::size_t i = 0; i < lanes; ++i) {
      SearchOf& search =
          lanes_.emplace_back(Lane{SearchOf(settings, limits, memory_->block)}).search;
      search.share_scratches(memory_->scratches);
      search.set_tablebase(tablebase);
    }
  }

  /// TurnsOf: each lane searches one state after the other.
  template <class Use>
  struct Turns {
    Analysis& all;
    const std::span<const G> states;
    const SearchBudget& budget;
    const std::uint64_t seed, first;
    Use& use;
    RoundRobin circle = {};
    std::size_t begun = 0;

    SearchOf* next() {
      return circle.next(all.lanes_.size(), [&](std::size_t i) -> SearchOf* {
        Lane& lane = all.lanes_[i];
        if (!lane.busy && begun == states.size()) return nullptr;
        if (!lane.busy) {
          lane.index = begun++;
          lane.busy = true;
          lane.search.start(states[lane.index], budget,
                            Random(seed, first + lane.index, 0, Purpose::kNoise));
        }
        return &lane.search;
      });
    }
    void absorbed(SearchOf&) {}
    void over(SearchOf& search) {
      Lane& lane = all.lanes_[circle.at()];
      use(lane.index, search.decision(), search);
      lane.busy = false;
      circle.stay();
    }
    void answer(Batch& batch) { all.evaluator_.forward(batch); }
  };

  Evaluator& evaluator_;
  Rounds<SearchOf> rounds_;
  std::unique_ptr<Memory> memory_;
  std::vector<Lane> lanes_;
};

}  // namespace senet
