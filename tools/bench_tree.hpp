// The benchmark of the search itself: trees grown without a network.
#pragma once

#include <string>
#include <vector>

#include "tools/bench_report.hpp"
#include "tools/bench_settings.hpp"
#include "tools/tree_counts.hpp"

namespace senet {

/// What the searches came to.
struct TreeMeasured {
  TreeCounts counts;       // of a first pass over the positions
  double evaluations = 0;  // of that pass
  // Of rounds of searches side by side: visits a second, the same without the evaluator's time, and
  // its share of the time.
  std::vector<double> rates, tree_rates, forward_shares;
  double visits = 0, allocations = 0;  // of those rounds
};

/// One thread searches recorded positions with the hash evaluator, settings.lanes of them side by
/// side as a worker does: gather() of each into one batch, one forward pass, absorb() of each. So
/// every tree is out of the nearest caches when its turn comes, as in self-play. Trees begin empty
/// and with noise at the root. Moves are generated and features encoded as ever.
///
/// `simulations_per_second` is of all that, the hash evaluator included, whose share of the time
/// stands beside it; `simulations_per_second_of_tree` leaves the evaluator out. Counts are of a
/// first pass over the positions, and so the same in every run.
Result<Benchmark> prepare_tree(const std::string& game, const BenchSettings& settings);

}  // namespace senet
