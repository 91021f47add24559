// JSON for boards, dice and results, derived from libsenet's position texts and outcomes.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace game_server {

using json = nlohmann::json;

constexpr std::string_view kBackgammon = "backgammon";
constexpr std::array<std::string_view, 2> kGames = {"connect_four", kBackgammon};

/// The rows of "7/7/7/7/3X3/2OX3", from the top. A digit is a number of empty cells.
inline json grid_rows(std::string_view position) {
  std::vector<std::string> rows(1);
  for (const char c : position) {
    if (c == '/') {
      rows.emplace_back();
    } else if (c >= '1' && c <= '9') {
      rows.back().append(static_cast<std::size_t>(c - '0'), '.');
    } else {
      rows.back().push_back(c);
    }
  }
  return rows;
}

// A backgammon position is "id:player on roll:dice". The id is a GNU position id: 14 base64 digits.
constexpr std::size_t kPlayer = 15, kDice = 17;

/// Bit `n` of the id, counted from the lowest bit of the first byte. Base64 starts at the highest
/// bit of each byte.
inline bool bit(std::string_view id, std::size_t n) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t place = n ^ 7;
  return (kLetters.find(id.at(place / 6)) >> (5 - place % 6) & 1) != 0;
}

/// Reads one player's checkers: points 1 .. 24, then the bar. Each is a one per checker and a zero.
inline json checkers_json(std::string_view id, std::size_t& next) {
  std::array<int, 25> places{};
  int off = 15;
  for (int& place : places) {
    for (; bit(id, next); ++next, ++place, --off) continue;
    ++next;
  }
  return {{"points", std::vector(places.begin(), places.end() - 1)},
          {"bar", places.back()},
          {"off", off}};
}

/// connect_four: {"rows":[".......", ...]}, from the top; X moves first.
/// backgammon:   {"players":[{"points":[24 numbers],"bar":0,"off":0}, {...}]}, each player's points
///               from that player's perspective: the first is the ace point.
inline json board_json(std::string_view game, std::string_view position) {
  if (game != kBackgammon) return {{"rows", grid_rows(position)}};
  std::size_t next = 0;
  const json waiting = checkers_json(position, next);  // the player on roll comes last
  const json on_roll = checkers_json(position, next);
  if (position.at(kPlayer) == '0') return {{"players", {on_roll, waiting}}};
  return {{"players", {waiting, on_roll}}};
}

/// The roll to play in backgammon, e.g. [6,3]; null before a roll and in other games.
inline json dice_json(std::string_view game, std::string_view position) {
  if (game != kBackgammon || position.size() != kDice + 2) return nullptr;
  return {position[kDice] - '0', position[kDice + 1] - '0'};
}

/// The result of a finished game with this outcome index, e.g.
/// {"winner":0,"points":2,"how":"gammon"}. The winner of a draw is null.
inline json result_json(std::string_view game, std::uint32_t outcome) {
  if (game == kBackgammon) {
    constexpr std::array<std::string_view, 3> kHow = {"single game", "gammon", "backgammon"};
    return {{"winner", outcome / 3}, {"points", outcome % 3 + 1}, {"how", kHow[outcome % 3]}};
  }
  if (outcome == 1) return {{"winner", nullptr}, {"points", 0}, {"how", "draw"}};
  return {{"winner", outcome / 2}, {"points", 1}, {"how", "line"}};
}

/// The names of a game's outcomes from the perspective of the player to move.
inline std::vector<std::string_view> outcome_names(std::string_view game) {
  if (game != kBackgammon) return {"win", "draw", "lose"};
  return {"win", "win_gammon", "win_backgammon", "lose", "lose_gammon", "lose_backgammon"};
}

}  // namespace game_server
