// Who can play a match: the interface, and players that need nothing but the rules.
#pragma once

#include <cstddef>
#include <span>

#include "games/any_game.hpp"
#include "games/random.hpp"
#include "senet/result.hpp"

namespace senet {

/// What a player did wrong so far.
struct PlayerFaults {
  std::size_t illegal = 0;  // answers that are no legal move
  std::size_t crashes = 0;  // times it ended, hung or answered nothing that can be read
  std::size_t state = 0;    // of the last choose() that failed: the number of the state at fault
};

/// Chooses moves for many games at once. Belongs to one thread.
class MatchPlayer {
 public:
  virtual ~MatchPlayer() = default;

  /// actions[i] becomes the player's action in states[i], where a player is to move; all states are
  /// of the game that the player plays. draws[i] are random numbers for that decision alone: the
  /// answer may depend on them and on states[i], but not on what else is asked or was asked before.
  /// The three have the same length. Fails when the player cannot go on (faults().state says
  /// where), or with SENET_STOPPED when it was stopped.
  virtual Result<void> choose(std::span<const AnyState> states, std::span<const Random> draws,
                              std::span<Action> actions) = 0;

  /// Players that run in this process have no faults of their own to tell.
  virtual PlayerFaults faults() const { return {}; }
};

/// Plays by a function of the rules: one of AnyGame::players.
class SimpleMatchPlayer final : public MatchPlayer {
 public:
  explicit SimpleMatchPlayer(const SimplePlayer& player) : choose_(player.choose) {}

  Result<void> choose(std::span<const AnyState> states, std::span<const Random> draws,
                      std::span<Action> actions) override {
    for (std::size_t i = 0; i < states.size(); ++i) actions[i] = choose_(states[i], draws[i]);
    return {};
  }

 private:
  Action (*choose_)(const AnyState& state, Random draw);
};

}  // namespace senet
