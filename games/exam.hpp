// Exams: positions whose best moves are known, and the grades of a player's moves in them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "games/any_game.hpp"

namespace senet {

/// The range of a figure: its 95 % confidence interval, or the minimum and maximum of several runs.
struct Interval {
  double low = 0;
  double high = 0;
};

/// One measured figure.
struct Metric {
  std::string subject;  // what was measured, "case" in JSON
  std::string name;
  double value = 0;
  std::string unit;
  std::optional<Interval> interval = {};
  std::size_t repeats = 0;  // number of runs that `value` is the median of; 0: not a median
  std::string note = {};    // why the value, the interval or one of its ends is missing, in words
};

/// The 95 % interval of the mean of `values` by the percentile bootstrap (Efron 1979) with 2,000
/// resamples from a fixed seed: the same values give the same interval. `values` is not empty.
Interval bootstrap_mean(std::span<const double> values);

/// Appends the mean of `values` times `scale` with its bootstrap interval. Does nothing when
/// `values` is empty.
void add_mean(std::vector<Metric>& metrics, std::string subject, std::string name, std::string unit,
              std::span<const double> values, double scale = 1);
/// Appends a number of positions.
void add_count(std::vector<Metric>& metrics, std::string subject, std::string name,
               std::size_t count);

/// A player's answer to one position: legal moves that it plays with equal probability. Not empty.
using MoveMix = std::vector<Action>;

/// The mean of worth(action) over the moves of a mix.
template <class Worth>
double mean_over(const MoveMix& mix, Worth&& worth) {
  double sum = 0;
  for (const Action action : mix) sum += worth(action);
  return sum / static_cast<double>(mix.size());
}

struct Grades {
  std::vector<Metric> metrics;
  std::size_t unmatched = 0;  // positions with a move that the labels do not rate
};

/// Called with the number of positions graded so far, if grading is slow. False ends it: the grades
/// are then those of these positions.
using GradeProgress = std::function<bool(std::size_t graded)>;

/// An exam of one game. The game's kit reads it from a file.
struct Exam {
  /// In each of them a player is to move.
  std::vector<AnyState> positions;
  /// Grades moves[i] in position i, for all positions.
  std::function<Grades(std::span<const MoveMix> moves, const GradeProgress& progress)> grade;
  /// A machine-readable line with the answer to a position, without a line end.
  std::function<std::string(std::size_t position, Action answer)> answer_line;
};

/// Calls `use` for every line of `file` that is not blank, without its line end. Stops at the first
/// error and returns it as "<file>: line <number>: <reason>". Fails when the file cannot be read or
/// a line is longer than 16 MiB.
Result<void> for_each_line(const std::string& file,
                           const std::function<Result<void>(std::string_view line)>& use);

/// The exam of any game, from lines of JSON whose format kPlainExamText describes. Validates the
/// whole file; fails as for_each_line() does, and when the file has no labels. The table must
/// outlive the exam.
Result<Exam> read_plain_exam(const AnyGame& game, const std::string& file);
inline constexpr std::string_view kPlainExamText =
    "one JSON object per line, {\"position\": P, \"best\": [MOVE, ...]} or\n"
    "{\"position\": P, \"moves\": {MOVE: RESULT, ...}}, with the expected result of each\n"
    "move for the player to move; answers: position, move";

/// The exam of a file in the game's own format, or else a plain one.
Result<Exam> read_exam(const AnyGame& game, const std::string& file);

/// Reads the labels of a file. `parse(line)` returns Result<std::optional<Label>>; nothing for a
/// line without a label. Fails as for_each_line() does, and when the file has no labels.
template <class Label, class Parse>
Result<std::vector<Label>> labels_in(const std::string& file, Parse&& parse) {
  std::vector<Label> labels;
  const Result<void> read = for_each_line(file, [&](std::string_view line) -> Result<void> {
    Result<std::optional<Label>> label = parse(line);
    if (!label) return label.error();
    if (*label) labels.push_back(std::move(**label));
    return {};
  });
  if (!read) return read.error();
  if (labels.empty()) return fail(file + ": no labelled positions");
  return labels;
}

/// Makes an exam of labels. Each label's position is its member `state`. The exam calls
/// grade(labels, moves, progress) and answer_line(label, answer).
template <class Label, class Grade, class AnswerLine>
Result<Exam> exam_of(Result<std::vector<Label>> read, Grade grade, AnswerLine answer_line) {
  if (!read) return read.error();
  Exam exam;
  for (const Label& label : *read) exam.positions.push_back(any(label.state));
  // Shared, so that copies of the functions do not copy the labels.
  const auto labels = std::make_shared<const std::vector<Label>>(*std::move(read));
  exam.grade = [=](std::span<const MoveMix> moves, const GradeProgress& progress) {
    return grade(*labels, moves, progress);
  };
  exam.answer_line = [=](std::size_t position, Action answer) {
    return answer_line((*labels)[position], answer);
  };
  return exam;
}

}  // namespace senet
