// senet match: two players, the same openings and dice with sides swapped.
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <fstream>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "games/any_game.hpp"
#include "games/registry.hpp"
#include "nn/file.hpp"
#include "selfplay/match.hpp"
#include "tools/command.hpp"
#include "tools/match/match_book.hpp"
#include "tools/match/match_log.hpp"
#include "tools/match/match_options.hpp"
#include "tools/match/match_report.hpp"
#include "tools/match/players.hpp"
#include "tools/metric.hpp"
#include "tools/progress_line.hpp"
#include "tools/stop_signals.hpp"

namespace senet {
namespace {

// Games side by side: many for batches of a network, few where each move is waited for and a kill
// loses the games under way.
constexpr std::size_t kGamesAtOnce = 256;
constexpr std::size_t kGamesAtOnceWithProcess = 32;

/// The signals that stop the match, once it is played. Before, they end the program.
struct Stop {
  std::optional<StopSignals> signals;

  bool has_come() { return signals && signals->has_come(); }
};

/// The sequential test as it was asked for.
struct SprtRequest {
  double first = 0, second = 0;  // Elo, or points a game
  SprtSettings settings;
};

/// Elo is of games that are won, drawn or lost by skill alone.
bool has_elo(const AnyGame& game) { return !game.has_dice; }
std::string_view unit_name(const AnyGame& game) { return has_elo(game) ? "Elo" : "points a game"; }

Result<double> read_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return fail(fmt::format("--sprt: \"{}\" is no number", text));
  }
  return value;
}

Result<std::optional<SprtRequest>> sprt_request(const AnyGame& game,
                                                const MatchArguments& arguments) {
  if (arguments.sprt.empty()) return std::nullopt;
  const std::size_t comma = arguments.sprt.find(',');
  if (comma == std::string::npos) return fail("--sprt: two numbers with a comma between them");
  const std::string_view text = arguments.sprt;
  const Result<double> first = read_number(text.substr(0, comma));
  if (!first) return first.error();
  const Result<double> second = read_number(text.substr(comma + 1));
  if (!second) return second.error();
  SprtRequest request{*first, *second, {.alpha = arguments.alpha, .beta = arguments.beta}};
  request.settings.mean0 = has_elo(game) ? expected_score(*first) : *first;
  request.settings.mean1 = has_elo(game) ? expected_score(*second) : *second;
  const double least = has_elo(game) ? 0 : -game.value_range, most = game.value_range;
  if (!(*first < *second)) return fail("--sprt: the first number is the smaller one");
  if (!(least < request.settings.mean0 && request.settings.mean1 < most)) {
    return fail(fmt::format("--sprt: no result of a game is beyond that many {}", unit_name(game)));
  }
  return request;
}

/// What a log must agree on to be gone on with.
MatchIdentity identity_of(const MatchArguments& arguments, const PlayerHolder& first,
                          const PlayerHolder& second) {
  return {{"game", arguments.game},
          {"seed", std::to_string(arguments.match.seed)},
          {"random_plies", std::to_string(arguments.match.random_plies)},
          {"ply_cap", std::to_string(arguments.match.ply_cap)},
          {"first", first.identity},
          {"second", second.identity}};
}

/// A match that is ready to be played.
struct PreparedMatch {
  const AnyGame* game;
  MatchArguments arguments;
  std::unique_ptr<Stop> stop;  // which the players ask too
  PlayerHolder first, second;
  std::optional<SprtRequest> sprt;
  MatchBook book;
  std::optional<MatchLog> log;
};

Result<void> open_log(PreparedMatch& prepared) {
  const MatchArguments& arguments = prepared.arguments;
  const MatchIdentity identity = identity_of(arguments, prepared.first, prepared.second);
  std::error_code unknown;
  const bool is_there = std::filesystem::exists(arguments.log, unknown);
  if (is_there && !arguments.resume) {
    return fail(fmt::format("--log: {} is there already; --resume goes on with it",
                            arguments.log.string()));
  }
  const auto use = [&](const LoggedGame& logged) -> Result<void> {
    // More pairs than now asked for are no harm.
    if (pair_of(logged.number) >= arguments.match.pairs) return {};
    if (prepared.book.has(logged.number)) {
      return fail(fmt::format("game {} is told twice", logged.number));
    }
    Result<PlayedGame> game = from_log(*prepared.game, logged, arguments.match);
    if (!game) {
      return fail(fmt::format("game {}: {}", logged.number, game.error().reason()));
    }
    prepared.book.add(std::move(*game));
    return {};
  };
  Result<MatchLog> log = is_there ? MatchLog::resume(arguments.log, identity, use)
                                  : MatchLog::create(arguments.log, identity);
  if (!log) return fail("--log: " + log.error().reason());
  prepared.log = std::move(*log);
  return {};
}

