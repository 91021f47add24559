#include "tools/grade.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "tools/connect_four_solver.hpp"
#include "tools/progress_line.hpp"

namespace senet {
namespace {

/// Mean of what `worth` says about the moves of a mix.
template <class Worth>
double mean_over(const MoveMix& mix, Worth&& worth) {
  double sum = 0;
  for (const Action action : mix) sum += worth(action);
  return sum / static_cast<double>(mix.size());
}

/// The mean of the values, times `scale`, as a metric; none when there are no values.
void add_mean(std::vector<Metric>& metrics, std::string subject, std::string name, std::string unit,
              std::span<const double> values, double scale = 1) {
  if (values.empty()) return;
  double sum = 0;
  for (const double value : values) sum += value;
  const Interval interval = bootstrap_mean(values);
  metrics.push_back({.subject = std::move(subject),
                     .name = std::move(name),
                     .value = scale * sum / static_cast<double>(values.size()),
                     .unit = std::move(unit),
                     .interval = Interval{scale * interval.low, scale * interval.high}});
}

void add_count(std::vector<Metric>& metrics, std::string subject, std::string name,
               std::size_t count) {
  metrics.push_back({.subject = std::move(subject),
                     .name = std::move(name),
                     .value = static_cast<double>(count),
                     .unit = "positions"});
}

int sign(int score) { return (score > 0) - (score < 0); }

// Whether moves keep the result. Where the labels do not tell what each column is worth, a solver
// looks.
class ConnectFourJudge {
 public:
  bool keeps_result(const ConnectFourLabel& label, Action action) {
    const int best = sign(label.value);
    if (label.scores) return sign((*label.scores)[action]) == best;
    if (best < 0) return true;
    ConnectFour after = label.state;
    after.play(action);
    if (after.turn() == Turn::kOver) return after.outcome() != 1 || best == 0;
    if (!solver_) solver_.emplace();
    return !solver_->is_at_least(after, 1 - best);
  }

 private:
  std::optional<ConnectFourSolver> solver_;
};

/// What a play loses against the best one, in points; nothing when the labels do not know it.
std::optional<double> loss(const BackgammonLabel& label, Action action) {
  const std::string id = position_after(label, action);
  double best = -3;
  std::optional<double> ours;
  for (const BackgammonLabel::Play& play : label.plays) {
    best = std::max(best, play.equity);
    if (play.after == id) ours = play.equity;
  }
  if (!ours) return std::nullopt;
  return best - *ours;
}

}  // namespace

Grades grade(std::span<const ConnectFourLabel> labels, std::span<const MoveMix> moves) {
  std::vector<double> preserving, preserving_where_it_matters, optimal;
  ConnectFourJudge judge;
  ProgressLine progress("judged", labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const ConnectFourLabel& label = labels[i];
    const auto preserves = [&](Action action) { return judge.keeps_result(label, action); };
    preserving.push_back(mean_over(moves[i], preserves));
    progress.show(i + 1);
    if (!label.scores) continue;
    ActionList<ConnectFour::kMaxLegal> legal;
    label.state.legal(legal);
    if (!std::ranges::all_of(legal, preserves)) {
      preserving_where_it_matters.push_back(preserving.back());
    }
    optimal.push_back(
        mean_over(moves[i], [&](Action action) { return (*label.scores)[action] == label.value; }));
  }
  const std::string subject(ConnectFour::kName);
  Grades grades;
  add_mean(grades.metrics, subject, "result_preserving", "share", preserving);
  add_mean(grades.metrics, subject, "result_preserving_where_it_matters", "share",
           preserving_where_it_matters);
  add_mean(grades.metrics, subject, "optimal", "share", optimal);
  add_count(grades.metrics, subject, "positions", labels.size());
  if (!optimal.empty()) {
    add_count(grades.metrics, subject, "positions_where_it_matters",
              preserving_where_it_matters.size());
  }
  return grades;
}

std::string position_after(const BackgammonLabel& label, Action action) {
  Backgammon after = label.state;
  after.play(action);
  return backgammon::position_id(after.board());
}

Grades grade(std::span<const BackgammonLabel> labels, std::span<const MoveMix> moves) {
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

}  // namespace senet
