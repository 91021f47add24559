// senet match: plays two players against each other, each opening and dice with both sides.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "games/any_game.hpp"
#include "games/games.hpp"
#include "nn/file.hpp"
#include "selfplay/match.hpp"
#include "selfplay/match_results.hpp"
#include "tools/command.hpp"
#include "tools/metric.hpp"
#include "tools/play/match_log.hpp"
#include "tools/play/players.hpp"
#include "tools/stop_signals.hpp"
#include "tools/terminal.hpp"

namespace senet {

constexpr std::uint64_t kMaxPairs = 10'000'000;

constexpr auto settings_of(std::type_identity<MatchSettings>) {
  using M = MatchSettings;
  return std::tuple{
      setting("pairs", &M::pairs,
              "pairs of games; both have the same opening and dice, with sides swapped",
              {.least = 1, .most = kMaxPairs}),
      setting("random-plies", &M::random_plies,
              "uniformly random moves at the start of a game without dice"),
      setting("ply-cap", &M::ply_cap,
              "plies, including rolls, after which a game is cut and counts as drawn",
              {.least = 1, .most = 1'000'000}),
      setting("seed", &M::seed, "seed for openings, dice and random moves")};
}

constexpr auto settings_of(std::type_identity<SprtSettings>) {
  return std::tuple{
      setting("sprt-alpha", &SprtSettings::alpha, "probability of accepting B when A is true",
              {.least = 1e-6, .most = 0.499}),
      setting("sprt-beta", &SprtSettings::beta, "probability of accepting A when B is true",
              {.least = 1e-6, .most = 0.499})};
}

namespace {

// Many games fill the batches of a network. With external programs, few games mean little loss when
// the program is killed.
constexpr std::size_t kGamesAtOnce = 256;
constexpr std::size_t kGamesAtOnceWithProcess = 32;

/// Arrays are for the first and the second player.
struct MatchArguments {
  std::string game;
  std::array<std::string, 2> words;
  std::array<std::optional<std::uint32_t>, 2> visits;
  std::array<std::optional<bool>, 2> tablebase;
  std::array<std::vector<std::string>, 2> options;
  PlayerSettings player;  // for both
  MatchSettings match;
  std::optional<std::size_t> games_at_once;  // default: the constants above
  std::string sprt;                          // "A,B"
  SprtSettings sprt_settings;
  std::filesystem::path log, mat;
  bool resume = false;
  bool json = false;
};

constexpr std::array kSides = {"first", "second"};

struct Match {
  const AnyGame* game;
  MatchArguments arguments;
  std::unique_ptr<std::optional<StopSignals>> signals;  // set during play; players poll it too
  std::array<PlayerHolder, 2> players;
  std::optional<Hypotheses> sprt;
  MatchResults results;
  std::optional<MatchLog> log;

  /// Everything that the result depends on. A log must match in all of it to be resumed.
  MatchIdentity identity() const {
    return {{"game", arguments.game},
            {"seed", std::to_string(arguments.match.seed)},
            {"random_plies", std::to_string(arguments.match.random_plies)},
            {"ply_cap", std::to_string(arguments.match.ply_cap)},
            {"first", players[0].identity},
            {"second", players[1].identity}};
  }

  void open_log() {
    std::error_code unknown;
    const bool is_there = std::filesystem::exists(arguments.log, unknown);
    if (is_there && !arguments.resume) {
      throw fail(fmt::format("--log: {} already exists; use --resume to continue it",
                             arguments.log.string()));
    }
    const auto use = [&](std::string_view line) -> Result<void> {
      Result<PlayedGame> played = read_game_line(*game, line, arguments.match);
      if (!played) return played.error();
      // The log may contain more pairs than this call requests.
      if (pair_of(played->number) >= arguments.match.pairs) return {};
      if (results.has(played->number)) {
        return fail(fmt::format("game {} occurs twice", played->number));
      }
      results.add(std::move(*played));
      return {};
    };
    const auto mode = is_there ? FileHandle::Mode::kReadWrite : FileHandle::Mode::kCreateNew;
    log = value_for("--log", MatchLog::open(arguments.log, mode, identity(), use));
  }

