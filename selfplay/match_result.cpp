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

MatchResult sum_up(std::span<const MatchGame> games, std::span<const float> values) {
  MatchResult result;
  result.games = games.size();
  result.outcomes.resize(values.size());
  Mean points, score;
  double pair_points = 0, pair_score = 0;
  for (std::size_t i = 0; i < games.size(); ++i) {
    float value = 0;
    if (games[i]) {
      value = values[*games[i]];
      ++result.outcomes[*games[i]];
    } else {
      ++result.cut;
    }
    ++(value > 0 ? result.wins : value < 0 ? result.losses : result.draws);
    pair_points += value / 2.0;
    pair_score += value > 0 ? 0.5 : value < 0 ? 0.0 : 0.25;
    if (i % 2 == 1) {
      points.add(pair_points);
      score.add(pair_score);
      pair_points = pair_score = 0;
    }
  }
  result.points = points.value();
  result.points_error = points.error();
  result.score = score.value();
  result.score_error = score.error();
  return result;
}

double elo_difference(double score) { return -400 * std::log10(1 / score - 1); }

}  // namespace senet