/// One game, ply by ply, on stdout.
void print_game(const AnyGame& rules, const PlayedGame& game, const MatchArguments& arguments) {
  const LoggedGame logged = to_log(rules, game);
  if (arguments.json) {
    fmt::print("{}\n", game_line(logged, arguments.match.seed));
    return;
  }
  fmt::print("game {} of seed {}: pair {}, the first player ({}) is player {}\n", game.number,
             arguments.match.seed, pair_of(game.number), arguments.first,
             first_side_of(game.number));
  AnyState state(rules);
  for (std::size_t ply = 0; ply < game.actions.size(); ++ply) {
    const Turn turn = state.turn();
    const std::string who =
        turn == Turn::kChance ? "dice" : fmt::format("player {}", turn == Turn::kPlayer0 ? 0 : 1);
    fmt::print("{:4}  {:<28} {:<9} {}\n", ply, state.text(), who, logged.plies[ply]);
    state.play(game.actions[ply]);
  }
  fmt::print("{:4}  {:<28} {}\n", game.actions.size(), state.text(),
             logged.points ? fmt::format("{:+g} for the first player", *logged.points) : "cut");
}

/// Whether the file can be written, before hours have gone into what it is to hold.
Result<void> try_mat(const std::filesystem::path& file) {
  errno = 0;
  if (std::ofstream(file, std::ios::app)) return {};
  return fail(fmt::format("--mat: {}: {}", file.string(), std::generic_category().message(errno)));
}

Result<void> write_mat(const PreparedMatch& prepared) {
  const MatchArguments& arguments = prepared.arguments;
  std::vector<FinishedGame> games;
  for (std::size_t i = 0; i < prepared.book.counted().size(); ++i) {
    const PlayedGame& game = prepared.book.game(i);
    games.push_back({game.actions, first_side_of(game.number), game.outcome});
  }
  const std::string text = prepared.game->match_text(
      games, fmt::format("first: {}, second: {}, seed {}", arguments.first, arguments.second,
                         arguments.match.seed));
  return replace_file(arguments.mat, {std::as_bytes(std::span(text))});
}

Result<void> run(PreparedMatch& prepared) {
  const AnyGame& rules = *prepared.game;
  const MatchArguments& arguments = prepared.arguments;
  MatchBook& book = prepared.book;
  Stop& stop = *prepared.stop;
  stop.signals.emplace(StopSignals::Mode::kFirstOnly);
  MatchRun played;
  {
    ProgressLine progress("games", arguments.match.only_game ? 1 : arguments.match.pairs * 2);
    const MatchHooks hooks{
        .finished = [&](const PlayedGame& game) -> Result<void> {
          if (arguments.match.only_game) {
            print_game(rules, game, arguments);
            return {};
          }
          if (prepared.log) {
            const auto kept =
                prepared.log->append(game_line(to_log(rules, game), arguments.match.seed));
            if (!kept) return kept;
          }
          book.add(game);
          progress.show(book.size());
          return {};
        },
        .is_stopped = [&] { return stop.has_come() || book.decision() != Sprt::Decision::kNone; }};
    if (!hooks.is_stopped()) {
      played = play_match(rules, *prepared.first.player, *prepared.second.player, arguments.match,
                          book.numbers(), hooks);
    }
  }
  std::string wrong = played.fault      ? played.fault->reason()
                      : stop.has_come() ? fmt::format("stopped after {} games", book.size())
                                        : "";
  const auto result = [&] { return wrong.empty() ? Result<void>() : Result<void>(fail(wrong)); };
  if (arguments.match.only_game) return result();
  if (!arguments.json) {
    fmt::print("{}: {} (first) against {}, {} of {} pairs of games, seed {}\n", rules.name,
               arguments.first, arguments.second, book.counted().size() / 2, arguments.match.pairs,
               arguments.match.seed);
    if (prepared.sprt) {
      fmt::print("{}\n", sprt_sentence(book, prepared.sprt->first, prepared.sprt->second,
                                       unit_name(rules)));
    }
  }
  print_metrics("match", match_metrics(arguments.game, book, has_elo(rules), played.faults),
                arguments.json);
  if (!arguments.mat.empty()) {
    if (const auto written = write_mat(prepared); !written) {
      wrong += (wrong.empty() ? "--mat: " : "; and --mat: ") + written.error().reason();
    }
  }
  return result();
}

