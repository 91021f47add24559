#include <algorithm>
#include <optional>
#include <string>

#include "games/connect_four/kit/exam.hpp"
#include "games/connect_four/kit/solver.hpp"

namespace senet::connect_four {
namespace {

int sign(int score) { return (score > 0) - (score < 0); }

}  // namespace

Grades grade(std::span<const Label> labels, std::span<const MoveMix> moves,
             const GradeProgress& progress) {
  std::vector<double> preserving, preserving_where_it_matters, optimal;
  std::optional<Solver> solver;  // for labels that do not say what each column is worth
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const Label& label = labels[i];
    const auto preserves = [&](Action action) {
      const int best = sign(label.value);
      if (label.scores) return sign((*label.scores)[action]) == best;
      if (best < 0) return true;
      ConnectFour after = label.state;
      after.play(action);
      if (after.turn() == Turn::kOver) return after.outcome() != 1 || best == 0;
      if (!solver) solver.emplace();
      return solver->score(after, -best, 1 - best) <= -best;
    };
    preserving.push_back(mean_over(moves[i], preserves));
    progress(i + 1);
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

}  // namespace senet::connect_four
