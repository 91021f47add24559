// Many positions, one network: searches side by side that share their batches, on the calling
// thread.
#pragma once

#include <algorithm>
#include <cassert>
#include <memory>
#include <span>
#include <vector>

#include "nn/evaluator.hpp"
#include "search/search.hpp"

namespace senet {

/// Searches independent positions with one evaluator, many at a time. Owns its trees and its batch;
/// belongs to one thread. The evaluator outlives it and takes batches of `batch_rows` rows.
template <Game G>
class Analysis {
 public:
  /// Reserves `lanes` trees with room for searches of `visits` visits, at least one lane; a larger
  /// budget ends early and says so.
  Analysis(Evaluator& evaluator, const SearchSettings& settings, std::uint32_t visits,
           std::size_t lanes, std::size_t batch_rows)
      : evaluator_(evaluator), batch_(batch_rows, G::kMaxActive) {
    assert(lanes >= 1 && batch_rows >= 1);
    for (std::size_t i = 0; i < lanes; ++i) {
      searches_.push_back(
          std::make_unique<Search<G>>(settings, limits_for<G>(visits, settings.evaluates)));
    }
  }

  /// Searches every state (none of them over) with this budget and calls use(index, decision,
  /// search) as each is done; decision and search are valid during the call. `seed` and the index
  /// draw the noise, if the budget asks for any.
  template <class Use>
  void run(std::span<const G> states, const SearchBudget& budget, std::uint64_t seed, Use&& use) {
    std::vector<Slot> slots(std::min(searches_.size(), states.size()));
    std::size_t next = 0, open = states.size();
    while (open > 0) {
      for (std::size_t s = 0; s < slots.size(); ++s) {
        Slot& slot = slots[s];
        Search<G>& search = *searches_[s];
        for (bool waits = false; !waits;) {
          if (!slot.busy) {
            if (next == states.size()) break;
            slot = {next, true, false};
            search.start(states[next], budget, Random(seed, next, 0, Purpose::kNoise));
            ++next;
          }
          if (slot.asked) search.absorb();
          const Step step = search.gather(batch_);
          slot.asked = step == Step::kWaiting;
          if (step == Step::kDone) {
            use(slot.index, search.decision(), search);
            slot.busy = false;
            --open;
          } else if (step == Step::kBatchFull) {
            forward();
          } else {
            waits = step == Step::kWaiting;
          }
        }
      }
      // After this every slot that asked has been answered: each asks once a round.
      if (batch_.size() > 0) forward();
    }
  }

 private:
  /// The search that one lane has under way.
  struct Slot {
    std::size_t index = 0;
    bool busy = false;
    bool asked = false;  // rows are in the batch or answered and not yet absorbed
  };

  void forward() {
    evaluator_.forward(batch_);
    batch_.clear();
  }

  Evaluator& evaluator_;
  Batch batch_;
  std::vector<std::unique_ptr<Search<G>>> searches_;
};

}  // namespace senet
