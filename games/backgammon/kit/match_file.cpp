#include "games/backgammon/kit/match_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "games/backgammon/backgammon.hpp"
#include "games/fields.hpp"

namespace senet::backgammon {
namespace {

// The column at which the second player's moves begin.
constexpr int kColumn = 34;

std::string game_text(const FinishedGame& game) {
  // Turns in order, "31: 8/5 6/5", or the roll alone when nothing can be played. If the right
  // player begins, the first cell is empty.
  std::vector<std::string> cells;
  Backgammon state;
  for (const Action action : game.actions) {
    if (is_decision(state.turn())) {
      if (cells.empty() && state.viewer() != game.first) cells.emplace_back();
      const Dice dice = *state.dice();
      cells.push_back(fmt::format("{}{}:", dice.high, dice.low));
      if (action != kPass) cells.back() += " " + state.action_text(action);
    }
    state.play(action);
  }
  std::string text;
  for (std::size_t i = 0; i < cells.size(); i += 2) {
    const std::string left = fmt::format("{:3}) {}", i / 2 + 1, cells[i]);
    const std::string_view right = i + 1 < cells.size() ? std::string_view(cells[i + 1]) : "";
    text += right.empty() ? left + "\n" : fmt::format("{:<{}} {}\n", left, kColumn - 1, right);
  }
  return text;
}

/// The text without the characters that are not allowed between the quotes of a header.
std::string quotable(std::string_view text) {
  std::string shown(text);
  std::ranges::replace(shown, '"', '\'');
  std::ranges::replace_if(
      shown, [](unsigned char c) { return c < ' ' || c == '\x7f'; }, ' ');
  return shown;
}

}  // namespace

std::string match_text(std::span<const FinishedGame> games, std::string_view comment) {
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
    const int size = static_cast<int>(std::abs(points));
    text += fmt::format("{:>{}}Wins {} point{}\n", "", points > 0 ? 6 : kColumn + 2, size,
                        size == 1 ? "" : "s");
    score[points > 0 ? 0 : 1] += size;
  }
  return text;
}

namespace {

using Words = std::vector<std::string_view>;

// Reads the moves of one game, line by line.
class GameReader {
 public:
  GameReader(std::string_view first, std::string_view second) {
    game_.players = {std::string(first), std::string(second)};
  }

  /// A line without its number: a roll and a play for each player, cube actions, or the result.
  Result<void> read(std::string_view line) {
    std::size_t begin = line.find_first_not_of(' ');
    // Words belong to a turn up to the next roll or cube action.
    std::optional<std::string_view> roll;
    std::string play;
    const auto finish = [&]() -> Result<void> {
      if (!roll) return {};
      const Result<void> played = play_turn(*roll, play);
      roll.reset();
      play.clear();
      return played;
    };
    while (begin < line.size()) {
      const std::size_t end = std::min(line.find(' ', begin), line.size());
      const std::string_view word = line.substr(begin, end - begin);
      if (word.size() == 3 && word[2] == ':') {
        if (const auto done = finish(); !done) return done;
        if (!state_) begin_game(begin < kColumn / 2 ? 0 : 1);
        roll = word.substr(0, 2);
      } else if (roll && (word.find('/') != word.npos || word.find('-') != word.npos)) {
        play.append(play.empty() ? "" : " ").append(word);
      } else if (roll && !is_no_play(word)) {
        if (const auto done = finish(); !done) return done;
      }
      begin = line.find_first_not_of(' ', end);
    }
    return finish();
  }

  ReadGame take() && { return std::move(game_); }

 private:
  // "Cannot Move", "????" and the like stand for a turn without a play.
  static bool is_no_play(std::string_view word) {
    return word == "Cannot" || word == "Move" || word == "????" || word == "(No" || word == "move)";
  }

  void begin_game(Player first) {
    state_ = Backgammon(first);
    game_.first = first;
  }

  Result<void> play_turn(std::string_view roll, std::string_view play) {
    if (state_->turn() != Turn::kChance) {
      return fail(fmt::format("a roll {} after the end of the game", roll));
    }
    for (const std::string_view text : {roll, play.empty() ? std::string_view("pass") : play}) {
      const Result<Action> action = state_->action_from_text(text);
      if (!action) return fail(fmt::format("{}: {}: {}", roll, text, action.error().reason()));
      state_->play(*action);
      game_.actions.push_back(*action);
    }
    return {};
  }

  ReadGame game_;
  std::optional<Backgammon> state_;  // none before the first roll
};

bool begins_with_number(std::string_view line, std::size_t& behind) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == line.npos) return false;
  behind = line.find_first_not_of("0123456789", begin);
  return behind != begin && behind != line.npos && line[behind] == ')';
}

}  // namespace

Result<std::vector<ReadGame>> read_match(std::string_view text) {
  std::vector<ReadGame> games;
  std::optional<GameReader> reader;
  bool names_follow = false;
  std::size_t number = 0;
  for (std::string_view line : split(text, "\n")) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    std::size_t behind = 0;
    if (line.substr(begin).starts_with("Game ")) {
      if (reader) games.push_back(std::move(*reader).take());
      reader.reset();
      names_follow = true;
    } else if (names_follow && begin < line.size()) {
      // "first : 0      second : 0"
      const std::size_t colon = std::min(line.find(" :"), line.size());
      const auto skip = [&](std::string_view characters, std::size_t from) {
        return std::min(line.find_first_not_of(characters, from), line.size());
      };
      const std::size_t second = skip(" ", skip("0123456789", skip(" :", colon)));
      const std::size_t end = std::max(std::min(line.rfind(" :"), line.size()), second);
      reader.emplace(line.substr(begin, std::max(colon, begin) - begin),
                     line.substr(second, end - second));
      names_follow = false;
    } else if (reader && begins_with_number(line, behind)) {
      // Columns count from behind the number.
      if (const auto read = reader->read(line.substr(behind + 1)); !read) {
        return fail(fmt::format("line {}: {}", number, read.error().reason()));
      }
    }
  }
  if (reader) games.push_back(std::move(*reader).take());
  if (games.empty()) return fail("this is not a .mat file: there is no line \"Game 1\"");
  return games;
}

}  // namespace senet::backgammon
