// The players that the words of --first, --second and --player name, and how each is put together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "games/any_game.hpp"
#include "games/registry.hpp"
#include "games/settings.hpp"
#include "selfplay/match_player.hpp"
#include "selfplay/search_player.hpp"
#include "senet/result.hpp"
#include "tools/command.hpp"
#include "tools/play/process_player.hpp"
#include "tools/play/search_setup.hpp"

namespace senet {

class GameRecord;

/// What the words are, for --help: those that all games have, then the others with their games.
std::string player_words();

/// Where the number of visits comes from.
enum class VisitsSource : std::uint8_t {
  kDefault,      // networks and UCI programs make them
  kBothPlayers,  // UBGI programs too; players without visits ignore it
  kThisPlayer,   // ... and players without visits refuse it
};

/// What players are made with, beside their word.
struct PlayerSettings {
  std::uint32_t visits = 100;
  VisitsSource visits_from = VisitsSource::kDefault;
  SearchOptions search;
  std::size_t processes = 1;
  double start_seconds = 60, answer_seconds = 60;
  std::vector<std::string> options;  // of another program, "NAME=VALUE"
  /// Asked while other programs think, perhaps by several threads: true makes their choose() fail.
  std::function<bool()> is_stopped = {};
};

/// The number of visits as a setting; commands add to its help.
inline constexpr auto kVisitsSetting = setting(
    "visits", &PlayerSettings::visits, "visits of each search, without noise; 0: the network alone",
    {.least = 0, .most = kMostVisits});

/// What concerns other programs.
constexpr auto settings_of(std::type_identity<PlayerSettings>) {
  using P = PlayerSettings;
  return std::tuple{
      setting("processes", &P::processes, "processes of another program, side by side",
              {.least = 1, .most = 256}),
      setting("start-seconds", &P::start_seconds,
              "a UCI or UBGI program that is not ready by then is taken to hang",
              {.least = 0.01, .most = 86400}),
      setting("answer-seconds", &P::answer_seconds,
              "a program that takes longer for a move is taken to hang",
              {.least = 0.01, .most = 86400})};
}

/// Seconds as typed.
inline std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

/// Adds the options of searching players, and under a heading of their own those of other programs.
/// `settings` outlives the parsing.
void add_player_options(const Command& command, PlayerSettings& settings);

/// A player and what a log says of it.
struct PlayerHolder {
  std::unique_ptr<MatchPlayer> player;
  std::string identity;     // all that its moves depend on, in words
  bool is_process = false;  // another program
};

/// Players of the game G alone, beside those of its kit: other programs. A game that has some
/// specialises this in tools/referee/games/NAME/hooks.hpp.
template <class G>
struct OwnPlayers {
  static constexpr std::string_view kWords = "";  // for --help
  static bool is_one(std::string_view) { return false; }
  /// Only for words for which is_one() is true.
  static Result<PlayerHolder> make(const std::string& word, const PlayerSettings&) {
    return fail(word + ": no such player");
  }
};

/// What the senet program does with a game by its type, beside self-play: its table
/// (games/registry.hpp). Everything else about a game the commands know from AnyGame.
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

  /// tools/play/programs_of.hpp
  template <Game G>
  static constexpr Programs of();
};

/// The same game's table.
inline const Programs& programs_of(const AnyGame& game) { return **find_game<Programs>(game.name); }

/// What a network's moves depend on.
std::string network_identity(const SearchSetup& setup);

/// A player of settings.processes such processes.
Result<PlayerHolder> make_process_player(MoveProcess::Start start, const std::string& identity,
                                         const PlayerSettings& settings);

/// A reason when `word` is a player that cannot do what the settings ask of it.
Result<void> check_player(const std::string& word, const PlayerSettings& settings);

/// Makes the player that `word` means. A reason when there is no such player in this game or it
/// cannot be started.
Result<PlayerHolder> make_player(const AnyGame& game, const std::string& word,
                                 const PlayerSettings& settings);

}  // namespace senet
