// Replays a recorded game by the rules and checks everything that the file claims.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "selfplay/game_record.hpp"
#include "senet/game.hpp"
#include "senet/result.hpp"

namespace senet {

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
    return fail("it has a move of the player who is not to move");
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
    return fail("it has a visit list without any visits");
  }
  state.play(turn.action);
  return {};
}

/// Fills `states` with the state before each turn of `record` and the state after the last. Fails
/// when the record is not a legal game of G: its turns, its visits or its end. `states` then ends
/// with the state before the faulty turn; it is empty when the record has no valid start in G.
/// `start` is where games begin whose records name no other start.
template <Game G>
Result<void> replay(const GameRecord& record, std::vector<G>& states,
                    const G& start = only_start<G>()) {
  const auto wrong = [&](const std::string& what) {
    return fail("game " + std::to_string(record.game_number) + ": " + what);
  };
  states.clear();
  if (record.game != game_name(start)) {
    return wrong("it is a game of " + record.game + ", not of " + std::string(game_name(start)));
  }
  if (record.outcomes != outcome_values(start).size())
    return wrong("its outcome vectors have the wrong width");
  G state = start;
  if (!record.start.empty()) {
    const Result<G> other = read_state(start, record.start);
    if (!other) return wrong("its start: " + other.error().reason());
    state = *other;
  }
  states.push_back(state);
  for (const RecordedTurn& turn : record.turns()) {
    if (const Result<void> played = play_recorded(record, turn, state); !played) {
      return wrong("turn " + std::to_string(states.size()) + ": " + played.error().reason());
    }
    states.push_back(state);
  }
  const bool over = state.turn() == Turn::kOver;
  switch (record.end()) {
    case EndKind::kPlayed:
      if (over && state.outcome() == record.final_outcome()) return {};
      return wrong("its outcome does not follow from its moves");
    case EndKind::kResigned:
      return {};  // not checked: the last move may have ended the game
    case EndKind::kCut:
      if (!over) return {};
      return wrong("it was cut, but its moves end it");
    case EndKind::kNone:
      break;
  }
  return wrong("it has no end");
}

}  // namespace senet
