// Words of the protocol that only some games know: other notations, dice, who is on roll.
#pragma once

#include <string>
#include <string_view>

#include "games/any_game.hpp"
#include "tools/protocol/requests.hpp"

namespace senet::protocol {

/// The position that a request names, with its moves played. `on_roll`: the player who rolls when
/// the request does not say (a position id, a new game).
Result<AnyState> read_position(const AnyGame& game, const PositionRequest& request, Player on_roll);

/// The position with this roll to be played, in place of one that may be there.
Result<AnyState> with_dice(const AnyState& position, int first, int second);
/// The position with this player on roll, for whom it looks as it did for the one before.
Result<AnyState> with_player_on_roll(const AnyState& position, Player player);

/// Whether the game is spoken about in UBGI, with its doubling cube, roles and score.
inline bool speaks_ubgi(const AnyGame& game) { return game.ubgi_question != nullptr; }

}  // namespace senet::protocol
