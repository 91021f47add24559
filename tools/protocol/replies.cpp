#include "tools/protocol/replies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace senet::protocol {
namespace {

// UCI's score is in hundredths: of a point a game here.
long hundredths(double value) { return std::lround(value * 100); }
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

std::string_view role_name(Role role) {
  switch (role) {
    case Role::kChequer:
      return "chequer";
    case Role::kCube:
      return "cube";
    case Role::kTurn:
      break;
  }
  return "turn";
}

}  // namespace

Result<std::vector<std::string>> info_lines(const senet::Session& game, const SessionResult& result,
                                            Dialect dialect, Role role,
                                            std::chrono::nanoseconds time, bool multipv) {
  const double seconds = std::max(std::chrono::duration<double>(time).count(), 1e-6);
  const long milliseconds = std::lround(seconds * 1000);
  const long speed = std::lround(result.visits / seconds);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < result.lines(); ++i) {
    const SessionResult::Line line = result.line(i);
    const Result<std::vector<std::string>> moves = game.line_text(line.actions);
    if (!moves) return moves.error();
    const Chances chances = chances_of(line.outcomes, game.outcome_values());
    const double value = result.choices[i].value;
    const std::string rank = multipv ? fmt::format(" multipv {}", i + 1) : "";
    if (dialect == Dialect::kUbgi) {
      lines.push_back(fmt::format(
          "info role {} depth {}{} nodes {} time_ms {} nps {} eq {:.4f} pwin {:.4f} pgammon {:.4f} "
          "pbg {:.4f} pv {}",
          role_name(role), result.depth, rank, result.visits, milliseconds, speed, value,
          chances.win, chances.win_double, chances.win_triple, fmt::join(*moves, " ")));
      continue;
    }
    lines.push_back(fmt::format(
        "info depth {}{} nodes {} time {} nps {} hashfull {} score cp {} wdl {} {} {} pv {}",
        result.depth, rank, result.visits, milliseconds, speed, per_mille(result.tree_filled),
        hundredths(value), per_mille(chances.win), per_mille(chances.draw), per_mille(chances.lose),
        fmt::join(*moves, " ")));
  }
  return lines;
}

std::string eval_line(double value, std::span<const float> outcomes,
                      std::span<const float> values) {
  const Chances chances = chances_of(outcomes, values);
  if (std::ranges::all_of(values, [](float end) { return end < 2; })) {
    return fmt::format("eval eq {:.4f} pwin {:.4f} pdraw {:.4f} plose {:.4f}", value, chances.win,
                       chances.draw, chances.lose);
  }
  return fmt::format(
      "eval eq {:.4f} pwin {:.4f} pgammon {:.4f} pbg {:.4f} plosegammon {:.4f} "
      "plosebg {:.4f}",
      value, chances.win, chances.win_double, chances.win_triple, chances.lose_double,
      chances.lose_triple);
}

}  // namespace senet::protocol
