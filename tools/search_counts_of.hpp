// Counts in a worker's searches, as they are in the end.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/lanes/worker.hpp"
#include "tools/bench_timing.hpp"
#include "tools/search_counts.hpp"

namespace senet {

/// Up to `most` positions that the worker's last searches asked their network about.
template <Game G>
std::vector<G> evaluated_positions(const Worker<G>& worker, Evaluates evaluates, std::size_t most) {
  std::vector<G> positions;
  const auto enough = [&] { return positions.size() >= most; };
  for (const auto& lane : worker.lanes()) {
    const auto& tree = lane->search().tree();
    for (NodeId id = 0; id < tree.size() && !enough(); ++id) {
      const G& state = tree.state(id);
      if (!is_decision(state.turn())) continue;
      if (evaluates == Evaluates::kPosition) {
        positions.push_back(state);
        continue;
      }
      ActionList<G::kMaxLegal> actions;
      state.legal(actions);
      for (const Action action : actions) {
        G after = state;
        after.play(action);
        if (after.turn() != Turn::kOver && !enough()) positions.push_back(after);
      }
    }
  }
  return positions;
}

/// What encoding `positions` takes; zeros when there are none.
template <Game G>
EncodeCost encode_cost(const std::vector<G>& positions) {
  constexpr std::size_t kBatchRows = 64;
  constexpr double kSeconds = 0.05;
  if (positions.empty()) return {};
  Batch batch(kBatchRows, G::kMaxActive);
  const double began = wall_seconds();
  double rows = 0, active = 0, time = 0;
  while (time < kSeconds) {
    for (const G& position : positions) {
      if (batch.room() == 0) batch.clear();
      batch.add({}, [&](FeatureRow& row) {
        position.encode(row);
        active += static_cast<double>(row.count());
      });
    }
    rows += static_cast<double>(positions.size());
    time = wall_seconds() - began;
  }
  return {1e9 * time / rows, active / rows};
}

/// BenchGame::encode_cost
template <Game G>
EncodeCost encode_cost(const AnyWorker& worker, Evaluates evaluates) {
  constexpr std::size_t kPositions = 4096;
  return encode_cost(
      evaluated_positions(static_cast<const Worker<G>&>(worker), evaluates, kPositions));
}

/// BenchGame::count_trees
template <Game G>
void count_trees(const AnyWorker& worker, TreeCounts& sum) {
  for (const auto& lane : static_cast<const Worker<G>&>(worker).lanes()) sum.add(lane->search());
}

}  // namespace senet
