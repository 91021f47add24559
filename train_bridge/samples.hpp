// From a game's record to training samples: positions with what they should have been worth.
#pragma once

#include <algorithm>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "games/settings.hpp"
#include "nn/evaluates.hpp"
#include "search/outcomes.hpp"
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
  /// Moves are drawn to differ, not to win, and what came after a bad one says little about what
  /// was there before. A move that lost this share of the value range against the search's estimate
  /// passes nothing on, better ones the more (as Leela Chess Zero takes blunders out of its games).
  /// 0: all pass on everything.
  float blunder = 0.0f;
};

/// What is evaluated follows the search that played.
constexpr auto settings_of(std::type_identity<SampleSettings>) {
  using S = SampleSettings;
  return std::tuple{
      setting("lambda", &S::lambda,
              "weight of later results against the search's estimate (TD lambda)",
              {.least = 0, .most = 1}),
      setting("blunder", &S::blunder,
              "share of the value range lost by a move behind which later results no longer count; "
              "0: they always do",
              {.least = 0, .most = 2}),
  };
}

/// One position to learn from.
template <Game G>
struct Sample {
  G state;
  Outcomes<G> outcomes;                // value target as state.viewer() sees it
  std::span<const VisitCount> visits;  // policy target, by ascending action; empty: none
};

/// The share of later results that a move lets through: see SampleSettings::blunder. `root` as the
/// player of the turn sees it; `game` is any state of the game.
template <Game G>
float passed_on(const G& game, const GameRecord& record, const RecordedTurn& turn,
                const Outcomes<G>& root, float blunder) {
  if (blunder <= 0 || !turn.has_chosen) return 1;
  Outcomes<G> chosen;
  to_distribution(record.chosen_outcomes(turn), chosen);
  const float lost = (mean_value(game, root) - mean_value(game, chosen)) / value_range(game);
  return std::clamp(1 - lost / blunder, 0.0f, 1.0f);
}

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
      return player == 0 ? target : mirrored(scratch[i], target);
    };
    const G& after = scratch[i + 1];
    if (settings.evaluates == Evaluates::kAfterstates && turn.kind != TurnKind::kRandom &&
        after.turn() != Turn::kOver) {
      use(Sample<G>{after, target_for(after.viewer()), {}});
    }
    if (turn.has_root) {
      Outcomes<G> root;
      to_distribution(record.root_outcomes(turn), root);
      const float later = settings.lambda * passed_on(after, record, turn, root, settings.blunder);
      if (turn.player == 1) root = mirrored(after, root);
      for (std::size_t k = 0; k < target.size(); ++k) {
        target[k] = (1 - later) * root[k] + later * target[k];
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
