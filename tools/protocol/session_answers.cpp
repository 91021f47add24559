// The session's figures: the lines "info" and "eval".
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/protocol/session.hpp"

namespace senet::protocol {
namespace {

long per_mille(double share) { return std::lround(share * 1000); }

/// Chances of the ways a game can end, for one player. Those worth at least 2, at least 3 (UBGI's
/// "gammon" and "bg") are among the wins and losses; 0 in games without.
struct Chances {
  double win = 0, draw = 0, lose = 0;
  double win_double = 0, win_triple = 0, lose_double = 0, lose_triple = 0;
};

Chances chances_of(std::span<const float> outcomes, std::span<const float> values) {
  Chances chances;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const float end = values[i];
    const double share = outcomes[i];
    (end > 0 ? chances.win : end < 0 ? chances.lose : chances.draw) += share;
    if (end >= 2) chances.win_double += share;
    if (end >= 3) chances.win_triple += share;
    if (end <= -2) chances.lose_double += share;
    if (end <= -3) chances.lose_triple += share;
  }
  return chances;
}

}  // namespace

void Session::say_info(const SessionResult& result, Role role, ServiceClock::time_point began) {
  const std::span<const float> values = engine_.game().outcome_values;
  const std::chrono::duration<double> time = ServiceClock::now() - began;
  const double seconds = std::max(time.count(), 1e-6);
  const long milliseconds = std::lround(seconds * 1000);
  const long speed = std::lround(result.visits / seconds);
  for (std::size_t i = 0; i < result.lines(); ++i) {
    const SessionResult::Line line = result.line(i);
    std::vector<std::string> moves;
    AnyState state = position_;
    for (const Action action : line.actions) {
      moves.push_back(state.action_text(action));
      state.play(action);
    }
    const Chances chances = chances_of(line.outcomes, values);
    const double value = result.choices[i].value;
    const std::string rank = options_.multi_pv > 1 ? fmt::format(" multipv {}", i + 1) : "";
    if (dialect_ == Dialect::kUbgi) {
      constexpr std::string_view kRoles[] = {"chequer", "cube", "turn"};
      say(
          fmt::format("info role {} depth {}{} nodes {} time_ms {} nps {} eq {:.4f} pwin {:.4f} "
                      "pgammon {:.4f} pbg {:.4f} pv {}",
                      kRoles[static_cast<std::size_t>(role)], result.depth, rank, result.visits,
                      milliseconds, speed, value, chances.win, chances.win_double,
                      chances.win_triple, fmt::join(moves, " ")));
    } else {  // UCI's score is in hundredths: of a point a game here
      say(fmt::format(
          "info depth {}{} nodes {} time {} nps {} hashfull {} score cp {} "
          "wdl {} {} {} pv {}",
          result.depth, rank, result.visits, milliseconds, speed, per_mille(result.tree_filled),
          std::lround(value * 100), per_mille(chances.win), per_mille(chances.draw),
          per_mille(chances.lose), fmt::join(moves, " ")));
    }
  }
}

// All figures are for the player on turn or about to roll. In games with ends worth more than 1
// their chances are among the figures.
Result<void> Session::eval(Words) {
  mention_untrained();
  const Result<SessionResult> seen =
      engine_.search(position_, {.network_alone = true}, [] { return true; });
  if (!seen) return refuse(Code::kInternal, seen.error());
  const std::span<const float> values = engine_.game().outcome_values;
  const Chances chances = chances_of(seen->outcomes, values);
  const std::string win = fmt::format("eval eq {:.4f} pwin {:.4f}", seen->value, chances.win);
  return answer(std::ranges::all_of(values, [](float end) { return end < 2; })
                    ? fmt::format("{} pdraw {:.4f} plose {:.4f}", win, chances.draw, chances.lose)
                    : fmt::format("{} pgammon {:.4f} pbg {:.4f} plosegammon {:.4f} plosebg {:.4f}",
                                  win, chances.win_double, chances.win_triple, chances.lose_double,
                                  chances.lose_triple));
}

}  // namespace senet::protocol
