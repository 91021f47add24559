#include "tools/protocol/replies.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace senet::protocol {
namespace {

// UCI's score is in hundredths: of a point a game here.
long hundredths(double value) { return std::lround(value * 100); }
long per_mille(double share) { return std::lround(share * 1000); }

// A turn is one move however many words it has, so only one is told in a line of moves.
std::string joined(const std::vector<std::string>& moves) {
  std::string text;
  for (const std::string& move : moves) text.append(text.empty() ? "" : " ").append(move);
  return text;
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

std::vector<std::string> info_lines(const Thought& thought, Dialect dialect, Role role,
                                    std::chrono::nanoseconds time, bool multipv) {
  const double seconds = std::max(std::chrono::duration<double>(time).count(), 1e-6);
  const long milliseconds = std::lround(seconds * 1000);
  const long speed = std::lround(thought.visits / seconds);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < thought.variations.size(); ++i) {
    const Variation& variation = thought.variations[i];
    const Chances& chances = variation.worth.chances;
    const std::string rank = multipv ? fmt::format(" multipv {}", i + 1) : "";
    if (dialect == Dialect::kUbgi) {
      lines.push_back(fmt::format(
          "info role {} depth {}{} nodes {} time_ms {} nps {} eq {:.4f} pwin {:.4f} pgammon {:.4f} "
          "pbg {:.4f} pv {}",
          role_name(role), thought.depth, rank, thought.visits, milliseconds, speed,
          variation.worth.value, chances.win, chances.win_gammon, chances.win_backgammon,
          joined(variation.moves)));
      continue;
    }
    lines.push_back(fmt::format(
        "info depth {}{} nodes {} time {} nps {} hashfull {} score cp {} wdl {} {} {} pv {}",
        thought.depth, rank, thought.visits, milliseconds, speed, per_mille(thought.tree_filled),
        hundredths(variation.worth.value), per_mille(chances.win), per_mille(chances.draw),
        per_mille(chances.lose), joined(variation.moves)));
  }
  return lines;
}

std::string eval_line(const Evaluation& evaluation, bool has_gammons) {
  const Chances& chances = evaluation.chances;
  if (!has_gammons) {
    return fmt::format("eval eq {:.4f} pwin {:.4f} pdraw {:.4f} plose {:.4f}", evaluation.value,
                       chances.win, chances.draw, chances.lose);
  }
  return fmt::format(
      "eval eq {:.4f} pwin {:.4f} pgammon {:.4f} pbg {:.4f} plosegammon {:.4f} "
      "plosebg {:.4f}",
      evaluation.value, chances.win, chances.win_gammon, chances.win_backgammon,
      chances.lose_gammon, chances.lose_backgammon);
}

}  // namespace senet::protocol
