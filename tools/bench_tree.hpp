// The benchmark of the search itself: trees grown without a network.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "games/any_game.hpp"
#include "nn/network.hpp"
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

using MeasureTree = Result<TreeMeasured> (*)(const BenchSettings& settings,
                                             std::span<const AnyState> positions,
                                             const Network& network);

/// The table of a game (games/registry.hpp): the benchmark with Abseil's hash map in the trees.
struct FlatTreeBench {
  MeasureTree measure;

  /// tools/bench_tree_flat.hpp
  template <Game G>
  static constexpr FlatTreeBench of();
};

/// One thread searches recorded positions with the hash evaluator, settings.lanes of them side by
/// side as a worker does (search/rounds.hpp). So every tree is out of the nearest caches when its
/// turn comes, as in self-play. Trees begin empty and with noise at the root. Moves are generated
/// and features encoded as ever.
///
/// `simulations_per_second` is of all that, the hash evaluator included, whose share of the time
/// stands beside it; `simulations_per_second_of_tree` leaves the evaluator out. Counts are of a
/// first pass over the positions, and so the same in every run.
///
/// `flat`: with Abseil's hash map in the trees; the counts are the same, the times are not.
Result<Benchmark> prepare_tree(const std::string& game, const BenchSettings& settings, bool flat);

}  // namespace senet