  /// Prints one game ply by ply.
  void print_game(const PlayedGame& played) const {
    if (arguments.json) {
      fmt::print("{}\n", game_line(*game, played, arguments.match.seed));
      return;
    }
    fmt::print("game {} of seed {}: pair {}, the first player ({}) is player {}\n", played.number,
               arguments.match.seed, pair_of(played.number), arguments.words[0],
               first_side_of(played.number));
    constexpr std::string_view kRow = "{:>4}  {:<9} {:<24} {}\n";
    fmt::print(kRow, "ply", "player", "move", "position");
    AnyState state(*game);
    for (std::size_t ply = 0; ply < played.actions.size(); ++ply) {
      const Turn turn = state.turn();
      const std::string player =
          turn == Turn::kChance ? "dice" : fmt::format("player {}", turn == Turn::kPlayer0 ? 0 : 1);
      const bool is_random = !game->has_dice && ply < arguments.match.random_plies;
      fmt::print(kRow, ply, player,
                 state.action_text(played.actions[ply]) + (is_random ? "  (random)" : ""),
                 state.text());
      state.play(played.actions[ply]);
    }
    fmt::print(kRow, played.actions.size(), "",
               played.outcome ? fmt::format("{:+g} for the first player",
                                            game->outcome_values[*played.outcome])
                              : "cut",
               state.text());
  }

  /// "  first   builtin: network ..., 100 visits, ...": the word and what it stands for.
  void print_player(std::size_t i) const {
    constexpr std::size_t kColumn = 8;
    const std::string &word = arguments.words[i], &identity = players[i].identity;
    const std::string text = identity.starts_with(word) ? identity : word + ": " + identity;
    fmt::print("{:<{}}{}\n", kSides[i], kColumn, wrapped(text, text_columns() - kColumn, kColumn));
  }

  void print_sprt() const {
    const auto [first, second] = *sprt;
    const Sprt& test = *results.sprt();
    const Sprt::Decision decision = test.decision();
    const std::string_view unit = unit_name(*game);
    fmt::print("SPRT {:g} against {:g} {}: {} after {} pairs, LLR {:.2f} ({:.2f} to {:.2f})\n",
               first, second, unit,
               decision == Sprt::Decision::kNone
                   ? "has not decided"
                   : fmt::format("accepts {:g} {}",
                                 decision == Sprt::Decision::kH0 ? first : second, unit),
               results.counted().size() / 2, test.log_likelihood_ratio(), test.lower_bound(),
               test.upper_bound());
  }

  Result<void> write_mat() const {
    std::vector<FinishedGame> games;
    for (std::size_t i = 0; i < results.counted().size(); ++i) {
      const PlayedGame& played = results.game(i);
      games.push_back({played.actions, first_side_of(played.number), played.outcome});
    }
    const std::string text =
        game->match_text(games, fmt::format("first: {}, second: {}, seed {}", arguments.words[0],
                                            arguments.words[1], arguments.match.seed));
    return replace_file(arguments.mat, {std::as_bytes(std::span(text))});
  }

  /// Whether the lines above the metrics already say this one, or it counts what did not happen.
  bool is_redundant(const Metric& metric) const {
    const std::string_view name = metric.name;
    return name == "games" || name == "wins" || name == "draws" || name == "losses" ||
           name == "elo_difference" || name.starts_with("sprt_") ||
           (name.starts_with("games_worth_") && game->outcome_values.size() <= 3) ||
           (metric.value == 0 && !metric.interval && metric.note.empty());
  }

  MatchRun play() {
    ProgressLine progress("games", arguments.match.only_game ? 1 : arguments.match.pairs * 2);
    const MatchHooks hooks{
        .finished = [&](const PlayedGame& played) -> Result<void> {
          if (arguments.match.only_game) {
            print_game(played);
            return {};
          }
          if (log) {
            const auto kept = log->append(game_line(*game, played, arguments.match.seed));
            if (!kept) return kept;
          }
          results.add(played);
          progress.show(results.size(), ": " + results.running_tally());
          return {};
        },
        .is_stopped =
            [&] {
              return arguments.player.is_stopped() || results.decision() != Sprt::Decision::kNone;
            }};
    if (hooks.is_stopped()) return {};
    return play_match(*game, *players[0].player, *players[1].player, arguments.match,
                      results.numbers(), hooks);
  }

