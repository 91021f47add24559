// From a game's record to training samples: positions with what they should have been worth.
#pragma once

#include <span>
#include <vector>

#include "search/decision.hpp"
#include "selfplay/game_record.hpp"

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
///   kPosition    every searched decision's position; its visits are the policy target where it was
///   a full search kAfterstates every position that a searched or forced decision led to, unless
///   the game was over then
/// A reason when the record is not a game of G that its rules allow.
template <Game G>
Result<void> for_each_sample(const GameRecord& record, const SampleSettings& settings,
                             std::vector<G>& scratch, auto&& use) {
  if (record.game != G::kName) {
    return fail("the record is of the game '" + record.game + "', not '" + std::string(G::kName) +
                "'");
  }
  if (record.outcomes != kOutcomes<G>)
    return fail("the record's outcome vectors have the wrong width");
  // Forwards: the state before each turn, and behind the last.
  scratch.clear();
  G state;
  if (!record.start.empty()) {
    const Result<G> start = G::from_text(record.start);
    if (!start) return tl::unexpected(start.error());
    state = *start;
  }
  scratch.push_back(state);
  for (const RecordedTurn& turn : record.turns()) {
    if (const Result<void> played = play_recorded(state, turn.action); !played) return played;
    scratch.push_back(state);
  }

  // Backwards: `target` is what the next decision should have been told, as player 0 sees it.
  Outcomes<G> target{};
  switch (record.end()) {
    case EndKind::kPlayed:
    case EndKind::kResigned:
      target[record.final_outcome()] = 1;
      break;
    case EndKind::kCut:
      to_distribution(record.cut_outcomes(), target);
      break;
    case EndKind::kNone:
      return fail("the record's game has no end");
  }
  for (std::size_t i = record.turns().size(); i-- > 0;) {
    const RecordedTurn& turn = record.turns()[i];
    if (turn.kind == TurnKind::kChance) continue;
    const bool searched = turn.kind == TurnKind::kFullSearch || turn.kind == TurnKind::kFastSearch;
    const G& after = scratch[i + 1];
    if (settings.evaluates == Evaluates::kAfterstates && after.turn() != Turn::kOver &&
        turn.kind != TurnKind::kRandom) {
      use(Sample<G>{after, after.viewer() == 0 ? target : mirrored<G>(target), {}});
    }
    if (turn.has_root) {
      Outcomes<G> root;
      to_distribution(record.root_outcomes(turn), root);
      if (turn.player == 1) root = mirrored<G>(root);
      for (std::size_t k = 0; k < target.size(); ++k) {
        target[k] = (1 - settings.lambda) * root[k] + settings.lambda * target[k];
      }
    }
    if (settings.evaluates == Evaluates::kPosition && searched) {
      const G& before = scratch[i];
      use(Sample<G>{before, before.viewer() == 0 ? target : mirrored<G>(target),
                    record.visits(turn)});
    }
  }
  return {};
}

/// Plays a recorded action after checking that it is legal there.
template <Game G>
Result<void> play_recorded(G& state, Action action) {
  bool legal = false;
  if (state.turn() == Turn::kChance) {
    if constexpr (StochasticGame<G>) {
      std::array<float, kMaxChance<G>> probability;
      legal = action < state.chance(probability);
    }
  } else if (state.turn() != Turn::kOver) {
    ActionList<G::kMaxLegal> actions;
    state.legal(actions);
    legal = std::binary_search(actions.begin(), actions.end(), action);
  }
  if (!legal) return fail("the record plays an action that the rules do not allow");
  state.play(action);
  return {};
}

}  // namespace senet
