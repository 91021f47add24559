#include "games/backgammon/kit/exam.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include "games/json.hpp"

namespace senet::backgammon {
namespace {

Result<Dice> parse_dice(const Json& object) {
  const Json dice = object.value("dice", Json());
  if (dice.is_array() && dice.size() == 2) {
    // 0, which make_dice() rejects, for anything else.
    const auto die = [&](std::size_t i) {
      const auto* const number = dice[i].get_ptr<const Json::number_unsigned_t*>();
      return number != nullptr && *number <= 6 ? static_cast<int>(*number) : 0;
    };
    if (const auto made = make_dice(die(0), die(1))) return *made;
  }
  return fail("\"dice\" is not an array of two whole numbers from 1 to 6");
}

Result<Label::Play> parse_play(const Json& play) {
  if (!play.is_array() || play.size() < 3 || !play[1].is_string() || !play[2].is_number()) {
    return fail("is not [text, position id, equity, ...]");
  }
  Label::Play parsed{play[1].get<std::string>(), play[2].get<double>()};
  const auto after = board_from_position_id(parsed.after);
  if (!after) return after.error();
  // Written so that NaN fails too.
  if (!(parsed.equity >= -3 && parsed.equity <= 3)) {
    return fail(fmt::format("equity {} is not in -3 .. 3", parsed.equity));
  }
  return parsed;
}

Result<std::optional<Label>> parse_line(std::string_view line) {
  const Json object = parse_json(line);
  if (!object.is_object()) return fail("is not a JSON object");
  const std::string* const position_class = find_string(object, "cls");
  if (position_class == nullptr) return fail("\"cls\" is missing or not a string");
  const std::string* const position = find_string(object, "posid");
  if (position == nullptr) return fail("\"posid\" is missing or not a string");
  const Result<Dice> dice = parse_dice(object);
  if (!dice) return dice.error();
  const Result<Backgammon> state = Backgammon::from_position_id(*position, 0, *dice);
  if (!state) return fail(fmt::format("\"posid\": {}", state.error().reason()));
  if (state->turn() == Turn::kOver) return fail("the game is over");

  const std::string* const id = find_string(object, "id");
  Label label{id != nullptr ? *id : "", *position_class, *state, {}};
  const Json plays = object.value("moves", Json());
  if (!plays.is_array() || plays.empty()) {
    return fail("\"moves\" is missing, empty or not an array");
  }
  for (const Json& play : plays) {
    Result<Label::Play> parsed = parse_play(play);
    if (!parsed) {
      return fail(fmt::format("move {}: {}", label.plays.size() + 1, parsed.error().reason()));
    }
    label.plays.push_back(std::move(*parsed));
  }
  return label;
}

// The equity loss of a play against the best play, in points; none when the label lacks the play.
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

Result<std::vector<Label>> read_labels(const std::string& file) {
  return labels_in<Label>(file, parse_line);
}

SignedPoints signed_points(const Board& board) {
  SignedPoints points{};
  for (std::size_t p = 1; p <= 24; ++p) points[p] = board.on_roll[p] - int{board.waiting[25 - p]};
  points[0] = -int{board.waiting[kBar]};
  points[25] = board.on_roll[kBar];
  return points;
}

std::string label_line(const Label& label) {
  // Adding 0.0 turns -0 into 0.
  const auto rounded = [](double value, double scale) {
    return std::round(value * scale) / scale + 0.0;
  };
  std::vector<std::string> plays;
  for (const Label::Play& play : label.plays) {
    const Probabilities& p = play.probabilities;
    std::array<double, 5> probabilities = {p.win, p.win_gammon, p.win_backgammon, p.lose_gammon,
                                           p.lose_backgammon};
    for (double& probability : probabilities) probability = rounded(probability, 1e4);
    plays.push_back(fmt::format(R"(["{}","{}",{},[{}]])", play.text, play.after,
                                rounded(play.equity, 1e5), fmt::join(probabilities, ",")));
  }
  const Board board = label.state.board();
  const Dice dice = *label.state.dice();
  return fmt::format(
      R"({{"id":"{}","cls":"{}","ply":{},"posid":"{}","board":[{}],"dice":[{},{}],"n1":{},)"
      R"("moves":[{}]}})",
      label.id, label.position_class, label.ply, position_id(board),
      fmt::join(signed_points(board), ","), dice.high, dice.low, label.shallow,
      fmt::join(plays, ","));
}

std::string position_after(const Label& label, Action action) {
  Backgammon after = label.state;
  after.play(action);
  return position_id(after.board());
}

Grades grade(std::span<const Label> labels, std::span<const MoveMix> moves, const GradeProgress&) {
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

Result<Exam> read_exam(const std::string& file) {
  return exam_of(read_labels(file), &grade, [](const Label& label, Action answer) {
    return json_text(Json{{"id", label.id},
                          {"move", label.state.action_text(answer)},
                          {"after", position_after(label, answer)}});
  });
}

}  // namespace senet::backgammon
