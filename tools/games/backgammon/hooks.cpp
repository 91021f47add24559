#include "tools/games/backgammon/hooks.hpp"

#include <memory>
#include <utility>

#include "tools/gnubg/gnubg_player.hpp"

namespace senet {

bool OwnPlayers<Backgammon>::is_one(std::string_view word) { return parse_gnubg(word).has_value(); }

Result<PlayerHolder> OwnPlayers<Backgammon>::make(const std::string& word,
                                                  const PlayerSettings& settings) {
  Result<GnubgSettings> gnubg = *parse_gnubg(word);
  if (!gnubg) return gnubg.error();
  gnubg->answer_time = milliseconds_of(settings.answer_seconds);
  Result<GnubgPlayer> player = GnubgPlayer::start(*gnubg, settings.processes, settings.is_stopped);
  if (!player) return player.error();
  PlayerHolder holder;
  holder.identity = word;
  holder.player = std::make_unique<GnubgPlayer>(std::move(*player));
  holder.is_process = true;
  return holder;
}

}  // namespace senet
