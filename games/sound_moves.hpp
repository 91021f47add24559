// Games that see at a glance which moves throw the game away, and replies that are forced by it.
#pragma once

#include "senet/game.hpp"

namespace senet {

/// Fills `out` (empty on entry) with the moves that deserve a thought: the sound ones of a game
/// that knows them, the legal ones of any other.
template <Game G>
void moves_to_consider(const G& state, ActionList<G::kMaxLegal>& out) {
  if constexpr (SoundMovesGame<G>) {
    if (has_sound_moves(state)) return state.sound(out);
  }
  state.legal(out);
}

struct Unheard {
  void operator()(Action) const {}
};
/// Plays on for as long as a player is to move and has a single sound move, and calls
/// played(action), if it is given, for each. Other games have no forced replies.
template <Game G, class Played = Unheard>
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
