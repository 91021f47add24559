// Random games recorded as if they had been searched, for training tests.
#pragma once

#include <vector>

#include "games/random.hpp"
#include "selfplay/game_record.hpp"

namespace senet {

/// Game `number`, always the same: a legal game of G, which has no dice, from start to end, with
/// every decision a full search with visits and a root.
template <Game G>
GameRecord random_game(std::uint64_t number) {
  Random random(17, number, 0, Purpose::kTest);
  GameRecord record;
  record.game = std::string(G::kName);
  record.outcomes = kOutcomes<G>;
  record.game_number = number;
  G state;
  for (; state.turn() != Turn::kOver;) {
    ActionList<G::kMaxLegal> legal;
    state.legal(legal);
    std::vector<VisitCount> visits;
    for (const Action action : legal) visits.push_back({action, 1 + random.below(50)});
    std::vector<float> root(kOutcomes<G>);
    random.dirichlet(1, root);
    const Action action = legal[random.below(static_cast<std::uint32_t>(legal.size()))];
    record.add_decision({.action = action,
                         .player = static_cast<Player>(state.turn() == Turn::kPlayer1),
                         .kind = TurnKind::kFullSearch,
                         .root_outcomes = root,
                         .visits = visits});
    state.play(action);
  }
  record.end_played(state.outcome());
  return record;
}

/// The same game with all moves recorded as random: it has no samples.
template <Game G>
GameRecord unsearched_game(std::uint64_t number) {
  const GameRecord searched = random_game<G>(number);
  GameRecord record;
  record.game = searched.game;
  record.outcomes = searched.outcomes;
  record.game_number = number;
  for (const RecordedTurn& turn : searched.turns()) {
    record.add_decision({.action = turn.action, .player = turn.player, .kind = TurnKind::kRandom});
  }
  record.end_played(searched.final_outcome());
  return record;
}

}  // namespace senet
