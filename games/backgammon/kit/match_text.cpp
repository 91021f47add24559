#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "games/backgammon/kit.hpp"

namespace senet {
namespace {

// Where the second player's column begins.
constexpr int kColumn = 34;

std::string game_text(const FinishedGame& game) {
  // Turns in order, "31: 8/5 6/5" or the roll alone when nothing can be played; an empty one first
  // when the right player begins.
  std::vector<std::string> cells;
  Backgammon state;
  for (const Action action : game.actions) {
    if (is_decision(state.turn())) {
      if (cells.empty() && state.viewer() != game.first) cells.emplace_back();
      const backgammon::Dice dice = *state.dice();
      cells.push_back(fmt::format("{}{}:", dice.high, dice.low));
      if (action != backgammon::kPass) cells.back() += " " + state.action_text(action);
    }
    state.play(action);
  }
  std::string text;
  for (std::size_t i = 0; i < cells.size(); i += 2) {
    const std::string left = fmt::format("{:3}) {}", i / 2 + 1, cells[i]);
    const std::string_view right = i + 1 < cells.size() ? std::string_view(cells[i + 1]) : "";
    text += right.empty() ? left + "\n" : fmt::format("{:<{}} {}\n", left, kColumn - 1, right);
  }
  if (game.outcome) {
    const float points = Backgammon::kOutcomeValues[*game.outcome];
    const int size = static_cast<int>(std::abs(points));
    text += fmt::format("{:>{}}Wins {} point{}\n", "", points > 0 ? 6 : kColumn + 2, size,
                        size == 1 ? "" : "s");
  }
  return text;
}

/// What can stand between the quotes of a header.
std::string quotable(std::string_view text) {
  std::string shown(text);
  std::ranges::replace(shown, '"', '\'');
  std::ranges::replace_if(
      shown, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  return shown;
}

}  // namespace

std::string GameKit<Backgammon>::match_text(std::span<const FinishedGame> games,
                                            std::string_view comment) {
  std::string text =
      fmt::format("; [EventDescription \"{}\"]\n 0 point match\n", quotable(comment));
  std::array<int, 2> score{};
  int number = 0;
  for (const FinishedGame& game : games) {
    const std::string left = fmt::format(" first : {}", score[0]);
    text += fmt::format("\n Game {}\n{:<{}} second : {}\n{}", ++number, left, kColumn - 1, score[1],
                        game_text(game));
    if (!game.outcome) continue;
    const float points = Backgammon::kOutcomeValues[*game.outcome];
    score[points > 0 ? 0 : 1] += static_cast<int>(std::abs(points));
  }
  return text;
}

}  // namespace senet
