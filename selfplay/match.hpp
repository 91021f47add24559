// Two players, the same openings and the same dice with sides swapped: games whose result can be
// believed and which can be played again.
//
// Everything drawn is a function of seed, pair (openings, dice) or game (what players draw) and
// ply. So a game does not depend on which others are played beside it, before it or not at all, and
// a match that goes on after an interruption plays what it would have played anyway.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "games/any_game.hpp"
#include "selfplay/match_player.hpp"
#include "selfplay/match_result.hpp"

namespace senet {

struct MatchSettings {
  std::size_t pairs = 100;          // each opening is played twice, with sides swapped; at least 1
  std::uint32_t random_plies = 4;   // moves drawn blindly at the start of games without dice
  std::uint32_t ply_cap = 2000;     // a longer game (dice count) is cut: drawn, and counted
  std::uint64_t seed = 1;           // fixes openings, dice and what the players draw
  std::size_t games_at_once = 256;  // games under way side by side; at least 1
  /// Only this game, if any: number 2 * pair + 0 or 1.
  std::optional<std::uint64_t> only_game = {};
};

/// One finished game of a match.
struct PlayedGame {
  std::uint64_t number = 0;     // 2 * pair, + 1 when the match's first player is player 1 of it
  std::vector<Action> actions;  // all of them: rolls, blind openings and forced moves included
  MatchOutcome outcome;         // as the match's first player sees it

  bool operator==(const PlayedGame&) const = default;
};

/// Which pair a game belongs to.
inline std::uint64_t pair_of(std::uint64_t game) { return game / 2; }
/// Which player of the game the match's first player is.
inline Player first_side_of(std::uint64_t game) { return static_cast<Player>(game & 1); }

/// What a match tells while it is played.
struct MatchHooks {
  /// Called once for each game as it ends. A failure ends the match.
  std::function<Result<void>(const PlayedGame&)> finished;
  /// Asked between moves: true ends the match where it stands. What it told once it goes on
  /// telling.
  std::function<bool()> is_stopped;
};

/// How a match went.
struct MatchRun {
  std::array<PlayerFaults, 2> faults;  // of the first and the second player
  std::optional<Error> fault;          // why it ended early, unless it was told to
};

/// Plays a match of `game` from its first move to its last. The players outlive the match, and may
/// be the same object. Plays all games but those whose numbers are in `played` (ascending). An
/// illegal action of either player, or a player that fails, ends the match and is told in the
/// result.
MatchRun play_match(const AnyGame& game, MatchPlayer& first, MatchPlayer& second,
                    const MatchSettings& settings, const std::vector<std::uint64_t>& played,
                    const MatchHooks& hooks);

/// Plays a whole match and sums it up: how good the first player is against the second. The reason
/// when a player fails or moves illegally.
Result<MatchResult> match_result(const AnyGame& game, MatchPlayer& first, MatchPlayer& second,
                                 const MatchSettings& settings);

/// Checks that a told game is one of the match with these settings: the openings and rolls are
/// those of the seed, every action is legal, and it ends as told.
Result<void> check_played_game(const AnyGame& game, const PlayedGame& played,
                               const MatchSettings& settings);

}  // namespace senet
