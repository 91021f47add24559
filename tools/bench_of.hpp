// The parts of the benchmarks that know the game's type: the benchmarks' table of a game.
#pragma once

#include <cstdint>
#include <span>

#include "engine/lanes/worker.hpp"
#include "games/any_game.hpp"
#include "games/draws.hpp"
#include "games/random.hpp"
#include "tools/bench_tree_of.hpp"
#include "tools/benchmarks.hpp"
#include "tools/flat_table.hpp"
#include "tools/search_counts.hpp"
#include "train_bridge/train_batch.hpp"

namespace senet {

/// BenchGame::sparse_batch
template <Game G>
TrainBatch sparse_batch(std::span<const AnyState> positions, const BenchSettings& settings) {
  ActionList<G::kMaxLegal> legal;
  const auto list_targets = [&](const G& position) {
    legal.clear();
    if (settings.search.evaluates == Evaluates::kPosition) position.legal(legal);
  };
  std::size_t actions = G::kMaxLegal;
  for (const AnyState& position : positions) {
    list_targets(position.as<G>());
    actions += legal.size();
  }
  TrainBatch batch({.rows = positions.size(),
                    .max_active = G::kMaxActive,
                    .max_legal = G::kMaxLegal,
                    .logits_per_action = G::kLogitsPerAction,
                    .outcomes = kOutcomes<G>,
                    .action_room = actions});
  Random random(settings.seed, 1, 0, Purpose::kTest);
  for (const AnyState& any : positions) {
    const G& position = any.as<G>();
    batch.add([&](FeatureRow& row) { position.encode(row); })[random.below(kOutcomes<G>)] = 1;
    list_targets(position);
    for (const Action action : legal) {
      batch.add_action(1.0f / static_cast<float>(legal.size()), position.logits_of(action));
    }
  }
  return batch;
}

/// Sums over games that were played blindly.
struct PlayoutCounts {
  double games = 0, plies = 0, decisions = 0, legal = 0, first_player_wins = 0;
};

/// Plays the game of that number blindly to its end, and counts.
template <Game G>
void play_out(std::uint64_t seed, std::uint64_t number, PlayoutCounts& counts) {
  Random random(seed, number, 0, Purpose::kTest);
  ActionList<G::kMaxLegal> actions;
  G state;
  for (Turn turn; (turn = state.turn()) != Turn::kOver; ++counts.plies) {
    if (turn == Turn::kChance) {
      state.play(draw_roll(state, random));
      continue;
    }
    actions.clear();
    state.legal(actions);
    counts.legal += static_cast<double>(actions.size());
    ++counts.decisions;
    state.play(draw_one(actions, random));
  }
  counts.first_player_wins += final_value(state, 0) > 0 ? 1 : 0;
  ++counts.games;
}

/// BenchGame::playout
template <Game G>
void measure_playout(const BenchCase& bench, Figures& figures) {
  constexpr std::uint64_t kCountedGames = 1000;
  constexpr double kSlicePlies = 20'000;  // a few milliseconds
  std::uint64_t next = 0;
  const auto play = [&](std::uint64_t games) {
    PlayoutCounts counts;
    for (const std::uint64_t end = next + games; next < end; ++next) {
      play_out<G>(bench.settings.seed, next, counts);
    }
    return counts;
  };
  const PlayoutCounts counted = play(kCountedGames);
  const double plies_per_game = counted.plies / counted.games;
  const auto games_per_slice = static_cast<std::uint64_t>(kSlicePlies / plies_per_game) + 1;
  const auto slices = measure_slices(bench.settings.seconds, [&]() -> std::array<double, 2> {
    const double began = thread_seconds();
    const PlayoutCounts slice = play(games_per_slice);
    const double time = thread_seconds() - began;
    return {slice.games / time, slice.plies / time};
  });
  add_figures(
      figures, std::string(bench.game.name),
      {{"games_per_second", slices.medians[0], "games/s"},
       {"plies_per_second", slices.medians[1], "plies/s"},
       {"plies_per_game", plies_per_game, "plies/game"},
       {"decisions_per_game", counted.decisions / counted.games, "decisions/game"},
       {"legal_moves", counted.legal / counted.decisions, "moves/position"},
       {"first_player_wins", counted.first_player_wins / counted.games, "share"},
       {"allocations_per_game", slices.allocations / static_cast<double>(next - kCountedGames),
        "allocations/game"}});
}

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

template <Game G>
constexpr BenchGame BenchGame::of() {
  return {.sparse_batch = &senet::sparse_batch<G>,
          .tree = &senet::measure_tree<G, Tree<G>>,
          .tree_flat = &senet::measure_tree<G, Tree<G, FlatTable>>,
          .playout = &senet::measure_playout<G>,
          .encode_cost = &senet::encode_cost<G>,
          .count_trees = &senet::count_trees<G>};
}

}  // namespace senet
