#include "tools/play/players.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "games/fields.hpp"
#include "selfplay/selfplay.hpp"

namespace senet {
namespace {

bool speaks_ubgi(const AnyGame& game) { return game.ubgi_question != nullptr; }

bool has_player(const AnyGame& game, std::string_view word) {
  return std::ranges::find(game.players, word, &SimplePlayer::word) != game.players.end();
}

std::string go_line(EngineProtocol protocol, const PlayerSettings& settings) {
  if (settings.move_seconds > 0) {
    return fmt::format("go {}movetime {}", protocol == EngineProtocol::kUci ? "" : "role chequer ",
                       std::max<std::int64_t>(milliseconds_of(settings.move_seconds).count(), 1));
  }
  // Many programs treat "nodes 0" as no limit.
  const std::uint32_t nodes = std::max(settings.visits, 1u);
  if (protocol == EngineProtocol::kUci) return fmt::format("go nodes {}", nodes);
  // Few UBGI programs support limits, so they get one only on request.
  const std::string go = "go role chequer";
  return settings.visits_from == VisitsSource::kDefault ? go
                                                        : fmt::format("{} nodes {}", go, nodes);
}

// Makes a player from a UCI or UBGI engine; `word` is "uci:COMMAND" or "ubgi:COMMAND". UBGI
// requires a game with AnyGame::ubgi_question.
Result<PlayerHolder> make_engine_player(EngineProtocol protocol, const std::string& word,
                                        const PlayerSettings& settings) {
  TextEngineSettings engine{
      .protocol = protocol,
      .command = word.substr(word.find(':') + 1),
      .options = {},
      .go = go_line(protocol, settings),
      .start_time = milliseconds_of(settings.start_seconds),
      .answer_time = milliseconds_of(settings.answer_seconds + settings.move_seconds)};
  std::string identity = word + ", " + engine.go;
  for (const std::string& option : settings.options) {
    const std::size_t equals = option.find('=');
    if (equals == 0 || equals == std::string::npos || option.find('\n') != std::string::npos) {
      return fail(fmt::format("option \"{}\" is not NAME=VALUE", option));
    }
    engine.options.emplace_back(option.substr(0, equals), option.substr(equals + 1));
    identity += ", " + option;
  }
  return make_process_player(MoveProcess::starter<TextEngine>(engine), identity, settings);
}

// Whether some game has a player of this name that makes no visits.
bool makes_no_visits(std::string_view word) {
  return std::ranges::any_of(all_games<AnyGame>(), [&](const AnyGame* game) {
    return has_player(*game, word) || programs_of(*game).is_own_player(word);
  });
}

}  // namespace

std::string player_index() {
  std::string text =
      "FILE\ta network: the name of a weights file\nbuiltin\tthe built-in network\n"
      "playouts\tsearches with random games in place of a network\n"
      "untrained[:SEED]\ta network with random weights\n"
      "level:N[:NETWORK]\tlevel of strength N of a network, default builtin, with its own number "
      "of "
      "visits (senet ladder)";
  const auto add = [&](std::string_view words, std::string_view help,
                       const std::function<bool(const AnyGame&)>& has) {
    const bool all_have =
        std::ranges::all_of(all_games<AnyGame>(), [&](const AnyGame* game) { return has(*game); });
    text += fmt::format("\n{}\t{}{}", words, all_have ? "" : games_that(has) + ": ", help);
  };
  std::vector<std::string_view> known;
  for (const AnyGame* const game : all_games<AnyGame>()) {
    for (const SimplePlayer& player : game->players) {
      if (std::ranges::find(known, player.word) != known.end()) continue;
      known.push_back(player.word);
      add(player.word, player.help,
          [&](const AnyGame& any) { return has_player(any, player.word); });
    }
  }
  for (const AnyGame* const game : all_games<AnyGame>()) {
    const Programs& programs = programs_of(*game);
    if (programs.own_player_words.empty()) continue;
    add(programs.own_player_words, programs.own_player_help,
        [&](const AnyGame& any) { return any.name == game->name; });
  }
  add("uci:COMMAND", "a program that speaks UCI, started with this shell command",
      [](const AnyGame&) { return true; });
  add("ubgi:COMMAND", "the same with UBGI", speaks_ubgi);
  return text;
}

void add_player_options(const Command& command, PlayerSettings& settings) {
  add_search_options(command, settings.search);
  auto workers = setting_of(&SelfPlaySettings::workers);
  workers.help = "threads that search; 0: one per hardware thread, within 1 GiB of trees";
  add_setting(command, workers, settings.search.workers);
  auto lanes = setting_of(&WorkerSettings::lanes);
  lanes.help = "searches that each worker interleaves";
  add_setting(command, lanes, settings.search.lanes)
      .shows_default("up to 64, within 1 GiB of trees");
  add_setting(command, setting_of(&WorkerSettings::cache_mib), settings.search.cache_mib);
  command.heading("External programs");
  add_settings(command, settings);
}

Result<void> check_player(const std::string& word, const PlayerSettings& settings) {
  const bool is_engine = word.starts_with("uci:") || word.starts_with("ubgi:");
  if (!settings.options.empty() && !is_engine) return fail(word + ": takes no options");
  if (settings.move_seconds > 0 && !is_engine && !makes_no_visits(word)) {
    return fail(word + ": makes visits; --move-seconds is for UCI and UBGI programs");
  }
  if (settings.visits_from == VisitsSource::kThisPlayer && makes_no_visits(word)) {
    return fail(word + ": makes no visits");
  }
  return {};
}

Result<PlayerHolder> make_process_player(MoveProcess::Start start, const std::string& identity,
                                         const PlayerSettings& settings) {
  auto player = ProcessPlayer::start(std::move(start), settings.processes, settings.is_stopped);
  if (!player) return player.error();
  return PlayerHolder{.player = std::move(*player), .identity = identity, .is_process = true};
}

Result<NetworkWord> NetworkWord::read(const std::string& word) {
  constexpr std::string_view kLevel = "level:";
  if (!word.starts_with(kLevel)) return NetworkWord{.source = word};
  const std::string_view rest = std::string_view(word).substr(kLevel.size());
  const std::size_t colon = rest.find(':');
  const auto level = number_of<std::uint32_t>(rest.substr(0, colon), 1, kMaxLevels);
  if (!level) return fail(fmt::format("{}: the level is not an integer 1 .. {}", word, kMaxLevels));
  const bool names_source = colon != std::string_view::npos;
  return NetworkWord{names_source ? std::string(rest.substr(colon + 1)) : "builtin", *level};
}

Result<void> set_level(std::uint32_t level, const Network& network, PlayerSettings& settings) {
  if (level == 0) return {};
  if (settings.visits_from == VisitsSource::kThisPlayer) {
    return fail("a level has its own number of visits");
  }
  const std::vector<Level>& levels = network.levels();
  if (level > levels.size()) {
    return fail(levels.empty() ? "the network has no levels; senet ladder finds them"
                               : fmt::format("the network has levels 1 .. {}", levels.size()));
  }
  settings.search.level = levels[level - 1];
  settings.visits = settings.search.level.visits;
  return {};
}

std::string network_identity(std::uint64_t network, std::uint32_t visits,
                             const SearchOptions& options, std::string_view evaluator) {
  // Of a search by plies, the settings name the plies.
  const bool is_tree = options.settings.plies.ply == 0;
  const std::string budget = !is_tree      ? ""
                             : visits <= 1 ? "no search, "
                                           : fmt::format("{} visits, ", visits);
  const Level& level = options.level;
  const std::string drawn = level.temperature > 0
                                ? fmt::format("drawn with temperature {} and loss {}, ",
                                              level.temperature, level.most_loss)
                                : "";
  return fmt::format("network {}, {}{}{}, evaluator {}{}", id_text(network), budget, drawn,
                     name_of(options.settings.evaluates), evaluator,
                     settings_summary(options, SettingsText::kPlayer));
}

void print_note(const PlayerHolder& player) {
  if (!player.note.empty()) fmt::print(stderr, "note: {}\n", player.note);
}

Result<PlayerHolder> make_player(const AnyGame& game, const std::string& word,
                                 const PlayerSettings& settings) {
  if (const auto checked = check_player(word, settings); !checked) return checked.error();
  const Programs& programs = programs_of(game);
  if (word.starts_with("uci:")) return make_engine_player(EngineProtocol::kUci, word, settings);
  if (word.starts_with("ubgi:")) {
    if (speaks_ubgi(game)) return make_engine_player(EngineProtocol::kUbgi, word, settings);
    return fail(
        fmt::format("UBGI is for {} only; uci:COMMAND is for all games", games_that(speaks_ubgi)));
  }
  if (programs.is_own_player(word)) return programs.make_own_player(word, settings);
  const auto simple = std::ranges::find(game.players, word, &SimplePlayer::word);
  if (simple != game.players.end()) {
    return PlayerHolder{.player = std::make_unique<SimpleMatchPlayer>(*simple), .identity = word};
  }
  Result<PlayerHolder> network = programs.make_network_player(game, word, settings);
  if (network || is_untrained(word) || word == "builtin" || word == "playouts" ||
      word.starts_with("level:") || std::filesystem::exists(word)) {
    return network;
  }
  const auto has_it = [&](const AnyGame& other) {
    return has_player(other, word) ||
           (word.find(':') != std::string::npos && programs_of(other).is_own_player(word));
  };
  if (const std::string games = games_that(has_it); !games.empty()) {
    return fail(fmt::format("{} is a player of {}, not of {}", word, games, game.name));
  }
  std::vector<std::string> names = {"builtin", "playouts", "untrained"};
  for (const SimplePlayer& player : game.players) names.emplace_back(player.word);
  const std::string meant = suggestion(word, names);
  return fail(fmt::format("there is no file or player \"{}\"{}", word,
                          meant.empty() ? " (senet match --help lists the players)" : meant));
}

}  // namespace senet
