// What the API says about a game beyond libsenet's texts, made of the text of a position.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace game_server {

/// connect_four: {"rows":[".......", ...]}, from the top; X moved first.
/// backgammon:   {"players":[{"points":[24 numbers],"bar":0,"off":0}, {...}]}, each player's points
///               from the player's own side: the first is the ace point.
nlohmann::json board_json(std::string_view game, std::string_view position);

/// Backgammon's roll to be played, [6,3]; null in other games and before a roll.
nlohmann::json dice_json(std::string_view game, std::string_view position);

/// How a finished game ended, from the number of its outcome:
/// {"winner":0,"points":2,"how":"gammon"}; winner null: a draw.
nlohmann::json result_json(std::string_view game, std::uint32_t outcome);

/// The names of a game's outcomes, as the player to move sees them.
std::vector<std::string_view> outcome_names(std::string_view game);

}  // namespace game_server
