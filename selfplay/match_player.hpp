// Who can play a match: the interface, and the two players that need nothing but the rules and a
// network.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/lanes/analyse.hpp"
#include "games/draws.hpp"
#include "senet/result.hpp"

namespace senet {

/// What a player did wrong so far.
struct PlayerFaults {
  std::size_t illegal = 0;  // answers that are no legal move
  std::size_t crashes = 0;  // times it ended, hung or answered nothing that can be read
  std::size_t state = 0;    // of the last choose() that failed: the number of the state at fault
};

/// Chooses moves for many games at once. Belongs to one thread.
template <Game G>
class MatchPlayer {
 public:
  virtual ~MatchPlayer() = default;

  /// actions[i] becomes the player's action in states[i], where a player is to move. draws[i] are
  /// random numbers for that decision alone: the answer may depend on them and on states[i], but
  /// not on what else is asked or was asked before. The three have the same length. Fails when the
  /// player cannot go on (faults().state says where), or with SENET_STOPPED when it was stopped.
  virtual Result<void> choose(std::span<const G> states, std::span<const Random> draws,
                              std::span<Action> actions) = 0;

  /// Players that run in this process have no faults of their own to tell.
  virtual PlayerFaults faults() const { return {}; }
};

/// Uniform among the legal actions.
template <Game G>
class RandomPlayer final : public MatchPlayer<G> {
 public:
  Result<void> choose(std::span<const G> states, std::span<const Random> draws,
                      std::span<Action> actions) override {
    for (std::size_t i = 0; i < states.size(); ++i) {
      Random draw = draws[i];
      actions[i] = draw_action(states[i], draw);
    }
    return {};
  }
};

/// The best move of a search without noise.
template <Game G>
class SearchPlayer final : public MatchPlayer<G> {
 public:
  /// Searches of `visits` visits (at least 1), `lanes` of them side by side, a tree each. The
  /// evaluator outlives the player and takes batches of `batch_rows` rows.
  SearchPlayer(Evaluator& evaluator, const SearchSettings& settings, std::uint32_t visits,
               std::size_t lanes, std::size_t batch_rows)
      : analysis_(evaluator, settings, visits, lanes, batch_rows), visits_(visits) {}

  Result<void> choose(std::span<const G> states, std::span<const Random>,
                      std::span<Action> actions) override {
    analysis_.run(states, {.visits = visits_}, 0,
                  [&](std::size_t i, const Decision<G>& decision, const Search<G>&) {
                    actions[i] = decision.best();
                  });
    return {};
  }

 private:
  Analysis<G> analysis_;
  std::uint32_t visits_;
};

}  // namespace senet