Result<PlayerHolder> prepare_player(const AnyGame& game, const MatchArguments& arguments,
                                    bool is_first) {
  PlayerSettings settings = arguments.player;
  const auto& own = is_first ? arguments.first_visits : arguments.second_visits;
  if (own) {
    settings.visits = *own;
    settings.visits_told = VisitsTold::kThisPlayer;
  }
  settings.options = is_first ? arguments.first_options : arguments.second_options;
  Result<PlayerHolder> player =
      make_player(game, is_first ? arguments.first : arguments.second, settings);
  if (!player) return fail((is_first ? "--first: " : "--second: ") + player.error().reason());
  return player;
}

Result<Job> prepare(MatchArguments arguments) {
  const Result<const AnyGame*> known = find_game<AnyGame>(arguments.game);
  if (!known) return known.error();
  const AnyGame& game = **known;
  const bool is_one_game = arguments.match.only_game.has_value();
  const auto has_format = [](const AnyGame& any) { return any.match_text != nullptr; };
  if (!arguments.mat.empty() && !has_format(game)) {
    return fail(fmt::format("--mat: the format is for {} only", games_that(has_format)));
  }
  if (arguments.resume && arguments.log.empty()) return fail("--resume: name the --log");
  if (is_one_game && !(arguments.log.empty() && arguments.mat.empty())) {
    return fail("--game-number: one game is printed, not logged");
  }
  const auto sprt = sprt_request(game, arguments);
  if (!sprt) return sprt.error();
  auto stop = std::make_unique<Stop>();
  arguments.player.is_stopped = [&signals = *stop] { return signals.has_come(); };
  Result<PlayerHolder> first = prepare_player(game, arguments, true);
  if (!first) return first.error();
  Result<PlayerHolder> second = prepare_player(game, arguments, false);
  if (!second) return second.error();
  const bool is_slow = first->is_process || second->is_process;
  arguments.match.games_at_once = arguments.games_at_once > 0 ? arguments.games_at_once
                                  : is_slow ? kGamesAtOnceWithProcess * arguments.player.processes
                                            : kGamesAtOnce;
  const std::vector<float> values(game.outcome_values.begin(), game.outcome_values.end());
  const auto settings =
      *sprt ? std::optional<SprtSettings>((*sprt)->settings) : std::optional<SprtSettings>();
  MatchBook book(values, has_elo(game) ? PairUnit::kScore : PairUnit::kPoints, settings);
  PreparedMatch prepared{.game = &game,
                         .arguments = std::move(arguments),
                         .stop = std::move(stop),
                         .first = std::move(*first),
                         .second = std::move(*second),
                         .sprt = *sprt,
                         .book = std::move(book),
                         .log = {}};
  if (!prepared.arguments.mat.empty()) {
    if (const auto tried = try_mat(prepared.arguments.mat); !tried) {
      return tried.error();
    }
  }
  if (!prepared.arguments.log.empty()) {
    if (const auto opened = open_log(prepared); !opened) return opened.error();
  }
  return Job([prepared = std::move(prepared)]() mutable { return run(prepared); });
}

}  // namespace

void add_match_command(const Command& program) {
  auto arguments = std::make_shared<MatchArguments>();
  const Command command =
      program.add_command("match", "Let two players play many games against each other");
  const Option visits = add_match_options(command, *arguments);
  command.runs([arguments, visits] {
    if (visits.is_given()) arguments->player.visits_told = VisitsTold::kEverybody;
    return run_command("match", prepare(*arguments));
  });
}

}  // namespace senet
