// The benchmark of the trainers.
#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "games/any_game.hpp"
#include "games/random.hpp"
#include "tools/bench_report.hpp"
#include "tools/bench_settings.hpp"
#include "train_bridge/train_batch.hpp"

namespace senet {

/// One of the outcomes, drawn, is certain.
inline void make_certain(std::span<float> outcomes, Random& random) {
  std::ranges::fill(outcomes, 0.0f);
  outcomes[random.below(static_cast<std::uint32_t>(outcomes.size()))] = 1;
}

/// Positions as samples, with their legal moves as targets.
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
      batch.add_action(1.0f / static_cast<float>(legal.size()), G::logits_of(action));
    }
  }
  return batch;
}

/// Training steps of settings.train_rows samples by settings.trainer, on the CPU on each number of
/// threads in settings.workers, each for settings.seconds:
///
///   sparse  recorded positions with policy targets for their legal moves (kPosition) or none
///           (kAfterstates)
///   dense   no feature is zero and every logit has a target
///
/// `dense_gflops` counts three dense forward passes a sample (one forward, two backward), skipped
/// or not; `peak_fraction` is its share of so many threads' multiply-add peak, one thread's being
/// measured between steps. Time is the thread's own on one thread and the wall's on several and on
/// a device, whose steps are measured from the call to the report.
Result<Benchmark> prepare_train(const std::string& game, const BenchSettings& settings);

}  // namespace senet
