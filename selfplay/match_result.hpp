// The result of a match with its standard errors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace senet {

/// How one game of a match ended: an index into the game's kOutcomeValues from the perspective of
/// the match's first player, or nothing when the game was cut.
using MatchOutcome = std::optional<std::uint8_t>;

/// The first player's result. Points are the game's values (1 for a win, 2 for a gammon ...); a cut
/// game counts as a draw with 0 points. Standard errors are computed over the means of pairs,
/// because the two games of a pair share opening and dice and are not independent.
struct MatchResult {
  std::size_t games = 0, wins = 0, draws = 0, losses = 0;
  std::size_t cut = 0;                 // included in draws
  double points = 0;                   // mean per game
  double points_error = 0;             // standard error of that mean; 0 with fewer than two pairs
  double score = 0;                    // (wins + draws / 2) / games
  double score_error = 0;              // its standard error
  std::vector<std::size_t> outcomes;   // count per outcome; cut games are not included
  std::array<std::size_t, 5> pairs{};  // number of pairs that scored 0, 1/2, 1, 3/2, 2 of 2
};

/// Sums up a match. games[2 i] and games[2 i + 1] are pair i; at least one pair. `values` are the
/// game's kOutcomeValues.
MatchResult sum_up(std::span<const MatchOutcome> games, std::span<const float> values);

/// The points of a game for the first player; 0 for a cut game.
double points_of(const MatchOutcome& outcome, std::span<const float> values);
/// 1 for a won game, 1/2 for a drawn or cut one, 0 for a lost one.
double score_of(const MatchOutcome& outcome, std::span<const float> values);

/// The Elo difference at which `score` (0..1) is the expected score:
/// 400 log10(score / (1 - score)). Infinite for 0 and 1.
double elo_difference(double score);
/// The inverse: the expected score (0..1) of a player stronger by `elo`.
double expected_score(double elo);

}  // namespace senet
