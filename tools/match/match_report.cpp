#include "tools/match/match_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace senet {
namespace {

/// Standard errors on each side of a mean in a 95 % interval.
constexpr double kTwoSided95 = 1.96;

// Wilson's interval (1927) for a share seen in so many trials: also honest when all of them went
// one way.
Interval wilson(double share, double trials) {
  const double z = kTwoSided95 * kTwoSided95;
  const double middle = (share + z / (2 * trials)) / (1 + z / trials);
  const double half = kTwoSided95 / (1 + z / trials) *
                      std::sqrt(share * (1 - share) / trials + z / (4 * trials * trials));
  return {middle - half, middle + half};
}

Interval around(double mean, double error) {
  return {mean - kTwoSided95 * error, mean + kTwoSided95 * error};
}

Interval score_interval(const MatchResult& result) {
  // Nothing but wins, or losses, says nothing of the spread: then the pairs count as trials.
  const bool one_sided = result.score == 0 || result.score == 1;
  const Interval score = !one_sided ? around(result.score, result.score_error)
                                    : wilson(result.score, static_cast<double>(result.games) / 2);
  return {std::max(score.low, 0.0), std::min(score.high, 1.0)};
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
    add("points_per_game", result.points, "points", around(result.points, result.points_error));
    if (has_elo) {
      add("elo_difference", elo_difference(result.score), "Elo",
          Interval{elo_difference(score.low), elo_difference(score.high)});
    }
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
    add("sprt_accepted",
        sprt.decision() == Sprt::Decision::kNone ? std::numeric_limits<double>::quiet_NaN()
        : sprt.decision() == Sprt::Decision::kH0 ? 0
                                                 : 1,
        "hypothesis");
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
