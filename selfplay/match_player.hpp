// The interface of match players, and players that use only the rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "games/any_game.hpp"
#include "games/random.hpp"
#include "senet/result.hpp"

namespace senet {

/// Faults of a player so far.
struct PlayerFaults {
  std::size_t illegal = 0;  // answers that are not legal moves
  std::size_t crashes = 0;  // times it exited, hung or gave an unreadable answer
  std::size_t state = 0;    // index of the state at which the last choose() failed
};

/// What a player that searches with a network has spent so far.
struct PlayerEffort {
  std::uint64_t evaluations = 0;  // rows
  std::uint64_t cached = 0;       // of these, from the evaluation cache
};

/// Chooses moves for many games at once. Used by one thread.
class MatchPlayer {
 public:
  virtual ~MatchPlayer() = default;

  /// Sets actions[i] to the player's action in states[i], where a player is to move; all states are
  /// of the game that the player plays. draws[i] is the random stream of that decision: the answer
  /// may depend on it and on states[i], but not on the other states of this or earlier calls. The
  /// three spans have the same length. Fails when the player cannot continue (faults().state is the
  /// index of the state), or with SENET_STOPPED when it was stopped.
  virtual Result<void> choose(std::span<const AnyState> states, std::span<const Random> draws,
                              std::span<Action> actions) = 0;

  /// Players that run in this process report no faults.
  virtual PlayerFaults faults() const { return {}; }
  /// Other players report none.
  virtual PlayerEffort effort() const { return {}; }
};

/// Plays a function of the rules: one of AnyGame::players.
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
