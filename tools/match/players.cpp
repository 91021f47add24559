#include "tools/match/players.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "games/registry.hpp"
#include "tools/programs.hpp"

namespace senet {
namespace {

bool speaks_ubgi(const AnyGame& game) { return game.ubgi_question != nullptr; }

bool has_player(const AnyGame& game, std::string_view word) {
  return std::ranges::find(game.players, word, &SimplePlayer::word) != game.players.end();
}

// Whether some game has a player of this word that makes no visits.
bool makes_no_visits(std::string_view word) {
  return std::ranges::any_of(all_games<AnyGame>(), [&](const AnyGame* game) {
    return has_player(*game, word) || programs_of(*game).is_own_player(word);
  });
}

Result<PlayerHolder> make_engine_player(EngineProtocol protocol, const std::string& word,
                                        const PlayerSettings& settings) {
  const std::string command = word.substr(word.find(':') + 1);
  auto options = parse_options(settings.options);
  if (!options) return options.error();
  const std::string go = go_line(protocol, settings);
  auto player = EnginePlayer::start(
      {.protocol = protocol,
       .command = command,
       .options = std::move(*options),
       .start_time = milliseconds_of(settings.start_seconds),
       .answer_time = milliseconds_of(settings.answer_seconds)},
      {.go = go, .processes = settings.processes, .is_stopped = settings.is_stopped});
  if (!player) return player.error();
  PlayerHolder holder;
  holder.identity = word + ", " + go;
  for (const std::string& option : settings.options) holder.identity += ", " + option;
  holder.player = std::make_unique<EnginePlayer>(std::move(*player));
  holder.is_process = true;
  return holder;
}

}  // namespace

std::string player_words() {
  std::string text = "a weights file, builtin, untrained[:SEED]";
  const auto add = [&](std::string_view words, const std::function<bool(const AnyGame&)>& has) {
    const bool all_have =
        std::ranges::all_of(all_games<AnyGame>(), [&](const AnyGame* game) { return has(*game); });
    text +=
        all_have ? fmt::format(", {}", words) : fmt::format(", {} ({})", words, games_that(has));
  };
  std::vector<std::string_view> told;
  for (const AnyGame* const game : all_games<AnyGame>()) {
    for (const SimplePlayer& player : game->players) {
      if (std::ranges::find(told, player.word) != told.end()) continue;
      told.push_back(player.word);
      add(player.word, [&](const AnyGame& any) { return has_player(any, player.word); });
    }
  }
  for (const AnyGame* const game : all_games<AnyGame>()) {
    const std::string_view words = programs_of(*game).own_player_words;
    if (!words.empty()) add(words, [&](const AnyGame& any) { return any.name == game->name; });
  }
  add("uci:COMMAND", [](const AnyGame&) { return true; });
  add("ubgi:COMMAND", speaks_ubgi);
  return text;
}

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
  if (settings.visits_told == VisitsTold::kThisPlayer && makes_no_visits(word)) {
    return fail(word + ": makes no visits");
  }
  return {};
}

std::string network_identity(const SearchSetup& setup) {
  return fmt::format("network {}, {} visits, {}, evaluator {}{}", id_text(setup.weights->id()),
                     setup.visits, name_of(setup.settings.evaluates), setup.evaluator->name(),
                     said_settings(setup.settings, SettingsText::kPlayer));
}

Result<PlayerHolder> make_player(const AnyGame& game, const std::string& word,
                                 const PlayerSettings& settings) {
  if (const auto told = check_told(word, settings); !told) return told.error();
  const Programs& programs = programs_of(game);
  if (word.starts_with("uci:")) return make_engine_player(EngineProtocol::kUci, word, settings);
  if (word.starts_with("ubgi:")) {
    if (game.ubgi_question != nullptr) {
      return make_engine_player(EngineProtocol::kUbgi, word, settings);
    }
    return fail(
        fmt::format("UBGI is for {}; uci:COMMAND is for all games", games_that(speaks_ubgi)));
  }
  if (programs.is_own_player(word)) return programs.make_own_player(word, settings);
  const auto simple = std::ranges::find(game.players, word, &SimplePlayer::word);
  if (simple != game.players.end()) {
    PlayerHolder holder;
    holder.identity = word;
    holder.player = std::make_unique<SimpleMatchPlayer>(*simple);
    return holder;
  }
  Result<PlayerHolder> network = programs.make_network_player(word, settings);
  if (!network && !std::filesystem::exists(word)) {
    return fail(fmt::format("{}; players are {}", network.error().reason(), player_words()));
  }
  return network;
}

}  // namespace senet
