// .mat files: Jellyfish's text format for matches, which GNU Backgammon and other programs read and
// write.
//
//    0 point match
//
//    Game 1
//    first : 0                         second : 0
//     1)                               31: 8/5 6/5
//     2) 65: 24/13                     44: 24/20(2) 13/9(2)
//          Wins 1 point
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "games/any_game.hpp"

namespace senet::backgammon {

/// A money session between "first" (left) and "second" (right). A cut game has no winner. The
/// comment becomes one line, with single instead of double quotes.
std::string match_text(std::span<const FinishedGame> games, std::string_view comment);

/// The games of a file. Cube actions are left out; a game ends where its moves do. An error names
/// the line.
Result<std::vector<ReadGame>> read_match(std::string_view text);

}  // namespace senet::backgammon
