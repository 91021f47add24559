// The parts of the benchmarks that know the game's type: the benchmarks' table of a game.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "games/any_game.hpp"
#include "games/draws.hpp"
#include "games/random.hpp"
#include "nn/batch.hpp"
#include "search/scratch.hpp"
#include "tools/bench_counts.hpp"
#include "tools/bench_tree_of.hpp"
#include "tools/benchmarks.hpp"
#include "tools/selfplay_measure.hpp"
#include "train_bridge/train_batch.hpp"

namespace senet {

/// Plays the game of that number blindly to its end, and counts.
template <Game G>
void play_out(std::uint64_t seed, std::uint64_t number, PlayoutCounts& counts) {
  Random random(seed, number, 0, Purpose::kTest);
  ActionList<G::kMaxLegal> actions;
  G state;
  for (;; ++counts.plies) {
    const Turn turn = state.turn();
    if (turn == Turn::kOver) break;
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

/// Batches of one size to run again and again, with the memory for their answers. Moved, not
/// copied: the batches point to the answers.
class RecordedBatches {
 public:
  /// Batches of `rows` rows of at most `max_active` features, with so many outcomes each.
  RecordedBatches(std::size_t rows, std::size_t max_active, std::size_t outcomes)
      : rows_(rows), max_active_(max_active), outcomes_(outcomes) {}
  RecordedBatches(RecordedBatches&&) = default;

  /// Adds a row of which these logits are wanted.
  template <class Encode>
  void add(std::span<const std::uint16_t> wanted, Encode&& encode) {
    if (batches.empty() || batches.back().room() == 0) batches.emplace_back(rows_, max_active_);
    Answer& answer = answers_.emplace_back();
    answer.wanted.assign(wanted.begin(), wanted.end());
    answer.logits.resize(wanted.size());
    answer.outcomes.resize(outcomes_);
    batches.back().add({answer.outcomes, answer.wanted, answer.logits.data()}, encode);
    active += static_cast<double>(batches.back().index(batches.back().size() - 1).size());
    logits += static_cast<double>(wanted.size());
  }
  double rows() const { return static_cast<double>(answers_.size()); }

  std::vector<Batch> batches;
  double active = 0, logits = 0;  // non-zero features and wanted logits of all rows together

 private:
  struct Answer {
    std::vector<std::uint16_t> wanted;
    std::vector<float> logits, outcomes;
  };
  std::size_t rows_, max_active_, outcomes_;
  std::deque<Answer> answers_;  // which stay where they are
};

/// Programs::record_batches
template <Game G>
RecordedBatches record_batches(std::span<const AnyState> positions, std::size_t rows,
                               Evaluates evaluates) {
  RecordedBatches batches(rows, G::kMaxActive, kOutcomes<G>);
  WantedLogits<G> wanted;
  for (const AnyState& any : positions) {
    const G& position = any.as<G>();
    if (evaluates == Evaluates::kPosition) {
      ActionList<G::kMaxLegal> actions;
      position.legal(actions);
      wanted.list(position, {actions.data(), actions.size()});
    }
    batches.add(wanted.wanted(), [&](FeatureRow& row) { position.encode(row); });
  }
  return batches;
}

/// One of the outcomes, drawn, is certain.
inline void make_certain(std::span<float> outcomes, Random& random) {
  std::ranges::fill(outcomes, 0.0f);
  outcomes[random.below(static_cast<std::uint32_t>(outcomes.size()))] = 1;
}

/// Programs::sparse_batch
template <Game G>
TrainBatch sparse_batch(std::span<const AnyState> positions, const BenchSettings& settings) {
  std::size_t actions = G::kMaxLegal;
  ActionList<G::kMaxLegal> legal;
  for (const AnyState& position : positions) {
    legal.clear();
    position.as<G>().legal(legal);
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
    make_certain(batch.add([&](FeatureRow& row) { position.encode(row); }), random);
    if (settings.evaluates == Evaluates::kAfterstates) continue;
    legal.clear();
    position.legal(legal);
    for (const Action action : legal) {
      batch.add_action(1.0f / static_cast<float>(legal.size()), position.logits_of(action));
    }
  }
  return batch;
}

template <Game G>
constexpr BenchGame BenchGame::of() {
  return {.record_batches = &senet::record_batches<G>,
          .sparse_batch = &senet::sparse_batch<G>,
          .measure_tree = &senet::measure_tree<G, Tree<G>>,
          .measure_flat_tree = &senet::measure_tree<G, Tree<G, FlatTable>>,
          .measure_selfplay = &senet::measure_selfplay<G>,
          .play_out = &senet::play_out<G>};
}

}  // namespace senet
