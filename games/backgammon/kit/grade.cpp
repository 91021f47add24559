#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "games/backgammon/kit/exam.hpp"

namespace senet::backgammon {
namespace {

/// What a play loses against the best one, in points; nothing when the labels do not know it.
std::optional<double> loss(const Label& label, Action action) {
  const std::string id = position_after(label, action);
  double best = -3;
  std::optional<double> ours;
  for (const Label::Play& play : label.plays) {
    best = std::max(best, play.equity);
    if (play.after == id) ours = play.equity;
  }
  if (!ours) return std::nullopt;
  return best - *ours;
}

}  // namespace

std::string position_after(const Label& label, Action action) {
  Backgammon after = label.state;
  after.play(action);
  return position_id(after.board());
}

Grades grade(std::span<const Label> labels, std::span<const MoveMix> moves) {
  struct Losses {
    std::vector<double> all, unforced;  // millipoints
  };
  const std::string subject(Backgammon::kName);
  std::map<std::string, Losses> losses = {{subject, {}}};
  Grades grades;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    bool is_matched = true;
    const double mean = mean_over(moves[i], [&](Action action) {
      const std::optional<double> lost = loss(labels[i], action);
      is_matched = is_matched && lost;
      return lost.value_or(0) * 1000;
    });
    if (!is_matched) {
      ++grades.unmatched;
      continue;
    }
    ActionList<Backgammon::kMaxLegal> legal;
    labels[i].state.legal(legal);
    for (const std::string& which : {subject, subject + "/" + labels[i].position_class}) {
      losses[which].all.push_back(mean);
      if (legal.size() > 1) losses[which].unforced.push_back(mean);
    }
  }
  for (const auto& [which, of] : losses) {
    const std::string unit = "millipoints";
    add_mean(grades.metrics, which, "loss_millipoints", unit, of.all);
    add_mean(grades.metrics, which, "loss_unforced_millipoints", unit, of.unforced);
    add_mean(grades.metrics, which, "pr", "PR", of.unforced, 500.0 / 1000);
    if (which != subject) add_count(grades.metrics, which, "positions", of.all.size());
  }
  add_count(grades.metrics, subject, "positions", labels.size());
  add_count(grades.metrics, subject, "unforced", losses[subject].unforced.size());
  add_count(grades.metrics, subject, "unmatched", grades.unmatched);
  return grades;
}

}  // namespace senet::backgammon
