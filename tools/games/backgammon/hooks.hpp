// Players of backgammon that are programs of their own.
#pragma once

#include <string>
#include <string_view>

#include "games/backgammon/backgammon.hpp"
#include "tools/match/players.hpp"

namespace senet {

/// GNU Backgammon, in processes of its own: tools/gnubg.
template <>
struct OwnPlayers<Backgammon> {
  static constexpr std::string_view kWords = "gnubg:PLY, gnubg:PLY:full";
  static bool is_one(std::string_view word);
  static Result<PlayerHolder> make(const std::string& word, const PlayerSettings& settings);
};

}  // namespace senet
