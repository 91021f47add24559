#include "tools/match/match_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "tools/match/student.hpp"

namespace senet {
namespace {

constexpr std::string_view kNoSpread = "no interval: too few pairs, or all of them alike";

// Wilson's interval (1927) for a share seen in so many trials: also honest when all of them went
// one way. The mean scores of pairs, which lie between 0 and 1 too, spread no more than that.
Interval wilson(double share, double trials) {
  constexpr double kTwoSided95 = 1.96;
  const double z = kTwoSided95 * kTwoSided95;
  const double middle = (share + z / (2 * trials)) / (1 + z / trials);
  const double half = kTwoSided95 / (1 + z / trials) *
                      std::sqrt(share * (1 - share) / trials + z / (4 * trials * trials));
  return {middle - half, middle + half};
}

/// Around the mean of so many pairs with this standard error; none where nothing is known of how
/// pairs differ.
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
    elo.note = "no bound where the interval of the score ends at 0 or 1";
  }
  return elo;
}

}  // namespace

std::vector<Metric> match_metrics(const std::string& game, const MatchBook& book, bool has_elo,
                                  const std::array<PlayerFaults, 2>& faults) {
  std::vector<Metric> metrics;
  const auto add = [&](std::string name, double value, std::string unit,
                       std::optional<Interval> interval = std::nullopt) {
    metrics.push_back({game, std::move(name), value, std::move(unit), interval});
  };
  const auto add_count = [&](std::string name, std::size_t count, const char* unit) {
    add(std::move(name), static_cast<double>(count), unit);
  };
  MatchResult result;
  if (!book.counted().empty()) {
    result = sum_up(book.counted(), book.values());
    const Interval score = score_interval(result);
    add("score", result.score, "share", score);
    add("points_per_game", result.points, "points",
        around(result.points, result.points_error, result.games / 2));
    if (!metrics.back().interval) metrics.back().note = kNoSpread;
    if (has_elo) metrics.push_back(elo_metric(game, result.score, score));
  }
  result.outcomes.resize(book.values().size());
  add_count("games", result.games, "games");
  add_count("wins", result.wins, "games");
  add_count("draws", result.draws, "games");
  add_count("losses", result.losses, "games");
  add_count("cut_games", result.cut, "games");
  for (std::size_t i = 0; i < result.outcomes.size(); ++i) {
    add_count(fmt::format("games_worth_{:+g}", book.values()[i]), result.outcomes[i], "games");
  }
  for (std::size_t i = 0; i < result.pairs.size(); ++i) {
    add_count(fmt::format("pairs_scoring_{:g}", static_cast<double>(i) / 2), result.pairs[i],
              "pairs");
  }
  if (book.sprt()) {
    const Sprt& sprt = *book.sprt();
    add("sprt_llr", sprt.log_likelihood_ratio(), "nats");
    add("sprt_lower_bound", sprt.lower_bound(), "nats");
    add("sprt_upper_bound", sprt.upper_bound(), "nats");
    const bool is_open = sprt.decision() == Sprt::Decision::kNone;
    add("sprt_accepted",
        is_open                                  ? std::numeric_limits<double>::quiet_NaN()
        : sprt.decision() == Sprt::Decision::kH0 ? 0
                                                 : 1,
        "hypothesis");
    if (is_open) metrics.back().note = "none: the test has not decided";
  }
  add_count("first_illegal_moves", faults[0].illegal, "moves");
  add_count("second_illegal_moves", faults[1].illegal, "moves");
  add_count("first_crashes", faults[0].crashes, "times");
  add_count("second_crashes", faults[1].crashes, "times");
  return metrics;
}

std::string sprt_sentence(const MatchBook& book, double first, double second,
                          std::string_view unit) {
  if (!book.sprt()) return "";
  const Sprt& sprt = *book.sprt();
  const std::string state =
      sprt.decision() == Sprt::Decision::kNone
          ? std::string("has not decided")
          : fmt::format("accepts {:+g} {}", sprt.decision() == Sprt::Decision::kH0 ? first : second,
                        unit);
  return fmt::format(
      "SPRT {:+g} against {:+g} {}: {} after {} pairs, LLR {:.2f} ({:.2f} .. {:.2f})", first,
      second, unit, state, book.counted().size() / 2, sprt.log_likelihood_ratio(),
      sprt.lower_bound(), sprt.upper_bound());
}

}  // namespace senet
