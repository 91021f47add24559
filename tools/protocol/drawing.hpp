// Boards for people.
#pragma once

#include <string>
#include <vector>

#include "games/backgammon/backgammon.hpp"
#include "games/connect_four/connect_four.hpp"
#include "games/tic_tac_toe/tic_tac_toe.hpp"

namespace senet::protocol {

/// The board, a line of text a row, with the names of the columns or points. Backgammon is drawn as
/// the player on turn sees it: own checkers X, the opponent's O.
std::vector<std::string> draw(const TicTacToe& state);
std::vector<std::string> draw(const ConnectFour& state);
std::vector<std::string> draw(const Backgammon& state);

}  // namespace senet::protocol
