#include "games/backgammon/kit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "games/backgammon/kit/exam.hpp"
#include "games/backgammon/text.hpp"
#include "games/json.hpp"

namespace senet {
namespace {

// What is seen of a point in one of the five rows of its half: the first row shows the number of
// checkers that have no row of their own.
std::string cell(int own, int theirs, int row) {
  constexpr int kRows = 5;
  const int count = std::max(own, theirs);
  if (count <= row) return "   ";
  if (row == 0 && count > kRows) return fmt::format("{:2} ", count);
  return own > 0 ? " X " : " O ";
}

}  // namespace

namespace backgammon {

Result<AnyState> read_gnubgid(std::string_view text, Player on_roll) {
  return any(Backgammon::from_position_id(text, on_roll));
}

Result<AnyState> read_xgid(std::string_view text, Player) {
  const Result<Xgid> xgid = parse_xgid(text);
  if (!xgid) return xgid.error();
  return any(Backgammon::from_text(text));
}

}  // namespace backgammon

Backgammon GameKit<Backgammon>::start_of(Player first) {
  return *Backgammon::from_text(fmt::format("{}:{}:open", backgammon::kStartPositionId, first));
}

Result<Backgammon> GameKit<Backgammon>::with_dice(const Backgammon& state, int first, int second) {
  const std::optional<backgammon::Dice> dice = backgammon::make_dice(first, second);
  if (!dice) return fail("each of the dice is 1 to 6");
  return Backgammon::from_board(state.board(), state.viewer(), dice);
}

Result<Backgammon> GameKit<Backgammon>::with_player_on_roll(const Backgammon& state,
                                                            Player player) {
  if (player == state.viewer()) return state;  // an opening roll stays one
  return Backgammon::from_board(state.board(), player, state.dice());
}

std::vector<std::string> GameKit<Backgammon>::drawing(const Backgammon& state) {
  const backgammon::Board board = state.board();
  const auto point = [&](std::size_t place, int row) {
    return cell(board.on_roll[place], board.waiting[25 - place], row);
  };
  std::vector<std::string> lines = {"+13-14-15-16-17-18------19-20-21-22-23-24-+"};
  const auto add_row = [&](int row, bool upper) {
    std::string line = "|";
    for (std::size_t i = 0; i < 12; ++i) {
      if (i == 6) line += "|    |";
      line += point(upper ? 13 + i : 12 - i, row);
    }
    lines.push_back(line + "|");
  };
  for (int row = 0; row < 5; ++row) add_row(row, true);
  lines.push_back("|" + std::string(18, ' ') + "|BAR |" + std::string(18, ' ') + "|");
  for (int row = 4; row >= 0; --row) add_row(row, false);
  lines.push_back("+12-11-10--9--8--7-------6--5--4--3--2--1-+");
  const auto add_player = [&](std::string_view who, const backgammon::Checkers& checkers) {
    lines.push_back(fmt::format("{}: {} pips, {} on the bar, {} off", who,
                                backgammon::pips(checkers), checkers[backgammon::kBar],
                                checkers[backgammon::kOff]));
  };
  add_player("X, on turn", board.on_roll);
  add_player("O", board.waiting);
  lines.push_back("xgid " + state.xgid());
  return lines;
}

Backgammon GameKit<Backgammon>::perft_start() {
  return *Backgammon::from_position_id(backgammon::kStartPositionId, 0);
}

Result<Exam> GameKit<Backgammon>::read_exam(const std::string& file) {
  auto read = backgammon::read_labels(file);
  if (!read) return read.error();
  Exam exam;
  for (const backgammon::Label& label : *read) exam.positions.push_back(any(label.state));
  const auto labels = std::make_shared<const std::vector<backgammon::Label>>(std::move(*read));
  exam.grading.grade = [labels](std::span<const MoveMix> moves, const GradeProgress&) {
    return backgammon::grade(*labels, moves);
  };
  exam.grading.answer_line = [labels](std::size_t position, Action answer) {
    const backgammon::Label& label = (*labels)[position];
    return json_text(Json{{"id", label.id},
                          {"move", label.state.action_text(answer)},
                          {"after", backgammon::position_after(label, answer)}});
  };
  return exam;
}

std::vector<std::string> GameKit<Backgammon>::ubgi_question(const Backgammon& state) {
  // A position id is seen from the player on roll, so the engine need not know which one it is.
  const backgammon::Dice dice = *state.dice();
  return {fmt::format("position gnubgid {}", backgammon::position_id(state.board())),
          fmt::format("dice {} {}", dice.high, dice.low)};
}

}  // namespace senet
