// The tree benchmark.
#pragma once

#include <fmt/core.h>

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "engine/lanes/analyse.hpp"
#include "nn/evaluator.hpp"
#include "tools/bench_timing.hpp"
#include "tools/benchmarks.hpp"
#include "tools/search_counts.hpp"

namespace senet {

/// Passes everything on and estimates the time that it takes. Some of the passes are timed, with
/// the cheap clock: reading any would take longer than one search's row.
class TimedEvaluator final : public Evaluator {
 public:
  explicit TimedEvaluator(std::unique_ptr<Evaluator> inner) : inner_(std::move(inner)) {}

  std::string_view name() const override { return inner_->name(); }
  using Evaluator::forward;
  void load(const Weights& weights) override { inner_->load(weights); }
  void forward(const Batch& batch, std::size_t first, std::size_t last) override {
    constexpr std::uint64_t kTimedOneIn = 8;
    constexpr double kDisturbed = 1e-3;  // the core was lent to another thread meanwhile
    const auto rows = static_cast<double>(last - first);
    rows_ += rows;
    if (passes_++ % kTimedOneIn != 0) return inner_->forward(batch, first, last);
    const double began = wall_seconds();
    inner_->forward(batch, first, last);
    const double time = wall_seconds() - began;
    if (time >= kDisturbed) return;
    seconds_ += time;
    timed_rows_ += rows;
  }

  /// Of all passes since the last call.
  double seconds() {
    const double seconds = timed_rows_ > 0 ? seconds_ * rows_ / timed_rows_ : 0;
    passes_ = 0;
    rows_ = timed_rows_ = seconds_ = 0;
    return seconds;
  }

 private:
  const std::unique_ptr<Evaluator> inner_;
  std::uint64_t passes_ = 0;
  double rows_ = 0, timed_rows_ = 0, seconds_ = 0;
};

/// BenchGame::tree, with trees of type TreeOf.
template <Game G, class TreeOf>
void measure_tree(const BenchCase& bench, std::span<const AnyState> any_positions,
                  Figures& figures) {
  using SearchOf = Search<G, Puct, TreeOf>;
  const BenchSettings& settings = bench.settings;
  std::vector<G> positions;
  for (const AnyState& position : any_positions) positions.push_back(position.as<G>());
  const Weights weights(copy_of(bench.network));
  TimedEvaluator timed(make_evaluator(EvaluatorKind::kHash, weights, settings.batch_rows).value());
  Analysis<G, SearchOf> analysis(timed, settings.search, settings.visits, settings.lanes,
                                 settings.batch_rows);
  // A search in each lane, of the positions from number `first` on.
  const auto search = [&](std::size_t first, auto&& use) {
    const std::span<const G> states(&positions[first % positions.size()], settings.lanes);
    analysis.run(states, {.visits = settings.visits, .noise = true}, settings.seed + first, use);
  };

  TreeCounts counts;
  double evaluations = 0;
  for (std::size_t first = 0; first < positions.size(); first += settings.lanes) {
    search(first, [&](std::size_t, const Decision<G>& decision, const SearchOf& done) {
      evaluations += decision.evaluations;
      counts.add(done);
    });
  }
  static_cast<void>(timed.seconds());
  std::size_t first = 0;
  double all_visits = 0;
  const auto slices = measure_slices(settings.seconds, [&]() -> std::array<double, 3> {
    double visits = 0;
    const double began = thread_seconds();
    search(first, [&](std::size_t, const Decision<G>& decision, const SearchOf&) {
      visits += decision.visits;
    });
    const double seconds = thread_seconds() - began;
    const double forward_seconds = timed.seconds();
    first += settings.lanes;
    all_visits += visits;
    return {visits / seconds, visits / (seconds - forward_seconds), forward_seconds / seconds};
  });
  const auto [rate, tree_rate, forward_share] = slices.medians;
  add_figures(
      figures,
      fmt::format("{}/{}/visits-{}/lanes-{}{}", bench.game.name, name_of(settings.search.evaluates),
                  settings.visits, settings.lanes,
                  std::is_same_v<TreeOf, Tree<G>> ? "" : "/table-flat"),
      {{"simulations_per_second", rate, "visits/s"},
       {"simulations_per_second_of_tree", tree_rate, "visits/s"},
       {"share_evaluator", forward_share, "share"},
       {"legal_moves", counts.legal / counts.positions, "moves/position"},
       {"plies_per_visit", counts.plies / counts.visits, "plies/visit"},
       {"evaluations_per_visit", evaluations / counts.visits, "rows/visit"},
       {"nodes_per_visit", counts.nodes / counts.visits, "nodes/visit"},
       {"bytes_per_visit", counts.used_bytes / counts.visits, "B/visit"},
       {"bytes_per_visited_node", counts.used_bytes / counts.visited, "B/node"},
       {"reserved_bytes_per_visited_node", counts.reserved_bytes / counts.visited, "B/node"},
       {"allocations_per_simulation", slices.allocations / all_visits, "allocations/visit"}});
}

}  // namespace senet
