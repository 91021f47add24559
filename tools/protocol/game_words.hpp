// What the protocol knows of single games: names of positions, dice, boards for people.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "games/perft.hpp"
#include "senet/game.hpp"
#include "tools/protocol/problem.hpp"
#include "tools/protocol/requests.hpp"

namespace senet::protocol {

// Positions are texts as the game `game` writes them; texts that come in have been written so.

/// The position that a request names, with its moves played. `on_roll`: the player who rolls when
/// the request does not say (a position id, a new game).
Result<std::string> read_position(std::string_view game, const PositionRequest& request,
                                  Player on_roll);

/// Backgammon: the position with this roll to be played, in place of one that may be there.
Result<std::string> with_dice(std::string_view game, std::string_view position, int first,
                              int second);
/// Backgammon: the position with this player on roll. The checkers stay as that player sees them.
Result<std::string> with_player_on_roll(std::string_view game, std::string_view position,
                                        Player player);

/// The board, a line of text a row, with the names of the columns or points. Backgammon is drawn as
/// the player on turn sees it: own checkers X, the opponent's O.
std::vector<std::string> draw(std::string_view game, std::string_view position);

/// Leaves below the position; none when goes_on() said no.
std::optional<Leaves> count_leaves(std::string_view game, std::string_view position, int depth,
                                   const std::function<bool()>& goes_on);

}  // namespace senet::protocol