  Result<void> run() {
    signals->emplace(StopSignals::Mode::kFirstOnly);
    const MatchRun played = play();
    std::string wrong = played.fault ? played.fault->reason()
                        : arguments.player.is_stopped()
                            ? fmt::format("stopped after {} games", results.size())
                            : "";
    if (!arguments.match.only_game) {
      if (!arguments.json) {
        fmt::print("{}\n", verdict(results, has_elo(*game)));
        for (std::size_t i = 0; i < players.size(); ++i) print_player(i);
        const std::uint32_t plies = game->has_dice ? 0 : arguments.match.random_plies;
        fmt::print("{} of {} pairs of games, seed {}{}; 95 % intervals\n",
                   results.counted().size() / 2, arguments.match.pairs, arguments.match.seed,
                   plies > 0 ? fmt::format(", {} random plies", plies) : "");
        if (sprt) print_sprt();
      } else {
        fmt::print("{}\n", identity_line(identity()));
      }
      std::vector<Metric> metrics =
          match_metrics(arguments.game, results, has_elo(*game), played.faults);
      if (!arguments.json) std::erase_if(metrics, [&](const Metric& m) { return is_redundant(m); });
      print_metrics("match", metrics, arguments.json);
      if (!arguments.mat.empty()) {
        if (const auto written = write_mat(); !written) {
          wrong += (wrong.empty() ? "--mat: " : "; and --mat: ") + written.error().reason();
        }
      }
    }
    return wrong.empty() ? Result<void>() : fail(wrong);
  }
};

PlayerHolder prepare_player(const AnyGame& game, const MatchArguments& arguments, std::size_t i) {
  PlayerSettings settings = arguments.player;
  if (arguments.visits[i]) {
    settings.visits = *arguments.visits[i];
    settings.visits_from = VisitsSource::kThisPlayer;
  }
  settings.search.tablebase = arguments.tablebase[i].value_or(settings.search.tablebase);
  settings.options = arguments.options[i];
  return value_for(fmt::format("--{}", kSides[i]), make_player(game, arguments.words[i], settings));
}

Job prepare(MatchArguments arguments, const Games& games) {
  const AnyGame& game = *games.find(arguments.game).value();
  if (const auto has = check_has_matches(game); !has) throw fail("--game: " + has.error().reason());
  const auto has_format = [](const AnyGame& any) { return any.match_text != nullptr; };
  if (!arguments.mat.empty() && !has_format(game)) {
    throw fail(fmt::format("--mat: the format is only for {}", games_that(has_format)));
  }
  if (arguments.resume && arguments.log.empty()) throw fail("--resume requires --log");
  if (arguments.match.only_game && !(arguments.log.empty() && arguments.mat.empty())) {
    throw fail("--game-number cannot be combined with --log or --mat");
  }
  std::optional<Hypotheses> sprt;
  std::optional<SprtSettings> test;
  if (!arguments.sprt.empty()) {
    sprt = read_hypotheses("--sprt", arguments.sprt).value();
    test = sprt_settings("--sprt", game, *sprt, arguments.sprt_settings).value();
  }
  auto signals = std::make_unique<std::optional<StopSignals>>();
  arguments.player.is_stopped = [&come = *signals] { return come && come->has_come(); };
  std::array players = {prepare_player(game, arguments, 0), prepare_player(game, arguments, 1)};
  for (const PlayerHolder& player : players) print_note(player);
  const bool is_slow = players[0].is_process || players[1].is_process;
  arguments.match.games_at_once = arguments.games_at_once.value_or(
      is_slow ? kGamesAtOnceWithProcess * arguments.player.processes : kGamesAtOnce);
  Match prepared{.game = &game,
                 .arguments = std::move(arguments),
                 .signals = std::move(signals),
                 .players = std::move(players),
                 .sprt = sprt,
                 .results = MatchResults({game.outcome_values.begin(), game.outcome_values.end()},
                                         pair_unit(game), test),
                 .log = {}};
  // Check now that the file can be written, not after hours of play.
  const auto& mat = prepared.arguments.mat;
  if (!mat.empty()) value_for("--mat", FileHandle::open(mat, FileHandle::Mode::kReadWrite));
  if (!prepared.arguments.log.empty()) prepared.open_log();
  return [prepared = std::move(prepared)]() mutable { return prepared.run(); };
}

}  // namespace

void add_match_command(const Command& program, const Games& games) {
  auto arguments = std::make_shared<MatchArguments>();
  const Command command = program.add_command("match", "Play many games between two players");
  MatchArguments& a = *arguments;
  command.heading("Match");
  command.option("--game", a.game, "the game").shows_type("NAME").required();
  command.option("--first", a.words[0], "first player, one of those listed below")
      .shows_type("PLAYER")
      .required();
  command.option("--second", a.words[1], "second player: as --first")
      .shows_type("PLAYER")
      .required();
  add_settings(command, a.match);
  auto at_once = setting("games-at-once", &MatchSettings::games_at_once,
                         "games in progress at the same time", {.least = 1, .most = 100'000});
  add_setting(command, at_once, a.games_at_once)
      .shows_default(fmt::format("{}, with external programs {} per process", kGamesAtOnce,
                                 kGamesAtOnceWithProcess));
  command.heading("Search of networks");
  auto entry = kVisitsSetting;
  const std::string visits_help =
      std::string(entry.help) +
      ". UCI programs get them in \"go nodes\", UBGI programs only if this option is given";
  entry.help = visits_help;
  const Option visits = add_setting(command, entry, a.player.visits);
  // The setting under another name, for one of the players.
  const auto add_for_one = [&](auto setting, const char* name, const char* help, auto& to) {
    setting.name = name;
    setting.help = help;
    add_setting(command, setting, to);
  };
  add_for_one(entry, "first-visits", "visits of the first player only", a.visits[0]);
  add_for_one(entry, "second-visits", "visits of the second player only", a.visits[1]);
  const auto tablebase = setting_of(&SearchOptions::tablebase);
  add_for_one(tablebase, "first-tablebase", "tablebase of the first player only", a.tablebase[0]);
  add_for_one(tablebase, "second-tablebase", "tablebase of the second player only", a.tablebase[1]);
  add_player_options(command, a.player);
  command
      .option("--first-option", a.options[0],
              "sent to the first player with setoption; may be repeated")
      .shows_type("NAME=VALUE");
  command.option("--second-option", a.options[1], "the same for the second player")
      .shows_type("NAME=VALUE");
  command.heading("Games and result");
  command
      .option(
          "--sprt", a.sprt,
          "stop as soon as a sequential probability ratio test accepts strength A or strength B: "
          "Elo, or points per game in games with dice")
      .shows_type("A,B");
  add_settings(command, a.sprt_settings);
  command.option(
      "--log", a.log,
      "append every finished game with its moves and dice to this file, one JSON line each");
  command.flag("--resume", a.resume,
               "continue the log if it exists: the same match, possibly with more pairs");
  command.option("--mat", a.mat,
                 games_that([](const AnyGame& game) { return game.match_text != nullptr; }) +
                     ": write the games that count to this file in the .mat format");
  command
      .option("--game-number", a.match.only_game,
              "play only this game of the match, counted from 0, and print it")
      .in_range(std::uint64_t{0}, 2 * kMaxPairs - 1);
  command.flag("--json", a.json, "print one JSON object per line");
  command.index("Players", player_index());
  command.footer(
      "All figures are from the first player's perspective. Intervals, in parentheses, are 95 %, "
      "from the pairs. "
      "An illegal move, a program that fails twice, and Ctrl-C end the match with exit code 1; "
      "the finished games are reported and kept in the log.");
  command.runs([arguments, visits, &games] {
    if (visits.is_given()) arguments->player.visits_from = VisitsSource::kBothPlayers;
    return prepare(*arguments, games);
  });
}

}  // namespace senet
