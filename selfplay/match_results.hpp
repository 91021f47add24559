// Collects the games of a match, which finish in any order, and computes the figures of the result.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "games/any_game.hpp"
#include "games/exam.hpp"
#include "selfplay/match.hpp"
#include "selfplay/sprt.hpp"

namespace senet {

enum class PairUnit : std::uint8_t { kScore, kPoints };

/// Elo is reported only for games without dice, which are won, drawn or lost.
inline bool has_elo(const AnyGame& game) { return !game.has_dice; }
inline PairUnit pair_unit(const AnyGame& game) {
  return has_elo(game) ? PairUnit::kScore : PairUnit::kPoints;
}
inline std::string_view unit_name(const AnyGame& game) {
  return has_elo(game) ? "Elo" : "points per game";
}

/// The two strengths between which a sequential test decides, in Elo or points per game.
using Hypotheses = std::array<double, 2>;
/// Reads "A,B". The reason of a failure begins with `name`, that of the option.
Result<Hypotheses> read_hypotheses(std::string_view name, std::string_view text);
/// The settings of that test. Fails when the hypotheses are not in order or out of the game's
/// range.
Result<SprtSettings> sprt_settings(std::string_view name, const AnyGame& game,
                                   const Hypotheses& between, SprtSettings settings = {});

/// Keeps the finished games of a match, indexed by number.
///
/// Only the leading pairs count: those before the first pair with an unfinished game, up to the
/// pair at which the sequential test decided. So a stopped match is not biased towards short games,
/// and the result does not depend on the number of parallel games or on interruptions.
class MatchResults {
 public:
  /// `values` are the game's kOutcomeValues. `sprt` is an optional sequential test.
  MatchResults(std::vector<float> values, PairUnit unit, const std::optional<SprtSettings>& sprt);

  /// Adds a game. Each number may be added once.
  void add(PlayedGame game);

  bool has(std::uint64_t number) const {
    return number < games_.size() && games_[number].has_value();
  }
  /// Numbers of all games added, ascending.
  std::vector<std::uint64_t> numbers() const;
  /// Number of games added.
  std::size_t size() const { return size_; }

  /// Outcomes of the leading games that count: two per counted pair.
  std::span<const MatchOutcome> counted() const { return counted_; }
  /// The game with this number, which must have been added.
  const PlayedGame& game(std::size_t number) const { return *games_[number]; }

  /// The counted games: "192 won, 0 drawn, 8 lost".
  std::string tally() const { return counted_tally_.text(); }
  /// All games added, also those that do not count yet.
  std::string running_tally() const { return tally_.text(); }

  /// The decision of the sequential test; kNone without a test.
  Sprt::Decision decision() const { return sprt_ ? sprt_->decision() : Sprt::Decision::kNone; }
  const std::optional<Sprt>& sprt() const { return sprt_; }

  const std::vector<float>& values() const { return values_; }

 private:
  /// Games by result of the first player.
  struct Tally {
    std::size_t games = 0, won = 0, lost = 0;
    void add(double score);
    std::string text() const;
  };

  double worth(const MatchOutcome& outcome) const;

  std::vector<std::optional<PlayedGame>> games_;
  std::size_t size_ = 0;
  std::vector<MatchOutcome> counted_;
  Tally counted_tally_, tally_;  // of counted_ and of all games
  std::vector<float> values_;
  PairUnit unit_;
  std::optional<Sprt> sprt_;
};

/// Half-width, in standard errors, of the 95 % interval of the mean of `degrees + 1` independent
/// measurements: the 97.5 % quantile of Student's t with `degrees` >= 1 degrees of freedom.
double student_two_sided_95(std::uint64_t degrees);

/// A difference of strength with its 95 % interval.
struct StrengthDifference {
  double value = 0;
  Interval interval;
};
/// How much stronger the first player is, in Elo or points per game. Counts one drawn pair in
/// addition to those of the match, and where the spread of pairs is unknown it uses Wilson's
/// interval, so that all three numbers are finite.
StrengthDifference strength_difference(const AnyGame& game, const MatchResults& results);
/// "+58 Elo (21 to 95)", "+0.120 points per game (0.015 to 0.225)"
std::string difference_text(const AnyGame& game, const StrengthDifference& difference);

/// The result in one line: "192 won, 0 drawn, 8 lost: +552 Elo (457 to 753)", or in points a
/// game if not `has_elo`. The interval is that of match_metrics().
std::string verdict(const MatchResults& results, bool has_elo);

/// The figures of a match, from the first player's perspective: score and points with 95 %
/// intervals from the pairs (Student's t of their means), Elo if `has_elo`, counts by outcome
/// value, the state of the sequential test, and the players' faults. Without a counted pair only
/// the counts.
///
/// With a single pair, or if all pairs have the same result, the spread is unknown. The score then
/// has a Wilson interval with the pairs as trials, which is conservative for any quantity between 0
/// and 1. Points then have a note instead of an interval.
std::vector<Metric> match_metrics(const std::string& game, const MatchResults& results,
                                  bool has_elo, const std::array<PlayerFaults, 2>& faults);

}  // namespace senet
