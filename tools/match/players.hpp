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
#include "selfplay/one_ply_player.hpp"
#include "senet/result.hpp"
#include "tools/command_line.hpp"
#include "tools/match/engine_player.hpp"
#include "tools/search_options.hpp"

namespace senet {

/// What the words are, for --help.
inline constexpr std::string_view kPlayerWords =
    "a weights file, builtin, untrained[:SEED], random, one-ply (games without dice), linear, "
    "gnubg:PLY, gnubg:PLY:full (backgammon), uci:COMMAND, ubgi:COMMAND (backgammon)";

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

/// A player and what it needs.
template <Game G>
struct PlayerHolder {
  SearchSetup setup;  // of one that searches; outlives it
  std::unique_ptr<MatchPlayer<G>> player;
  std::string identity;     // all that its moves depend on, in words
  bool is_process = false;  // another program
};

/// Reads "NAME=VALUE" words. A reason when one has no name.
Result<std::vector<std::pair<std::string, std::string>>> parse_options(
    const std::vector<std::string>& options);

/// What a network's moves depend on.
std::string network_identity(const Network& network, const SearchSetup& setup);

/// The line that asks another program for a move.
std::string go_line(EngineProtocol protocol, const PlayerSettings& settings);

/// A reason when `word` is a player that cannot do what it was told.
Result<void> check_told(const std::string& word, const PlayerSettings& settings);

/// A network that searches; `word` as open_network() takes it.
template <Game G>
Result<PlayerHolder<G>> make_network_player(const std::string& word,
                                            const PlayerSettings& settings) {
  const Result<Network> network = open_network(word, reference_spec<G>());
  if (!network) return network.error();
  Result<SearchSetup> setup = set_up_search<G>(*network, settings.search, settings.visits);
  if (!setup) return setup.error();
  PlayerHolder<G> holder;
  holder.identity = network_identity(*network, *setup);
  holder.setup = std::move(*setup);
  holder.player = std::make_unique<SearchPlayer<G>>(*holder.setup.evaluator, holder.setup.settings,
                                                    holder.setup.visits, holder.setup.lanes,
                                                    holder.setup.batch_rows);
  return holder;
}

namespace match_players_detail {

template <Game G>
Result<PlayerHolder<G>> make_engine_player(EngineProtocol protocol, const std::string& word,
                                           const PlayerSettings& settings) {
  const std::string command = word.substr(word.find(':') + 1);
  auto options = parse_options(settings.options);
  if (!options) return options.error();
  const std::string go = go_line(protocol, settings);
  auto player = EnginePlayer<G>::start(
      {.protocol = protocol,
       .command = command,
       .options = std::move(*options),
       .start_time = milliseconds_of(settings.start_seconds),
       .answer_time = milliseconds_of(settings.answer_seconds)},
      {.go = go, .processes = settings.processes, .is_stopped = settings.is_stopped});
  if (!player) return player.error();
  PlayerHolder<G> holder;
  holder.identity = word + ", " + go;
  for (const std::string& option : settings.options) holder.identity += ", " + option;
  holder.player = std::make_unique<EnginePlayer<G>>(std::move(*player));
  holder.is_process = true;
  return holder;
}

}  // namespace match_players_detail

/// The players that only backgammon has; nothing when `word` is none of them.
std::optional<Result<PlayerHolder<Backgammon>>> make_backgammon_player(
    const std::string& word, const PlayerSettings& settings);

/// Makes the player that `word` means. A reason when there is no such player in this game or it
/// cannot be started.
template <Game G>
Result<PlayerHolder<G>> make_player(const std::string& word, const PlayerSettings& settings) {
  using namespace match_players_detail;
  if (const auto told = check_told(word, settings); !told) return told.error();
  if (word.starts_with("uci:")) {
    return make_engine_player<G>(EngineProtocol::kUci, word, settings);
  }
  if (word.starts_with("ubgi:")) {
    if constexpr (std::is_same_v<G, Backgammon>) {
      return make_engine_player<G>(EngineProtocol::kUbgi, word, settings);
    } else {
      return fail("UBGI is for backgammon; uci:COMMAND is for all games");
    }
  }
  PlayerHolder<G> holder;
  holder.identity = word;
  if (word == "random") {
    holder.player = std::make_unique<RandomPlayer<G>>();
    return holder;
  }
  if constexpr (OnePlyGame<G>) {
    if (word == "one-ply") {
      holder.player = std::make_unique<OnePlyPlayer<G>>();
      return holder;
    }
  }
  if constexpr (std::is_same_v<G, Backgammon>) {
    if (auto player = make_backgammon_player(word, settings)) return std::move(*player);
  }
  Result<PlayerHolder<G>> network = make_network_player<G>(word, settings);
  if (!network && !std::filesystem::exists(word)) {
    return fail(fmt::format("{}; players are {}", network.error().reason(), kPlayerWords));
  }
  return network;
}

}  // namespace senet
