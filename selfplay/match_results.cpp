#include "selfplay/match_results.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "games/fields.hpp"

namespace senet {
namespace {

std::vector<double> game_values(std::span<const float> values, PairUnit unit) {
  if (unit == PairUnit::kScore) return {0, 0.5, 1};
  std::vector<double> points(values.begin(), values.end());
  points.push_back(0);  // a cut game
  return points;
}

constexpr std::string_view kNoSpread = "no interval: the pairs are too few or all equal";

// Wilson's interval (1927) for a share observed in `trials` trials. Valid even when all trials had
// the same result. Mean scores of pairs lie between 0 and 1, so they vary no more than trials.
Interval wilson(double share, double trials) {
  constexpr double kTwoSided95 = 1.96;
  const double z = kTwoSided95 * kTwoSided95;
  const double middle = (share + z / (2 * trials)) / (1 + z / trials);
  const double half = kTwoSided95 / (1 + z / trials) *
                      std::sqrt(share * (1 - share) / trials + z / (4 * trials * trials));
  return {middle - half, middle + half};
}

/// The 95 % interval of the mean of `pairs` pairs with standard error `error`. None if the spread
/// of pairs is unknown.
std::optional<Interval> around(double mean, double error, std::uint64_t pairs) {
  if (pairs < 2 || error == 0) return std::nullopt;
  const double half = student_two_sided_95(pairs - 1) * error;
  return Interval{mean - half, mean + half};
}

Interval score_interval(const MatchResult& result) {
  const std::uint64_t pairs = result.games / 2;
  const Interval score = around(result.score, result.score_error, pairs)
                             .value_or(wilson(result.score, static_cast<double>(pairs)));
  return {std::max(score.low, 0.0), std::min(score.high, 1.0)};
}

Metric elo_metric(const std::string& game, double score, const Interval& interval) {
  Metric elo{.subject = game,
             .name = "elo_difference",
             .value = elo_difference(score),
             .unit = "Elo",
             .interval = Interval{elo_difference(interval.low), elo_difference(interval.high)}};
  if (std::isinf(elo.value)) {
    elo.note =
        elo.value > 0 ? "infinite: every game was won" : "minus infinite: every game was lost";
  } else if (std::isinf(elo.interval->low) || std::isinf(elo.interval->high)) {
    elo.note = "a bound is infinite because the score's interval reaches 0 or 1";
  }
  return elo;
}

}  // namespace

Result<Hypotheses> read_hypotheses(std::string_view name, std::string_view text) {
  const std::size_t comma = std::min(text.find(','), text.size());
  const auto first = number_of<double>(text.substr(0, comma));
  const auto second = number_of<double>(text.substr(std::min(comma + 1, text.size())));
  if (first && second && std::isfinite(*first) && std::isfinite(*second)) {
    return Hypotheses{*first, *second};
  }
  return fail(
      fmt::format("{} takes two numbers A,B, for example {} 0,10, not \"{}\"", name, name, text));
}

Result<SprtSettings> sprt_settings(std::string_view name, const AnyGame& game,
                                   const Hypotheses& between, SprtSettings settings) {
  settings.mean0 = has_elo(game) ? expected_score(between[0]) : between[0];
  settings.mean1 = has_elo(game) ? expected_score(between[1]) : between[1];
  const double least = has_elo(game) ? 0 : -game.value_range;
  const double most = has_elo(game) ? 1 : game.value_range;
  if (!(between[0] < between[1])) {
    return fail(fmt::format("{} is {},{}: the first number must be smaller than the second", name,
                            between[0], between[1]));
  }
  if (!(least < settings.mean0 && settings.mean1 < most)) {
    return fail(
        fmt::format("{} is {},{} {}: both numbers must be within the range of the results of {}",
                    name, between[0], between[1], unit_name(game), game.name));
  }
  return settings;
}

double MatchResults::worth(const MatchOutcome& outcome) const {
  return unit_ == PairUnit::kScore ? score_of(outcome, values_) : points_of(outcome, values_);
}

MatchResults::MatchResults(std::vector<float> values, PairUnit unit,
                           const std::optional<SprtSettings>& sprt)
    : values_(std::move(values)), unit_(unit) {
  if (sprt) sprt_.emplace(pair_means(game_values(values_, unit)), *sprt);
}

void MatchResults::add(PlayedGame game) {
  assert(!has(game.number));
  if (game.number >= games_.size()) games_.resize(2 * pair_of(game.number) + 2);
  tally_.add(score_of(game.outcome, values_));
  games_[game.number] = std::move(game);
  ++size_;
  for (std::size_t next = counted_.size(); next < games_.size() && games_[next] &&
                                           games_[next + 1] && decision() == Sprt::Decision::kNone;
       next += 2) {
    const MatchOutcome first = games_[next]->outcome, second = games_[next + 1]->outcome;
    for (const MatchOutcome& outcome : {first, second}) {
      counted_.push_back(outcome);
      counted_tally_.add(score_of(outcome, values_));
    }
    if (sprt_) sprt_->add((worth(first) + worth(second)) / 2);
  }
}

std::vector<std::uint64_t> MatchResults::numbers() const {
  std::vector<std::uint64_t> numbers;
  for (const std::optional<PlayedGame>& game : games_) {
    if (game) numbers.push_back(game->number);
  }
  return numbers;
}

double student_two_sided_95(std::uint64_t degrees) {
  const boost::math::students_t distribution(static_cast<double>(degrees));
  return boost::math::quantile(distribution, 0.975);
}

void MatchResults::Tally::add(double score) {
  ++games;
  won += score == 1 ? 1 : 0;
  lost += score == 0 ? 1 : 0;
}

std::string MatchResults::Tally::text() const {
  return fmt::format("{} won, {} drawn, {} lost", won, games - won - lost, lost);
}

StrengthDifference strength_difference(const AnyGame& game, const MatchResults& results) {
  std::vector<MatchOutcome> games(results.counted().begin(), results.counted().end());
  games.insert(games.end(), 2, std::nullopt);
  const MatchResult sum = sum_up(games, results.values());
  const std::uint64_t pairs = games.size() / 2;
  if (!has_elo(game)) {
    // As a share of the range, for Wilson's interval.
    const double range = game.value_range;
    const auto points_of_share = [&](double share) { return range * (2 * share - 1); };
    const Interval wide = wilson((sum.points / range + 1) / 2, static_cast<double>(pairs));
    return {sum.points,
            around(sum.points, sum.points_error, pairs)
                .value_or(Interval{points_of_share(wide.low), points_of_share(wide.high)})};
  }
  std::optional<Interval> score = around(sum.score, sum.score_error, pairs);
  if (!score || score->low <= 0 || score->high >= 1) {
    score = wilson(sum.score, static_cast<double>(pairs));
  }
  return {elo_difference(sum.score), {elo_difference(score->low), elo_difference(score->high)}};
}

std::string difference_text(const AnyGame& game, const StrengthDifference& difference) {
  const auto& [value, interval] = difference;
  const int decimals = has_elo(game) ? 0 : 3;
  return fmt::format("{:+.{}f} {} ({:.{}f} to {:.{}f})", value, decimals, unit_name(game),
                     interval.low, decimals, interval.high, decimals);
}

std::string verdict(const MatchResults& results, bool has_elo) {
  if (results.counted().empty()) return "no pair of games was finished";
  const MatchResult sum = sum_up(results.counted(), results.values());
  if (!has_elo) {
    const auto points = around(sum.points, sum.points_error, sum.games / 2);
    return fmt::format("{}: {:+.3f} points a game{}", results.tally(), sum.points,
                       points ? fmt::format(" ({:.3f} to {:.3f})", points->low, points->high) : "");
  }
  const Interval score = score_interval(sum);
  const double low = elo_difference(score.low), high = elo_difference(score.high);
  if (sum.score == 1) return fmt::format("{}: at least {:+.0f} Elo", results.tally(), low);
  if (sum.score == 0) return fmt::format("{}: at most {:+.0f} Elo", results.tally(), high);
  const std::string interval = std::isinf(low) && std::isinf(high) ? ""
                               : std::isinf(low)  ? fmt::format(" (at most {:.0f})", high)
                               : std::isinf(high) ? fmt::format(" (at least {:.0f})", low)
                                                  : fmt::format(" ({:.0f} to {:.0f})", low, high);
  return fmt::format("{}: {:+.0f} Elo{}", results.tally(), elo_difference(sum.score), interval);
}

std::vector<Metric> match_metrics(const std::string& game, const MatchResults& results,
                                  bool has_elo, const std::array<PlayerFaults, 2>& faults) {
  std::vector<Metric> metrics;
  const auto add = [&](std::string name, auto value, std::string unit,
                       std::optional<Interval> interval = std::nullopt) {
    metrics.push_back(
        {game, std::move(name), static_cast<double>(value), std::move(unit), interval});
  };
  const std::span<const float> values = results.values();
  MatchResult sum;
  if (!results.counted().empty()) {
    sum = sum_up(results.counted(), values);
    const Interval score = score_interval(sum);
    add("score", sum.score, "share", score);
    add("points_per_game", sum.points, "points",
        around(sum.points, sum.points_error, sum.games / 2));
    if (!metrics.back().interval) metrics.back().note = kNoSpread;
    if (has_elo) metrics.push_back(elo_metric(game, sum.score, score));
  }
  sum.outcomes.resize(values.size());
  const std::initializer_list<std::pair<const char*, std::size_t>> counts = {
      {"games", sum.games},
      {"wins", sum.wins},
      {"draws", sum.draws},
      {"losses", sum.losses},
      {"cut_games", sum.cut}};
  for (const auto& [name, count] : counts) add(name, count, "games");
  for (std::size_t i = 0; i < values.size(); ++i) {
    add(fmt::format("games_worth_{:+g}", values[i]), sum.outcomes[i], "games");
  }
  for (std::size_t i = 0; i < sum.pairs.size(); ++i) {
    add(fmt::format("pairs_scoring_{:g}", static_cast<double>(i) / 2), sum.pairs[i], "pairs");
  }
  if (const std::optional<Sprt>& sprt = results.sprt()) {
    add("sprt_llr", sprt->log_likelihood_ratio(), "nats");
    add("sprt_lower_bound", sprt->lower_bound(), "nats");
    add("sprt_upper_bound", sprt->upper_bound(), "nats");
    add("sprt_accepted", sprt->decision() == Sprt::Decision::kH1 ? 1 : 0, "hypothesis");
    if (sprt->decision() == Sprt::Decision::kNone) {
      metrics.back().value = std::numeric_limits<double>::quiet_NaN();
      metrics.back().note = "none: the test has not decided";
    }
  }
  add("first_illegal_moves", faults[0].illegal, "moves");
  add("second_illegal_moves", faults[1].illegal, "moves");
  add("first_crashes", faults[0].crashes, "times");
  add("second_crashes", faults[1].crashes, "times");
  return metrics;
}

}  // namespace senet
