#include "tools/benchmarks.hpp"

#include <fmt/core.h>

#include <utility>

#include "tools/bench_counts.hpp"

namespace senet {
namespace {

Figures run(const BenchCase& bench, std::span<const AnyState> positions) {
  const BenchSettings& settings = bench.settings;
  const bool flat = settings.table == "flat";
  const auto measure = flat ? bench.typed.measure_flat_tree : bench.typed.measure_tree;
  const TreeMeasured measured = measure(bench, positions);
  const TreeCounts& counts = measured.counts;
  const auto [rate, tree_rate, forward_share] = measured.rounds.medians;
  Figures figures;
  add_figures(
      figures,
      fmt::format("{}/{}/visits-{}/lanes-{}{}", bench.game.name, name_of(settings.evaluates),
                  settings.visits, settings.lanes, flat ? "/table-flat" : ""),
      {{"simulations_per_second", rate, "visits/s"},
       {"simulations_per_second_of_tree", tree_rate, "visits/s"},
       {"share_evaluator", forward_share, "share"},
       {"legal_moves", counts.legal / counts.positions, "moves/position"},
       {"plies_per_visit", counts.plies / counts.visits, "plies/visit"},
       {"evaluations_per_visit", measured.evaluations / counts.visits, "rows/visit"},
       {"nodes_per_visit", counts.nodes / counts.visits, "nodes/visit"},
       {"bytes_per_visit", counts.used_bytes / counts.visits, "B/visit"},
       {"bytes_per_visited_node", counts.used_bytes / counts.visited, "B/node"},
       {"reserved_bytes_per_visited_node", counts.reserved_bytes / counts.visited, "B/node"},
       {"allocations_per_simulation", measured.rounds.allocations / measured.visits,
        "allocations/visit"}});
  return figures;
}

}  // namespace

Benchmark prepare_tree(const BenchCase& bench) {
  // A few rounds of different positions.
  return [&bench, positions = recorded_decisions(bench, 4 * bench.settings.lanes)] {
    return run(bench, positions);
  };
}

}  // namespace senet
