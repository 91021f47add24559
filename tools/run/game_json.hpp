// A recorded game as JSON, for senet inspect and senet log.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "games/games.hpp"
#include "games/json.hpp"
#include "selfplay/game_record.hpp"
#include "senet/result.hpp"

namespace senet {

/// The words for EndKind.
inline constexpr std::array kEndNames = {"unfinished", "played", "cut", "resigned"};

/// The value of an outcome for player 0 in the named game; the outcome's index if that is unknown.
std::string outcome_text(const Games& games, const std::string& name, std::uint8_t outcome);

/// The game up to the first illegal action. `replayed` is the error in that case. Throws an Error
/// when its game or its start is not known.
Json game_json(const Games& games, const GameRecord& record, Result<void>& replayed);

}  // namespace senet
