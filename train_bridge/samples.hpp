// From a game's record to training samples: positions with what they should have been worth.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
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

/// Fills `states` with the state before each turn of `record`, and behind the last. A reason when
/// the record is not a game of G that its rules allow: its turns, its visits, its end.
template <Game G>
Result<void> replay(const GameRecord& record, std::vector<G>& states);

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

/// Plays one turn of `record` after checking that the rules allow it.
template <Game G>
Result<void> play_recorded(const GameRecord& record, const RecordedTurn& turn, G& state) {
  if (turn.kind == TurnKind::kChance) {
    if constexpr (StochasticGame<G>) {
      std::array<float, kMaxChance<G>> probability;
      if (state.turn() == Turn::kChance && turn.action < state.chance(probability)) {
        state.play(turn.action);
        return {};
      }
    }
    return fail("it has a chance outcome that the rules do not allow");
  }
  if (state.turn() != (turn.player == 0 ? Turn::kPlayer0 : Turn::kPlayer1)) {
    return fail("it has a move of a player whose turn it is not");
  }
  ActionList<G::kMaxLegal> legal;
  state.legal(legal);
  if (!std::ranges::binary_search(legal, turn.action)) {
    return fail("it has a move that the rules do not allow");
  }
  const std::span<const VisitCount> visits = record.visits(turn);
  if (!std::ranges::includes(legal, visits, {}, {}, &VisitCount::action)) {
    return fail("it has visits of a move that the rules do not allow");
  }
  const auto visited = [](const VisitCount& count) { return count.visits > 0; };
  if (!visits.empty() && std::ranges::none_of(visits, visited)) {
    return fail("it has a list of visits in which nothing was visited");
  }
  state.play(turn.action);
  return {};
}

template <Game G>
Result<void> replay(const GameRecord& record, std::vector<G>& states) {
  const auto wrong = [&](const std::string& what) {
    return fail("game " + std::to_string(record.game_number) + ": " + what);
  };
  if (record.game != G::kName) {
    return wrong("it is a game of " + record.game + ", not of " + std::string(G::kName));
  }
  if (record.outcomes != kOutcomes<G>) return wrong("its outcome vectors have the wrong width");
  states.clear();
  G state;
  if (!record.start.empty()) {
    const Result<G> start = G::from_text(record.start);
    if (!start) return wrong("its start: " + start.error().reason);
    state = *start;
  }
  states.push_back(state);
  for (const RecordedTurn& turn : record.turns()) {
    if (const Result<void> played = play_recorded(record, turn, state); !played) {
      return wrong("turn " + std::to_string(states.size()) + ": " + played.error().reason);
    }
    states.push_back(state);
  }
  const bool over = state.turn() == Turn::kOver;
  switch (record.end()) {
    case EndKind::kPlayed:
      if (over && state.outcome() == record.final_outcome()) return {};
      return wrong("it does not end as its moves do");
    case EndKind::kResigned:
      return {};  // its last move may have ended the game: nobody looked
    case EndKind::kCut:
      if (!over) return {};
      return wrong("it was cut when it was over");
    case EndKind::kNone:
      break;
  }
  return wrong("it has no end");
}

}  // namespace senet
