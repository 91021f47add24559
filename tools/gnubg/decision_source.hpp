// Where decisions come from that are worth a label: games played for the purpose, recorded games,
// older labels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "games/backgammon/backgammon.hpp"
#include "games/random.hpp"
#include "senet/result.hpp"

namespace senet {

/// A decision and where it was met.
struct MetDecision {
  Backgammon state{};      // a player has rolled
  std::uint64_t game = 0;  // number of the game
  std::uint32_t ply = 0;   // turns of players before this one
};

/// Takes one decision; false when it wants no more.
using TakeDecision = std::function<Result<bool>(const MetDecision&)>;

/// Decisions of games without end: game after game by `seed`, each turn played by `choose`, which
/// is asked with random numbers for that turn. Ends when `take` wants no more or something fails.
Result<void> visit_played_decisions(
    std::uint64_t seed,
    const std::function<Result<Action>(const Backgammon& state, Random& draw)>& choose,
    const TakeDecision& take);

/// Decisions of the games in a log, in its order. Fails when it is no log of backgammon or holds a
/// game that the rules do not allow.
Result<void> visit_recorded_decisions(const std::filesystem::path& log, const TakeDecision& take);

/// Decisions of a file of labels, in its order; each counts as a game of its own.
Result<void> visit_labelled_decisions(const std::filesystem::path& labels,
                                      const TakeDecision& take);

}  // namespace senet
