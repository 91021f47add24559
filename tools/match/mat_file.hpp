// Backgammon games as a .mat file, the text format of Jellyfish that GNU Backgammon and others
// read.
#pragma once

#include <span>
#include <string>

#include "selfplay/match.hpp"

namespace senet {

/// The games as a money session between "first" (left) and "second" (right), in this order; a cut
/// game ends without a winner. Every game is a finished game of backgammon from the start position.
/// `comment` may be any text; of it the file gets one line without quotes.
std::string mat_text(std::span<const PlayedGame* const> games, std::string_view comment);

}  // namespace senet
