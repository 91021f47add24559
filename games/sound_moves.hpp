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
/// played(action) for each. Does nothing in a game without sound().
template <Game G, class Played = IgnoreMove>
void play_forced(G& state, Played&& played = {}) {
  if constexpr (SoundMovesGame<G>) {
    while (has_sound_moves(state) && is_decision(state.turn())) {
      ActionList<G::kMaxLegal> sound;
      state.sound(sound);
      if (sound.size() != 1) return;
      state.play(sound.front());
      played(sound.front());
    }
  }
}

}  // namespace senet
