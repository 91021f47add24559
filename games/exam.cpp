#include "games/exam.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "games/json.hpp"
#include "games/random.hpp"

namespace senet {
namespace {

/// A line of a plain exam.
struct PlainLabel {
  std::string position;
  AnyState state;
  /// The expected result of each rated move for the player to move. In a list of best moves all
  /// legal moves are rated: 1 if they are on it, otherwise 0.
  std::map<Action, double> worth;
  bool has_results = false;  // or a list of best moves
};

Result<Action> read_move(const AnyState& state, const std::string& text) {
  const Result<Action> action = state.action_from_text(text);
  if (!action) return fail(fmt::format("move \"{}\": {}", text, action.error().reason()));
  return action;
}

Result<void> read_best_moves(const Json& best, PlainLabel& label) {
  if (!best.is_array()) return fail("\"best\" is not an array");
  if (best.empty()) return fail("\"best\" is empty");
  std::vector<Action> legal;
  label.state.legal(legal);
  for (const Action action : legal) label.worth[action] = 0;
  for (const Json& move : best) {
    if (!move.is_string()) return fail("a move in \"best\" is not a string");
    const Result<Action> action = read_move(label.state, move.get_ref<const std::string&>());
    if (!action) return action.error();
    label.worth[*action] = 1;
  }
  return {};
}

Result<void> read_results(const Json& moves, PlainLabel& label) {
  if (!moves.is_object()) return fail("\"moves\" is not an object");
  if (moves.empty()) return fail("\"moves\" is empty");
  label.has_results = true;
  for (const auto& [text, result] : moves.items()) {
    if (!result.is_number()) {
      return fail(fmt::format("the result of move \"{}\" is not a number", text));
    }
    const Result<Action> action = read_move(label.state, text);
    if (!action) return action.error();
    if (!label.worth.try_emplace(*action, result.get<double>()).second) {
      return fail(fmt::format("move \"{}\" is rated twice", text));
    }
  }
  return {};
}

Result<PlainLabel> parse_plain_label(const AnyGame& game, std::string_view line) {
  const Json object = parse_json(line);
  if (!object.is_object()) return fail("this is not a JSON object");
  const std::string* const position = find_string(object, "position");
  if (!position) return fail("\"position\" is missing or not a string");
  const Result<AnyState> state = AnyState::from_text(game, *position);
  if (!state) return state.error();
  if (!is_decision(state->turn())) {
    return fail(fmt::format("no player is to move in \"{}\"", *position));
  }
  PlainLabel label{.position = *position, .state = *state, .worth = {}};
  const auto best = object.find("best"), moves = object.find("moves");
  if ((best == object.end()) == (moves == object.end())) {
    return fail("a label has either \"best\" or \"moves\"");
  }
  const Result<void> read =
      best != object.end() ? read_best_moves(*best, label) : read_results(*moves, label);
  if (!read) return read.error();
  return label;
}

Grades grade_plainly(const AnyGame& game, std::span<const PlainLabel> labels,
                     std::span<const MoveMix> moves) {
  std::vector<double> best, best_where_it_matters, lost;
  Grades grades;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::map<Action, double>& worth = labels[i].worth;
    if (std::ranges::any_of(moves[i], [&](Action move) { return !worth.contains(move); })) {
      ++grades.unmatched;
      continue;
    }
    const auto worth_of = [](const auto& rated) { return rated.second; };
    const double most = worth_of(*std::ranges::max_element(worth, {}, worth_of));
    best.push_back(
        mean_over(moves[i], [&](Action move) { return worth.find(move)->second == most; }));
    if (std::ranges::any_of(worth, [&](const auto& rated) { return rated.second < most; })) {
      best_where_it_matters.push_back(best.back());
    }
    if (labels[i].has_results) {
      lost.push_back(
          mean_over(moves[i], [&](Action move) { return most - worth.find(move)->second; }));
    }
  }
  const std::string subject(game.name);
  add_mean(grades.metrics, subject, "best", "share", best);
  add_mean(grades.metrics, subject, "best_where_it_matters", "share", best_where_it_matters);
  add_mean(grades.metrics, subject, "loss", "points", lost);
  add_count(grades.metrics, subject, "positions", labels.size());
  add_count(grades.metrics, subject, "positions_where_it_matters", best_where_it_matters.size());
  add_count(grades.metrics, subject, "unmatched", grades.unmatched);
  return grades;
}

}  // namespace

Interval bootstrap_mean(std::span<const double> values) {
  constexpr std::size_t kResamples = 2000;
  Random draw(0, 0, 0, Purpose::kTest);
  const auto count = static_cast<std::uint32_t>(values.size());
  std::vector<double> means(kResamples);
  for (double& mean : means) {
    double sum = 0;
    for (std::uint32_t i = 0; i < count; ++i) sum += values[draw.below(count)];
    mean = sum / count;
  }
  std::ranges::sort(means);
  return {means[kResamples * 25 / 1000], means[kResamples * 975 / 1000 - 1]};
}

void add_mean(std::vector<Metric>& metrics, std::string subject, std::string name, std::string unit,
              std::span<const double> values, double scale) {
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

Result<void> for_each_line(const std::string& file,
                           const std::function<Result<void>(std::string_view line)>& use) {
  constexpr std::size_t kLongest = std::size_t{16} << 20;
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown)) return fail(file + ": is a folder");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return fail(fmt::format("{}: {}", file, std::strerror(errno)));
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    const auto wrong = [&](std::string_view reason) {
      return fail(fmt::format("{}: line {}: {}", file, number, reason));
    };
    if (line.size() > kLongest) return wrong("longer than 16 MiB");
    if (line.ends_with('\r')) line.pop_back();
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    if (const Result<void> used = use(line); !used) return wrong(used.error().reason());
  }
  if (stream.bad()) return fail(file + ": cannot be read to its end");
  return {};
}

Result<Exam> read_exam(const AnyGame& game, const std::string& file) {
  return game.read_exam != nullptr ? game.read_exam(file) : read_plain_exam(game, file);
}

Result<Exam> read_plain_exam(const AnyGame& game, const std::string& file) {
  return exam_of(
      labels_in<PlainLabel>(file,
                            [&](std::string_view line) -> Result<std::optional<PlainLabel>> {
                              Result<PlainLabel> label = parse_plain_label(game, line);
                              if (!label) return label.error();
                              return std::optional(*std::move(label));
                            }),
      [&game](std::span<const PlainLabel> labels, std::span<const MoveMix> moves,
              const GradeProgress&) { return grade_plainly(game, labels, moves); },
      [](const PlainLabel& label, Action answer) {
        return json_text(
            Json{{"position", label.position}, {"move", label.state.action_text(answer)}});
      });
}

}  // namespace senet
