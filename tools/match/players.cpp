#include "tools/match/players.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "selfplay/linear_backgammon.hpp"
#include "tools/gnubg/gnubg_player.hpp"

namespace senet {

void add_process_options(const Command& command, PlayerSettings& settings) {
  command.option("--processes", settings.processes, "processes of another program, side by side")
      .shows_default()
      .in_range(1, 256)
      .in_group(kProcessGroup);
  command
      .option("--start-seconds", settings.start_seconds,
              "a UCI or UBGI program that is not ready by then is taken to hang")
      .shows_default()
      .in_range(0.01, 86400.0)
      .in_group(kProcessGroup);
  command
      .option("--answer-seconds", settings.answer_seconds,
              "a program that takes longer for a move is taken to hang")
      .shows_default()
      .in_range(0.01, 86400.0)
      .in_group(kProcessGroup);
}

Result<std::vector<std::pair<std::string, std::string>>> parse_options(
    const std::vector<std::string>& options) {
  std::vector<std::pair<std::string, std::string>> parsed;
  for (const std::string& option : options) {
    const std::size_t equals = option.find('=');
    if (equals == 0 || equals == std::string::npos || option.find('\n') != std::string::npos) {
      return fail(fmt::format("option \"{}\" is not NAME=VALUE", option));
    }
    parsed.emplace_back(option.substr(0, equals), option.substr(equals + 1));
  }
  return parsed;
}

std::string go_line(EngineProtocol protocol, const PlayerSettings& settings) {
  // "nodes 0" is no limit at all to many programs.
  const std::uint32_t nodes = std::max(settings.visits, 1u);
  if (protocol == EngineProtocol::kUci) return fmt::format("go nodes {}", nodes);
  // Few UBGI programs know limits, so they are told none that nobody asked for.
  const std::string go = "go role chequer";
  return settings.visits_told == VisitsTold::kNobody ? go : fmt::format("{} nodes {}", go, nodes);
}

Result<void> check_told(const std::string& word, const PlayerSettings& settings) {
  const bool is_engine = word.starts_with("uci:") || word.starts_with("ubgi:");
  if (!settings.options.empty() && !is_engine) return fail(word + ": takes no options");
  const bool makes_none =
      word == "random" || word == "one-ply" || word == "linear" || word.starts_with("gnubg:");
  if (makes_none && settings.visits_told == VisitsTold::kThisPlayer) {
    return fail(word + ": makes no visits");
  }
  return {};
}

std::optional<Result<PlayerHolder<Backgammon>>> make_backgammon_player(
    const std::string& word, const PlayerSettings& settings) {
  PlayerHolder<Backgammon> holder;
  holder.identity = word;
  if (word == "linear") {
    holder.player = std::make_unique<LinearPlayer>();
    return holder;
  }
  std::optional<Result<GnubgSettings>> gnubg = parse_gnubg(word);
  if (!gnubg) return std::nullopt;
  if (!*gnubg) return gnubg->error();
  (*gnubg)->answer_time = milliseconds_of(settings.answer_seconds);
  Result<GnubgPlayer> player = GnubgPlayer::start(**gnubg, settings.processes, settings.is_stopped);
  if (!player) return player.error();
  holder.player = std::make_unique<GnubgPlayer>(std::move(*player));
  holder.is_process = true;
  return holder;
}

std::string network_identity(const Network& network, const SearchSetup& setup) {
  const SearchSettings& search = setup.settings;
  // Players of afterstates have none, and logs of their matches from before it can be gone on with.
  const std::string policy_temperature =
      search.evaluates == Evaluates::kPosition
          ? fmt::format("policy_temperature {}, ", search.policy_temperature)
          : "";
  return fmt::format(
      "network {}, {} visits, {}, evaluator {}, c_puct {}, fpu_reduction {}, "
      "{}afterstate_temperature {}",
      id_text(network.id()), setup.visits, evaluates_name(search.evaluates),
      setup.evaluator->name(), search.c_puct, search.fpu_reduction, policy_temperature,
      search.afterstate_temperature);
}

}  // namespace senet
