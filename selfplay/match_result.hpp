// What a match of many games says about the two players, and how sure that is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace senet {

/// How one game of a match ended: index into the game's kOutcomeValues as the first player of the
/// match sees it, or nothing when the game was cut.
using MatchOutcome = std::optional<std::uint8_t>;

/// The first player's result. Points are the game's values (1 for a win, 2 for a gammon ...); a cut
/// game counts as drawn, with 0 points. Standard errors come from the pairs' means: the two games
/// of a pair share their opening and dice, so they are not independent.
struct MatchResult {
  std::size_t games = 0, wins = 0, draws = 0, losses = 0;
  std::size_t cut = 0;                 // of the draws
  double points = 0;                   // mean per game
  double points_error = 0;             // standard error of that mean; 0 with fewer than two pairs
  double score = 0;                    // (wins + draws / 2) / games
  double score_error = 0;              // its standard error
  std::vector<std::size_t> outcomes;   // how often each way to end, cut games not counted
  std::array<std::size_t, 5> pairs{};  // pairs that scored 0, 1/2, 1, 3/2, 2 of 2
};

/// Sums a match up. games[2 i] and games[2 i + 1] are pair i, at least one pair; `values` are the
/// game's kOutcomeValues.
MatchResult sum_up(std::span<const MatchOutcome> games, std::span<const float> values);

/// A game's points for the first player; a cut game has none.
double points_of(const MatchOutcome& outcome, std::span<const float> values);
/// 1 for a won, 1/2 for a drawn or cut, 0 for a lost game.
double score_of(const MatchOutcome& outcome, std::span<const float> values);

/// The difference in Elo that makes `score` (0..1) the expected score: 400 log10(score / (1 -
/// score)). Infinite for 0 and 1.
double elo_difference(double score);
/// The other way: the score (0..1) that a player this much stronger in Elo is expected to get.
double expected_score(double elo);

}  // namespace senet
