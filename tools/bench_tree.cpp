#include "tools/bench_tree.hpp"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "tools/counted_malloc.hpp"
#include "tools/programs.hpp"
#include "train_bridge/run_game.hpp"

namespace senet {
namespace {

Figures figures_of(const std::string& game, const BenchSettings& settings, std::string_view suffix,
                   TreeMeasured measured) {
  const std::string subject =
      fmt::format("{}/{}/visits-{}/lanes-{}{}", game, name_of(settings.evaluates), settings.visits,
                  settings.lanes, suffix);
  Figures figures;
  const auto add = [&](const char* name, double value, const char* unit) {
    figures.push_back({subject, name, value, unit});
  };
  add("simulations_per_second", median_of(std::move(measured.rates)), "visits/s");
  add("simulations_per_second_of_tree", median_of(std::move(measured.tree_rates)), "visits/s");
  add("share_evaluator", median_of(std::move(measured.forward_shares)), "share");
  add("legal_moves", measured.counts.legal / measured.counts.positions, "moves/position");
  add("plies_per_visit", measured.counts.plies / measured.counts.visits, "plies/visit");
  add("evaluations_per_visit", measured.evaluations / measured.counts.visits, "rows/visit");
  add("nodes_per_visit", measured.counts.nodes / measured.counts.visits, "nodes/visit");
  add("bytes_per_visit", measured.counts.used_bytes / measured.counts.visits, "B/visit");
  add("bytes_per_visited_node", measured.counts.used_bytes / measured.counts.visited, "B/node");
  add("reserved_bytes_per_visited_node", measured.counts.reserved_bytes / measured.counts.visited,
      "B/node");
  add("allocations_per_simulation",
      thread_allocations() ? measured.allocations / measured.visits : std::nan(""),
      "allocations/visit");
  return figures;
}

}  // namespace

Result<Benchmark> prepare_tree(const std::string& game, const BenchSettings& settings, bool flat) {
  const Result<const Programs*> programs = find_game<Programs>(game);
  if (!programs) return programs.error();
  Result<BenchNetwork> network =
      bench_network(settings, (*find_game<RunGame>(game))->reference_spec());
  if (!network) return network.error();
  // A few rounds of different positions.
  auto positions = (*programs)->recorded_decisions(settings, network->network, 4 * settings.lanes);
  if (!positions) return positions.error();
  const MeasureTree measure =
      flat ? (*find_game<FlatTreeBench>(game))->measure : (*programs)->measure_tree;
  return Benchmark([game, settings, flat, measure, positions = std::move(*positions),
                    network = std::move(network->network)]() -> Result<Figures> {
    Result<TreeMeasured> measured = measure(settings, positions, network);
    if (!measured) return measured.error();
    return figures_of(game, settings, flat ? "/table-flat" : "", std::move(*measured));
  });
}

}  // namespace senet
