// Makes the players named by --first, --second and --player.
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
#include "games/games.hpp"
#include "games/settings.hpp"
#include "selfplay/match_player.hpp"
#include "selfplay/search_player.hpp"
#include "senet/result.hpp"
#include "tools/command.hpp"
#include "tools/play/process_player.hpp"
#include "tools/play/search_setup.hpp"

namespace senet {

class GameRecord;

/// The players of --first, --second and --player, as an index (Command::index) for --help.
std::string player_index();

/// Where the number of visits comes from, which decides who uses it.
enum class VisitsSource : std::uint8_t {
  kDefault,      // not set: used by networks and UCI programs
  kBothPlayers,  // set for both: used by UBGI programs too, ignored by players without visits
  kThisPlayer,   // set for this player: as kBothPlayers, but refused by players without visits
};

struct PlayerSettings {
  std::uint32_t visits = 100;
  VisitsSource visits_from = VisitsSource::kDefault;
  SearchOptions search;
  std::size_t processes = 1;
  double move_seconds = 0;  // of external programs, instead of visits; 0: visits
  double start_seconds = 60, answer_seconds = 60;
  std::vector<std::string> options;  // for an external program, "NAME=VALUE"
  /// Polled from several threads while external programs think; true makes their choose() fail.
  std::function<bool()> is_stopped = {};
};

/// The number of visits as a setting; commands add to its help.
inline constexpr auto kVisitsSetting =
    setting("visits", &PlayerSettings::visits,
            "visits of each search, without noise; 0 or 1: the network alone",
            {.least = 0, .most = kMaxVisits});

/// Settings of external programs.
constexpr auto settings_of(std::type_identity<PlayerSettings>) {
  using P = PlayerSettings;
  return std::tuple{
      setting("processes", &P::processes, "parallel processes of an external program",
              {.least = 1, .most = 256}),
      setting("move-seconds", &P::move_seconds,
              "thinking time of UCI and UBGI programs for each move, in \"go "
              "movetime\" instead of visits; 0: visits",
              {.least = 0, .most = 86400, .unit = "s"}),
      setting("start-seconds", &P::start_seconds,
              "time limit for a UCI or UBGI program to become ready",
              {.least = 0.01, .most = 86400, .unit = "s"}),
      setting("answer-seconds", &P::answer_seconds,
              "time limit for each move, in addition to its thinking time; exceeding it "
              "counts as a crash",
              {.least = 0.01, .most = 86400, .unit = "s"})};
}

inline std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

/// Adds the options of searching players and, under a separate heading, those of external programs.
/// `settings` outlives the parsing.
void add_player_options(const Command& command, PlayerSettings& settings);

/// A player and its description for logs.
struct PlayerHolder {
  std::unique_ptr<MatchPlayer> player;
  std::string identity;     // describes everything that the player's moves depend on
  bool is_process = false;  // an external program
  std::string note = {};    // what the user should know about it; usually empty
};

/// What the game G adds to the senet program: external programs that play only this game, and
/// commands. A game that adds some specialises this template in tools/referee/games/NAME/hooks.hpp.
template <class G>
struct GameHooks {
  static constexpr std::string_view kPlayerWords = "", kPlayerHelp = "";  // for --help
  static bool is_player(std::string_view) { return false; }
  /// Requires is_player(word).
  static Result<PlayerHolder> make_player(const std::string& word, const PlayerSettings&) {
    return fail(word + ": no such player");
  }
  static void add_commands(const Command&) {}
};

/// The table (games/registry.hpp) of functions that need a game's type, except those of self-play.
/// Everything else is in AnyGame.
struct Programs {
  // senet match and senet eval. Own players are external programs that play only this game.
  std::string_view own_player_words, own_player_help;  // for --help; "" when there are none
  bool (*is_own_player)(std::string_view word);
  Result<PlayerHolder> (*make_own_player)(const std::string& word, const PlayerSettings& settings);
  /// Makes a player of the game that searches with a network; see NetworkWord.
  Result<PlayerHolder> (*make_network_player)(const AnyGame& game, const std::string& word,
                                              const PlayerSettings& settings);

  /// Adds the commands that concern only this game.
  void (*add_commands)(const Command& program);

  // senet inspect
  /// replay() of selfplay/record_replay.hpp.
  Result<void> (*replay)(const AnyGame& game, const GameRecord& record,
                         std::vector<AnyState>& states);

  /// Defined in tools/play/programs_of.hpp.
  template <Game G>
  static constexpr Programs of();
};

inline const Programs& programs_of(const AnyGame& game) { return *table_of<Programs>(game); }

/// A player's word that names a network: a source for open_network(), or "level:N" for level N of
/// the built-in network, or "level:N:SOURCE".
struct NetworkWord {
  std::string source;
  std::uint32_t level = 0;  // from 1 on; 0: full strength

  static Result<NetworkWord> read(const std::string& word);
};

/// Makes a player play at this level of the network, if it is not 0.
Result<void> set_level(std::uint32_t level, const Network& network, PlayerSettings& settings);

/// Describes everything that a searching network's moves depend on.
std::string network_identity(std::uint64_t network, std::uint32_t visits,
                             const SearchOptions& options, std::string_view evaluator);

Result<PlayerHolder> make_process_player(MoveProcess::Start start, const std::string& identity,
                                         const PlayerSettings& settings);

/// Fails when the player named `word` cannot use one of the settings.
Result<void> check_player(const std::string& word, const PlayerSettings& settings);

/// Prints the player's note, if it has one, on stderr.
void print_note(const PlayerHolder& player);

/// Makes the player named `word`. Fails when the game has no such player or it cannot be started.
Result<PlayerHolder> make_player(const AnyGame& game, const std::string& word,
                                 const PlayerSettings& settings);

}  // namespace senet
