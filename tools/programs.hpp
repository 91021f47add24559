// What the senet program does with a game by its type, beside self-play
// (train_bridge/run_game.hpp). Everything else about a game its commands know from AnyGame.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "games/any_game.hpp"
#include "games/registry.hpp"

namespace senet {

class GameRecord;
struct PlayerHolder;
struct PlayerSettings;

/// The table of a game (games/registry.hpp).
struct Programs {
  // senet match and senet eval. Own players are programs of their own for this game alone.
  std::string_view own_player_words;  // for --help; "" when there are none
  bool (*is_own_player)(std::string_view word);
  Result<PlayerHolder> (*make_own_player)(const std::string& word, const PlayerSettings& settings);
  /// A network that searches; `word` as open_network() takes it.
  Result<PlayerHolder> (*make_network_player)(const std::string& word,
                                              const PlayerSettings& settings);

  // senet inspect
  /// replay() of selfplay/record_replay.hpp.
  Result<void> (*replay)(const GameRecord& record, std::vector<AnyState>& states);

  /// tools/programs_of.hpp
  template <Game G>
  static constexpr Programs of();
};

/// The same game's table.
inline const Programs& programs_of(const AnyGame& game) { return **find_game<Programs>(game.name); }

}  // namespace senet
