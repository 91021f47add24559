#include "tools/protocol/drawing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

namespace senet::protocol {
namespace {

// A grid's text has its rows from the top, parted by slashes; digits stand for empty cells.
std::vector<std::string> draw_grid(std::string_view text, std::string_view columns,
                                   bool has_row_numbers) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '/') {
      lines.emplace_back();
    } else if (c >= '0' && c <= '9') {
      for (int i = 0; i < c - '0'; ++i) lines.back() += " .";
    } else {
      lines.back().append({' ', c});
    }
  }
  if (has_row_numbers) {
    for (std::size_t i = 0; i < lines.size(); ++i)
      lines[i] += fmt::format("  {}", lines.size() - i);
  }
  lines.emplace_back();
  for (const char c : columns) lines.back().append({' ', c});
  return lines;
}

// What is seen of a point in one of the five rows of its half: the first row tells the number of
// checkers that have no row of their own.
std::string cell(int own, int theirs, int row) {
  constexpr int kRows = 5;
  const int count = std::max(own, theirs);
  if (count <= row) return "   ";
  if (row == 0 && count > kRows) return fmt::format("{:2} ", count);
  return own > 0 ? " X " : " O ";
}

}  // namespace

std::vector<std::string> draw(const TicTacToe& state) {
  return draw_grid(state.text(), "abc", true);
}

std::vector<std::string> draw(const ConnectFour& state) {
  return draw_grid(state.text(), "1234567", false);
}

std::vector<std::string> draw(const Backgammon& state) {
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

}  // namespace senet::protocol
