// What it costs to write a position's features into a batch.
#pragma once

#include <chrono>
#include <vector>

#include "engine/lanes/worker.hpp"
#include "tools/bench_selfplay.hpp"

namespace senet {

/// Up to `most` positions that the worker's last searches asked their network about.
template <Game G>
std::vector<G> evaluated_positions(Worker<G>& worker, Evaluates evaluates, std::size_t most) {
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
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kBatchRows = 64;
  constexpr std::chrono::milliseconds kTime{50};
  if (positions.empty()) return {};
  Batch batch(kBatchRows, G::kMaxActive);
  const auto began = Clock::now();
  std::size_t rows = 0, active = 0;
  do {
    for (const G& position : positions) {
      if (batch.room() == 0) batch.clear();
      batch.add({}, [&](FeatureRow& row) {
        position.encode(row);
        active += row.count();
      });
    }
    rows += positions.size();
  } while (Clock::now() - began < kTime);
  const std::chrono::duration<double, std::nano> time = Clock::now() - began;
  const auto count = static_cast<double>(rows);
  return {time.count() / count, static_cast<double>(active) / count};
}

}  // namespace senet
