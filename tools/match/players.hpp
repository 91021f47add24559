// Who the words of --first, --second and --player mean, and how such a player is put together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "selfplay/match_player.hpp"
#include "senet/result.hpp"
#include "tools/command_line.hpp"
#include "tools/match/engine_player.hpp"
#include "tools/search_options.hpp"

namespace senet {

/// What the words are, for --help: those that all games have, then the others with their games.
std::string player_words();

/// Where --help lists what concerns other programs.
inline constexpr const char* kProcessGroup = "Other programs";

/// Who was told how many visits to make.
enum class VisitsTold : std::uint8_t {
  kNobody,      // the default: networks and UCI programs make them
  kEverybody,   // UBGI programs too; who makes none does not mind
  kThisPlayer,  // ... and who makes none refuses them
};

/// What players are made with, beside their word.
struct PlayerSettings {
  std::uint32_t visits = 100;
  VisitsTold visits_told = VisitsTold::kNobody;
  SearchOptions search;
  std::size_t processes = 1;         // of another program, side by side
  double start_seconds = 60;         // another program that is not ready by then hangs
  double answer_seconds = 60;        // another program that takes longer for a move hangs
  std::vector<std::string> options;  // of another program, "NAME=VALUE"
  /// Asked while other programs think, perhaps by several threads: true makes their choose() fail.
  std::function<bool()> is_stopped = {};
};

/// Seconds as typed.
inline std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

/// Adds --processes, --start-seconds and --answer-seconds to a command. `settings` outlives the
/// parsing.
void add_process_options(const Command& command, PlayerSettings& settings);

/// A player and what a log says of it.
struct PlayerHolder {
  std::unique_ptr<MatchPlayer> player;
  std::string identity;     // all that its moves depend on, in words
  bool is_process = false;  // another program
};

/// Players of the game G alone, beside those of its kit: other programs. A game that has some
/// specialises this in tools/games/NAME/hooks.hpp.
template <class G>
struct OwnPlayers {
  static constexpr std::string_view kWords = "";  // for --help
  static bool is_one(std::string_view) { return false; }
  /// Only for words for which is_one() is true.
  static Result<PlayerHolder> make(const std::string& word, const PlayerSettings&) {
    return fail(word + ": no such player");
  }
};

/// Reads "NAME=VALUE" words. A reason when one has no name.
Result<std::vector<std::pair<std::string, std::string>>> parse_options(
    const std::vector<std::string>& options);

/// What a network's moves depend on.
std::string network_identity(const SearchSetup& setup);

/// The line that asks another program for a move.
std::string go_line(EngineProtocol protocol, const PlayerSettings& settings);

/// A reason when `word` is a player that cannot do what it was told.
Result<void> check_told(const std::string& word, const PlayerSettings& settings);

/// Makes the player that `word` means. A reason when there is no such player in this game or it
/// cannot be started.
Result<PlayerHolder> make_player(const AnyGame& game, const std::string& word,
                                 const PlayerSettings& settings);

}  // namespace senet
