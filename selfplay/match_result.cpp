#include "selfplay/match_result.hpp"

#include <algorithm>
#include <cmath>

namespace senet {
namespace {

/// Mean of independent samples and its standard error.
class Mean {
 public:
  void add(double value) {
    ++count_;
    sum_ += value;
    squares_ += value * value;
  }
  double value() const { return sum_ / count_; }
  double error() const {
    if (count_ < 2) return 0;
    // Rounding may leave the sum of squared deviations a little below 0.
    const double deviations = std::max(0.0, squares_ - sum_ * sum_ / count_);
    return std::sqrt(deviations / (count_ - 1) / count_);
  }

 private:
  double count_ = 0, sum_ = 0, squares_ = 0;
};

}  // namespace

double points_of(const MatchOutcome& outcome, std::span<const float> values) {
  return outcome ? values[*outcome] : 0;
}

double score_of(const MatchOutcome& outcome, std::span<const float> values) {
  const double points = points_of(outcome, values);
  return points > 0 ? 1 : points < 0 ? 0 : 0.5;
}

MatchResult sum_up(std::span<const MatchOutcome> games, std::span<const float> values) {
  MatchResult result;
  result.games = games.size();
  result.outcomes.resize(values.size());
  Mean points, score;
  double pair_points = 0, pair_score = 0;
  for (std::size_t i = 0; i < games.size(); ++i) {
    ++(games[i] ? result.outcomes[*games[i]] : result.cut);
    const double game_score = score_of(games[i], values);
    ++(game_score > 0.5 ? result.wins : game_score < 0.5 ? result.losses : result.draws);
    pair_points += points_of(games[i], values);
    pair_score += game_score;
    if (i % 2 == 1) {
      points.add(pair_points / 2);
      score.add(pair_score / 2);
      ++result.pairs[static_cast<std::size_t>(2 * pair_score)];
      pair_points = pair_score = 0;
    }
  }
  result.points = points.value();
  result.points_error = points.error();
  result.score = score.value();
  result.score_error = score.error();
  return result;
}

double elo_difference(double score) { return 400 * std::log10(score / (1 - score)); }

double expected_score(double elo) { return 1 / (1 + std::pow(10, -elo / 400)); }

}  // namespace senet
