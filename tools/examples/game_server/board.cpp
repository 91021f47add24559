#include "board.hpp"

#include <array>
#include <string>
#include <vector>

namespace game_server {
namespace {

using nlohmann::json;

constexpr std::string_view kConnectFour = "connect_four", kBackgammon = "backgammon";

/// "7/7/7/7/3X3/2OX3": rows from the top, a digit for so many empty cells.
json grid_rows(std::string_view position) {
  json rows = json::array();
  std::string row;
  for (const char c : position) {
    if (c == '/') {
      rows.push_back(std::exchange(row, {}));
    } else if (c >= '1' && c <= '9') {
      row.append(static_cast<std::size_t>(c - '0'), '.');
    } else {
      row.push_back(c);
    }
  }
  rows.push_back(row);
  return rows;
}

/// The words of "position id:player on roll:dice".
struct Words {
  std::string_view id, player, dice;
};

Words split(std::string_view position) {
  const std::size_t first = position.find(':');
  const std::size_t second = position.find(':', first + 1);
  if (second == std::string_view::npos) return {};
  return {position.substr(0, first), position.substr(first + 1, second - first - 1),
          position.substr(second + 1)};
}

/// The bits of a GNU position id: 14 letters of base64, bytes told from their lowest bit.
std::vector<bool> bits_of(std::string_view id) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<bool> bits(88);
  std::size_t place = 0;  // counted from the top of each byte, as base64 does
  for (const char letter : id) {
    const std::size_t value = kLetters.find(letter);
    for (int shift = 5; shift >= 0 && place < bits.size(); --shift, ++place) {
      bits[place / 8 * 8 + (7 - place % 8)] = (value >> shift & 1) != 0;
    }
  }
  return bits;
}

/// Checkers stand as ones, each place ends with a zero: points 1 .. 24, then the bar.
json checkers_json(const std::vector<bool>& bits, std::size_t& next) {
  std::array<int, 25> places{};
  int sum = 0;
  for (int& place : places) {
    for (; next < bits.size() && bits[next]; ++next) ++place, ++sum;
    ++next;
  }
  return {{"points", json(std::vector<int>(places.begin(), places.begin() + 24))},
          {"bar", places[24]},
          {"off", 15 - sum}};
}

}  // namespace

json board_json(std::string_view game, std::string_view position) {
  if (game == kConnectFour) return {{"rows", grid_rows(position)}};
  if (game != kBackgammon) return nullptr;
  const Words words = split(position);
  const std::vector<bool> bits = bits_of(words.id);
  std::size_t next = 0;
  const json waiting = checkers_json(bits, next);  // the id tells the player on roll last
  const json on_roll = checkers_json(bits, next);
  if (words.player == "0") return {{"players", {on_roll, waiting}}};
  return {{"players", {waiting, on_roll}}};
}

json dice_json(std::string_view game, std::string_view position) {
  if (game != kBackgammon) return nullptr;
  const std::string_view dice = split(position).dice;
  if (dice.size() != 2) return nullptr;
  return {dice[0] - '0', dice[1] - '0'};
}

json result_json(std::string_view game, std::uint32_t outcome) {
  if (game == kBackgammon) {
    constexpr std::array<std::string_view, 3> kHow = {"single game", "gammon", "backgammon"};
    return {{"winner", outcome / 3}, {"points", outcome % 3 + 1}, {"how", kHow[outcome % 3]}};
  }
  if (outcome == 1) return {{"winner", nullptr}, {"points", 0}, {"how", "draw"}};
  return {{"winner", outcome / 2}, {"points", 1}, {"how", "line"}};
}

std::vector<std::string_view> outcome_names(std::string_view game) {
  if (game == kBackgammon) {
    return {"win", "win_gammon", "win_backgammon", "lose", "lose_gammon", "lose_backgammon"};
  }
  return {"win", "draw", "lose"};
}

}  // namespace game_server
