// A match of two players over pairs of games: both games of a pair share opening and dice, with
// sides swapped. Games are reproducible.
//
// Every random draw is a function of the seed, the ply and either the pair (openings, dice) or the
// game (the players' draws). So a game does not depend on which other games are played before it or
// in parallel with it, and an interrupted match, when it is continued, plays exactly the games that
// it would have played without the interruption.
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
  std::uint32_t random_plies = 4;   // random moves at the start of games without dice
  std::uint32_t ply_cap = 2000;     // a longer game (dice count) is cut: counted as a draw
  std::uint64_t seed = 1;           // determines openings, dice and the players' draws
  std::size_t games_at_once = 256;  // games in progress at the same time; at least 1
  /// If set, plays only the game with this number (2 * pair, or 2 * pair + 1).
  std::optional<std::uint64_t> only_game = {};
};

/// One finished game of a match.
struct PlayedGame {
  std::uint64_t number = 0;     // 2 * pair, + 1 when the match's first player is player 1 of it
  std::vector<Action> actions;  // all of them, including rolls, random openings and forced moves
  MatchOutcome outcome;         // from the perspective of the match's first player

  bool operator==(const PlayedGame&) const = default;
};

/// The pair of a game.
inline std::uint64_t pair_of(std::uint64_t game) { return game / 2; }
/// The player index that the match's first player has in a game.
inline Player first_side_of(std::uint64_t game) { return static_cast<Player>(game & 1); }

/// Callbacks of a match in progress.
struct MatchHooks {
  /// Called once for each game when it ends. A failure ends the match.
  std::function<Result<void>(const PlayedGame&)> finished;
  /// Called between moves: true ends the match immediately. Once true, it must stay true.
  std::function<bool()> is_stopped;
};

/// How a match went.
struct MatchRun {
  std::array<PlayerFaults, 2> faults;  // of the first and the second player
  std::optional<Error> fault;          // why the match ended early; empty when is_stopped ended it
};

/// Fails for a game of one player: it has no matches.
Result<void> check_has_matches(const AnyGame& game);

/// Plays a match of `game`, which has matches: all games except those whose numbers are in `played`
/// (ascending). The players outlive the match and may be the same object. An illegal action or a
/// failing player ends the match and is reported in the result.
MatchRun play_match(const AnyGame& game, MatchPlayer& first, MatchPlayer& second,
                    const MatchSettings& settings, const std::vector<std::uint64_t>& played,
                    const MatchHooks& hooks);

/// Plays a whole match and sums up the first player's result. Fails, with the reason, when a player
/// fails or moves illegally.
Result<MatchResult> match_result(const AnyGame& game, MatchPlayer& first, MatchPlayer& second,
                                 const MatchSettings& settings);

/// Checks that `played` can be a game of the match with these settings: openings and rolls are
/// those of the seed, every action is legal, and the outcome follows from the moves.
Result<void> check_played_game(const AnyGame& game, const PlayedGame& played,
                               const MatchSettings& settings);

}  // namespace senet
