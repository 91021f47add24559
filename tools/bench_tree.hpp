// The benchmark of the search itself: trees grown without a network.
#pragma once

#include <string>

#include "tools/bench_report.hpp"
#include "tools/bench_settings.hpp"

namespace senet {

/// One thread searches recorded positions with the hash evaluator, settings.lanes of them side by
/// side as a worker does (search/rounds.hpp). So every tree is out of the nearest caches when its
/// turn comes, as in self-play. Trees begin empty and with noise at the root. Moves are generated
/// and features encoded as ever.
///
/// `simulations_per_second` is of all that, the hash evaluator included, whose share of the time
/// stands beside it; `simulations_per_second_of_tree` leaves the evaluator out. Counts are of a
/// first pass over the positions, and so the same in every run.
Result<Benchmark> prepare_tree(const std::string& game, const BenchSettings& settings);

/// The same with Abseil's Swiss table in the trees: the counts are the same, the times are not.
Result<Benchmark> prepare_flat_tree(const std::string& game, const BenchSettings& settings);

}  // namespace senet
