#include "games/connect_four/kit/exam.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "games/connect_four/kit/solver.hpp"
#include "games/fields.hpp"

namespace senet::connect_four {
namespace {

constexpr std::string_view kHeader = "moves,ply,s1,s2,s3,s4,s5,s6,s7";
constexpr std::size_t kFirstScore = 2;
constexpr std::size_t kValue = kFirstScore + ConnectFour::kColumns;
constexpr int kBestScore = 21;

Result<int> number(std::string_view text, std::string_view what, int low = -kBestScore,
                   int high = kBestScore) {
  const std::optional<int> value = number_of(text, low, high);
  if (value) return *value;
  return fail(fmt::format("{} \"{}\" is not a whole number from {} to {}", what, text, low, high));
}

Result<Label> position_of(std::string_view moves) {
  if (moves.find_first_not_of("1234567") != std::string_view::npos) {
    return fail(fmt::format("moves \"{}\" are not columns 1 to 7", moves));
  }
  const Result<ConnectFour> state = ConnectFour::from_text(moves);
  if (!state) return state.error();
  if (state->turn() == Turn::kOver) return fail("the game is over");
  return Label{.moves = std::string(moves), .state = *state};
}

Result<Label> parse_columns(std::string_view line) {
  const std::vector<std::string_view> fields = split(line, ",");
  if (fields.size() < kValue) {
    return fail(fmt::format("{} fields, but at least {} are required", fields.size(), kValue));
  }
  Result<Label> label = position_of(fields[0]);
  if (!label) return label;
  const Result<int> ply = number(fields[1], "ply", 0, static_cast<int>(ConnectFour::kCells));
  if (!ply) return ply.error();
  if (static_cast<std::size_t>(*ply) != label->moves.size()) {
    return fail(fmt::format("ply {} after {} moves", *ply, label->moves.size()));
  }

  ActionList<ConnectFour::kMaxLegal> legal;
  label->state.legal(legal);
  label->scores.emplace();
  label->value = -kBestScore;
  for (std::size_t column = 0; column < ConnectFour::kColumns; ++column) {
    const std::string_view field = fields[kFirstScore + column];
    const bool is_legal = std::ranges::find(legal, column) != legal.end();
    if (is_legal == field.empty()) {
      return fail(fmt::format("column {} {}", column + 1,
                              is_legal ? "has no score" : "is full, but has a score"));
    }
    if (!is_legal) continue;
    const Result<int> value = number(field, "score");
    if (!value) return value.error();
    (*label->scores)[column] = *value;
    label->value = std::max(label->value, *value);
  }
  if (fields.size() > kValue) {
    const Result<int> value = number(fields[kValue], "value");
    if (!value) return value.error();
    if (*value != label->value) {
      return fail(fmt::format("value {}, but the best score is {}", *value, label->value));
    }
  }
  return label;
}

Result<Label> parse_value(std::string_view line) {
  const std::string_view moves = line.substr(0, line.find(' '));
  if (moves.size() == line.size()) return fail("the value after the moves is missing");
  Result<Label> label = position_of(moves);
  if (!label) return label;
  const Result<int> value = number(line.substr(moves.size() + 1), "value");
  if (!value) return value.error();
  label->value = *value;
  return label;
}

int sign(int score) { return (score > 0) - (score < 0); }

Grades grade(std::span<const Label> labels, std::span<const MoveMix> moves,
             const GradeProgress& progress) {
  std::vector<double> preserving, preserving_where_it_matters, optimal;
  std::optional<Solver> solver;  // for labels without the score of each column
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
    if (!progress(i + 1)) break;
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
  add_count(grades.metrics, subject, "positions", preserving.size());
  if (!optimal.empty()) {
    add_count(grades.metrics, subject, "positions_where_it_matters",
              preserving_where_it_matters.size());
  }
  return grades;
}

}  // namespace

Result<std::vector<Label>> read_labels(const std::string& file) {
  auto parse = parse_value;
  bool begun = false;
  return labels_in<Label>(file, [&](std::string_view line) -> Result<std::optional<Label>> {
    if (!std::exchange(begun, true)) {
      if (line.starts_with(kHeader)) {
        parse = parse_columns;
        return std::nullopt;
      }
      if (line.find_first_not_of("0123456789- ") != std::string_view::npos) {
        return fail(
            fmt::format("begins neither with \"{}\" nor with moves and their value", kHeader));
      }
    }
    Result<Label> label = parse(line);
    if (!label) return label.error();
    return std::move(*label);
  });
}

Result<Exam> read_exam(const std::string& file) {
  return exam_of(read_labels(file), &grade, [](const Label& label, Action answer) {
    return label.moves + "," + label.state.action_text(answer);
  });
}

}  // namespace senet::connect_four
