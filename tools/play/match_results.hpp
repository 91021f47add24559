// The games of a match as they finish, in any order, what of them counts, and the result in
// figures.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "games/exam.hpp"
#include "selfplay/match.hpp"
#include "selfplay/sprt.hpp"

namespace senet {

/// What a pair of games is judged by.
enum class PairUnit : std::uint8_t { kScore, kPoints };

/// Keeps the finished games of a match in the order of their numbers.
///
/// What counts are the leading pairs both of whose games have finished, up to the one at which the
/// sequential test decided. So the result of a match that was stopped does not favour short games,
/// and does not depend on how many games were played side by side or how often it was interrupted.
class MatchResults {
 public:
  /// For games worth `values` (the game's kOutcomeValues), with a sequential test or without.
  MatchResults(std::vector<float> values, PairUnit unit, const std::optional<SprtSettings>& sprt);

  /// Adds a game, each number once.
  void add(PlayedGame game);

  bool has(std::uint64_t number) const {
    return number < games_.size() && games_[number].has_value();
  }
  /// Numbers of all games added, ascending.
  std::vector<std::uint64_t> numbers() const;
  /// Games added.
  std::size_t size() const { return size_; }

  /// The leading games that count; twice as many as counted pairs.
  std::span<const MatchOutcome> counted() const { return counted_; }
  /// One of them.
  const PlayedGame& game(std::size_t number) const { return *games_[number]; }

  /// The test's decision; none without a test.
  Sprt::Decision decision() const { return sprt_ ? sprt_->decision() : Sprt::Decision::kNone; }
  const std::optional<Sprt>& sprt() const { return sprt_; }

  const std::vector<float>& values() const { return values_; }

 private:
  double worth(const MatchOutcome& outcome) const;

  std::vector<std::optional<PlayedGame>> games_;
  std::size_t size_ = 0;
  std::vector<MatchOutcome> counted_;
  std::vector<float> values_;
  PairUnit unit_;
  std::optional<Sprt> sprt_;
};

/// Standard errors on each side of the mean of `degrees + 1` independent measurements in its 95 %
/// interval: the 97.5 % quantile of Student's t with so many degrees of freedom, at least 1.
double student_two_sided_95(std::uint64_t degrees);

/// The first player's figures with 95 % intervals from the pairs (Student's t of their means), Elo
/// where a game is won, drawn or lost and nothing else (`has_elo`), the split by what games were
/// worth, the state of the sequential test if there is one, and what the players did wrong. Without
/// a counted pair only the counts.
///
/// One pair, or pairs all of the same result, say nothing of how pairs differ. The score then has
/// Wilson's interval with the pairs as trials, which is wide enough for anything between 0 and 1;
/// points have none, and a note that says so.
std::vector<Metric> match_metrics(const std::string& game, const MatchResults& results,
                                  bool has_elo, const std::array<PlayerFaults, 2>& faults);

}  // namespace senet
