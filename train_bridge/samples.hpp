// From a game's record to training samples: positions with what they should have been worth.
#pragma once

#include <span>
#include <vector>

#include "search/decision.hpp"
#include "selfplay/game_record.hpp"
#include "selfplay/record_replay.hpp"

namespace senet {

/// Which positions of a game are learnt from, and what they are told.
struct SampleSettings {
  Evaluates evaluates = Evaluates::kPosition;
  /// Weight of what came later against the search's own estimate, per decision: the value target of
  /// a decision is (1 - lambda) * root + lambda * target of the next decision, the last being the
  /// result (TD(lambda), Sutton 1988, with the search's root as estimate). 1: the game's result
  /// alone.
  float lambda = 1.0f;
};

/// One position to learn from.
template <Game G>
struct Sample {
  G state;
  Outcomes<G> outcomes;                // value target as state.viewer() sees it
  std::span<const VisitCount> visits;  // policy target, by ascending action; empty: none
};

/// Replays `record` and calls use(sample) for each position learnt from, last one first:
///   kPosition     every searched decision's position; its visits are the policy target where it
///                 was a full search
///   kAfterstates  every position that a searched or forced decision led to, unless the game was
///                 over then
/// A reason, and no sample, when replay() gives one. `scratch` keeps its memory from call to call.
template <Game G>
Result<void> for_each_sample(const GameRecord& record, const SampleSettings& settings,
                             std::vector<G>& scratch, auto&& use) {
  if (const Result<void> replayed = replay(record, scratch); !replayed) return replayed;
  // Backwards: `target` is what the next decision should have been told, as player 0 sees it.
  Outcomes<G> target{};
  if (record.end() == EndKind::kCut) {
    to_distribution(record.cut_outcomes(), target);
  } else {
    target[record.final_outcome()] = 1;
  }
  for (std::size_t i = record.turns().size(); i-- > 0;) {
    const RecordedTurn& turn = record.turns()[i];
    if (turn.kind == TurnKind::kChance) continue;
    const auto target_for = [&](Player player) {
      return player == 0 ? target : mirrored<G>(target);
    };
    const G& after = scratch[i + 1];
    if (settings.evaluates == Evaluates::kAfterstates && turn.kind != TurnKind::kRandom &&
        after.turn() != Turn::kOver) {
      use(Sample<G>{after, target_for(after.viewer()), {}});
    }
    if (turn.has_root) {
      Outcomes<G> root;
      to_distribution(record.root_outcomes(turn), root);
      if (turn.player == 1) root = mirrored<G>(root);
      for (std::size_t k = 0; k < target.size(); ++k) {
        target[k] = (1 - settings.lambda) * root[k] + settings.lambda * target[k];
      }
    }
    const bool searched = turn.kind == TurnKind::kFullSearch || turn.kind == TurnKind::kFastSearch;
    if (settings.evaluates == Evaluates::kPosition && searched) {
      use(Sample<G>{scratch[i], target_for(turn.player), record.visits(turn)});
    }
  }
  return {};
}

}  // namespace senet
