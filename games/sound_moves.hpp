// Helpers for games with sound() (SoundMovesGame): the moves to consider, and forced replies.
#pragma once

#include "senet/game.hpp"

namespace senet {

/// Fills `out` (empty on entry) with the sound moves, or with the legal moves when the game has no
/// sound().
template <Game G>
void moves_to_consider(const G& state, ActionList<G::kMaxLegal>& out) {
  if constexpr (SoundMovesGame<G>) {
    if (has_sound_moves(state)) return state.sound(out);
  }
  state.legal(out);
}

struct IgnoreMove {
  void operator()(Action) const {}
};
/// Plays forced moves, as long as a player is to move and has a single sound move. Calls
/// played(action) for each. Does nothing in a game without sound(). Returns whether `moves` now
/// holds the moves to consider in `state`.
template <Game G, class Played>
bool play_forced(G& state, ActionList<G::kMaxLegal>& moves, Played&& played) {
  if constexpr (SoundMovesGame<G>) {
    while (has_sound_moves(state) && is_decision(state.turn())) {
      moves.clear();
      state.sound(moves);
      if (moves.size() != 1) return true;
      const Action forced = moves.front();
      state.play(forced);
      played(forced);
    }
  }
  return false;
}
template <Game G, class Played = IgnoreMove>
void play_forced(G& state, Played&& played = {}) {
  ActionList<G::kMaxLegal> moves;
  play_forced(state, moves, played);
}

}  // namespace senet
