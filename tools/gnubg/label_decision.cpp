#include "tools/gnubg/label_decision.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "games/backgammon/phase.hpp"
#include "games/backgammon/position_id.hpp"

namespace senet {
namespace {

constexpr std::size_t kMostInDepth = 80;

/// Rounded to so many digits; never a minus sign before nothing.
double rounded(double value, int digits) {
  const double scale = std::pow(10.0, digits);
  return std::round(value * scale) / scale + 0.0;
}

std::string play_text(const Backgammon& state, const GnubgPlay& play) {
  Backgammon after = state;
  after.play(play.action);
  const backgammon::Probabilities& p = play.evaluation.probabilities;
  std::array<double, 5> probabilities = {p.win, p.win_gammon, p.win_backgammon, p.lose_gammon,
                                         p.lose_backgammon};
  for (double& probability : probabilities) probability = rounded(probability, 4);
  return fmt::format(R"(["{}","{}",{},[{}]])", state.action_text(play.action),
                     backgammon::position_id(after.board()), rounded(play.evaluation.equity, 5),
                     fmt::join(probabilities, ","));
}

}  // namespace

Result<LabelledDecision> label_decision(Gnubg& judge, const MetDecision& met, int ply) {
  ActionList<Backgammon::kMaxLegal> actions;
  met.state.legal(actions);
  const bool is_cut = ply > 1 && actions.size() > kMostInDepth;
  Result<std::vector<GnubgPlay>> plays = judge.rank(met.state, is_cut ? 1 : ply);
  if (!plays) return plays.error();
  if (is_cut) {
    for (std::size_t i = 0; i < kMostInDepth; ++i) {
      const Result<GnubgPlay> deeper = judge.judge(met.state, (*plays)[i].action, ply);
      if (!deeper) return deeper.error();
      (*plays)[i] = *deeper;
    }
    std::ranges::stable_sort(*plays, std::ranges::greater(),
                             [](const GnubgPlay& play) { return play.evaluation.equity; });
  }
  return LabelledDecision{met, std::move(*plays), is_cut ? actions.size() - kMostInDepth : 0};
}

std::string label_line(const std::string& id, const LabelledDecision& decision) {
  const Backgammon& state = decision.met.state;
  const backgammon::Board board = state.board();
  std::vector<std::string> plays;
  for (const GnubgPlay& play : decision.plays) plays.push_back(play_text(state, play));
  return fmt::format(
      R"({{"id":"{}","cls":"{}","ply":{},"posid":"{}","board":[{}],"dice":[{},{}],"n1":{},)"
      R"("moves":[{}]}})",
      id, backgammon::name_of(backgammon::phase_of(board)), decision.met.ply,
      backgammon::position_id(board), fmt::join(signed_points(board), ","), state.dice()->high,
      state.dice()->low, decision.shallow, fmt::join(plays, ","));
}

}  // namespace senet
