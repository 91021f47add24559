// The parts of the benchmarks that are templates over the game's type, and the table of them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/lanes/analyse.hpp"
#include "engine/lanes/worker.hpp"
#include "games/any_game.hpp"
#include "games/random.hpp"
#include "games/random_moves.hpp"
#include "nn/evaluator.hpp"
#include "tools/bench/benchmarks.hpp"
#include "tools/bench/flat_table.hpp"
#include "tools/bench/timing.hpp"
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

/// Forwards to another evaluator and estimates the time of its passes. Times only one in eight,
/// with the cheap wall clock, because reading a clock takes longer than evaluating one row.
class TimedEvaluator final : public Evaluator {
 public:
  explicit TimedEvaluator(std::unique_ptr<Evaluator> inner) : inner_(std::move(inner)) {}

  std::string_view name() const override { return inner_->name(); }
  using Evaluator::forward;
  void load(const Weights& weights) override { inner_->load(weights); }
  void forward(Batch& batch, std::size_t first, std::size_t last) override {
    constexpr std::uint64_t kTimedOneIn = 8;
    constexpr double kDisturbed = 1e-3;  // longer if another thread used the core
    const auto rows = static_cast<double>(last - first);
    rows_ += rows;
    batch.encode(first, last);  // not a part of the pass
    if (passes_++ % kTimedOneIn != 0) return inner_->forward(batch, first, last);
    const double began = wall_seconds();
    inner_->forward(batch, first, last);
    const double time = wall_seconds() - began;
    if (time >= kDisturbed) return;
    seconds_ += time;
    timed_rows_ += rows;
  }

  /// Estimated seconds of all passes since the last call.
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
TreeMeasured measure_tree(const BenchCase& bench, std::span<const AnyState> any_positions) {
  using SearchOf = Search<G, Puct, TreeOf>;
  const BenchSettings& settings = bench.settings;
  std::vector<G> positions;
  for (const AnyState& position : any_positions) positions.push_back(position.as<G>());
  const Weights weights(bench.network.clone());
  TimedEvaluator timed(
      make_evaluator(EvaluatorKind::kHash, weights, settings.evaluation.batch_rows).value());
  Analysis<G, SearchOf> analysis(timed, settings.search, settings.visits, settings.lanes,
                                 settings.evaluation.batch_rows);
  // One search per lane, starting with position `first`.
  const auto search = [&](std::size_t first, auto&& use) {
    const std::span<const G> states(&positions[first % positions.size()], settings.lanes);
    analysis.run(states, {.visits = settings.visits, .noise = true}, settings.seed + first, use);
  };

  TreeMeasured measured;
  for (std::size_t first = 0; first < positions.size(); first += settings.lanes) {
    search(first, [&](std::size_t, const Decision<G>& decision, const SearchOf& done) {
      measured.evaluations += decision.evaluations;
      measured.counts.add(done);
    });
  }
  static_cast<void>(timed.seconds());
  std::size_t first = 0;
  measured.slices = measure_slices(settings.seconds, [&]() -> SliceFigures {
    double visits = 0;
    const double began = thread_seconds();
    search(first, [&](std::size_t, const Decision<G>& decision, const SearchOf&) {
      visits += decision.visits;
    });
    const double seconds = thread_seconds() - began;
    const double forward_seconds = timed.seconds();
    first += settings.lanes;
    measured.timed_visits += visits;
    return {visits / seconds, visits / (seconds - forward_seconds), forward_seconds / seconds};
  });
  return measured;
}

/// Plays the game with this number to its end with uniformly random moves, and counts.
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
PlayoutMeasured measure_playout(const BenchCase& bench) {
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
  PlayoutMeasured measured;
  measured.counts = play(kCountedGames);
  const PlayoutCounts& counted = measured.counts;
  const auto games = static_cast<std::uint64_t>(kSlicePlies * counted.games / counted.plies) + 1;
  measured.slices = measure_slices(bench.settings.seconds, [&]() -> SliceFigures {
    const double began = thread_seconds();
    const PlayoutCounts slice = play(games);
    const double time = thread_seconds() - began;
    measured.timed_games += slice.games;
    return {slice.games / time, slice.plies / time};
  });
  return measured;
}

/// Up to 4096 of the positions that the network evaluated in the worker's last searches.
template <Game G>
std::vector<G> evaluated_positions(const Worker<G>& worker, Evaluates evaluates) {
  constexpr std::size_t kMost = 4096;
  std::vector<G> positions;
  const auto enough = [&] { return positions.size() >= kMost; };
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

/// BenchGame::encode_cost; zeros if the network evaluated nothing.
template <Game G>
EncodeCost encode_cost(const AnyWorker& worker, Evaluates evaluates) {
  constexpr std::size_t kBatchRows = 64;
  constexpr double kSeconds = 0.05;
  const std::vector<G> positions =
      evaluated_positions(static_cast<const Worker<G>&>(worker), evaluates);
  if (positions.empty()) return {};
  SparseRows batch(kBatchRows, G::kMaxActive);
  const double began = wall_seconds();
  double rows = 0, active = 0, time = 0;
  while (time < kSeconds) {
    for (const G& position : positions) {
      if (batch.room() == 0) batch.clear();
      batch.add([&](FeatureRow& row) {
        position.encode(row);
        active += static_cast<double>(row.count());
      });
    }
    rows += static_cast<double>(positions.size());
    time = wall_seconds() - began;
  }
  return {1e9 * time / rows, active / rows};
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
