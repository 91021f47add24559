// The games of a match as they finish, in any order, and what of them counts.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

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
class MatchBook {
 public:
  /// For games worth `values` (the game's kOutcomeValues), with a sequential test or without.
  MatchBook(std::vector<float> values, PairUnit unit, const std::optional<SprtSettings>& sprt);

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
  std::vector<std::optional<PlayedGame>> games_;
  std::size_t size_ = 0;
  std::vector<MatchOutcome> counted_;
  std::vector<float> values_;
  PairUnit unit_;
  std::optional<Sprt> sprt_;
};

}  // namespace senet
