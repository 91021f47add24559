#include "tools/match/match_options.hpp"

#include <string>

namespace senet {
namespace {

constexpr std::uint64_t kMostPairs = 10'000'000;

void add_player_options(const Command& command, MatchArguments& arguments) {
  add_search_options(command, arguments.player.search);
  add_process_options(command, arguments.player);
  command
      .option("--first-option", arguments.first_options,
              "NAME=VALUE for the first player by setoption, as often as needed")
      .as_often_as_needed()
      .in_group(kProcessGroup);
  command.option("--second-option", arguments.second_options, "the same for the second player")
      .as_often_as_needed()
      .in_group(kProcessGroup);
}

void add_result_options(const Command& command, MatchArguments& arguments) {
  const char* const group = "Games and result";
  command
      .option("--sprt", arguments.sprt,
              "A,B: stop as soon as the pairs tell a strength of A from one of B: Elo, or "
              "points a game where games are worth more than one")
      .in_group(group);
  command.option("--sprt-alpha", arguments.alpha, "risk of accepting B where A is true")
      .shows_default()
      .in_range(1e-6, 0.499)
      .in_group(group);
  command.option("--sprt-beta", arguments.beta, "risk of accepting A where B is true")
      .shows_default()
      .in_range(1e-6, 0.499)
      .in_group(group);
  command
      .option("--log", arguments.log,
              "append every finished game with its moves and dice to this file, a JSON line "
              "each")
      .in_group(group);
  command
      .flag("--resume", arguments.resume,
            "go on with the log if it is there: the same match, perhaps with more pairs")
      .in_group(group);
  command
      .option("--mat", arguments.mat,
              games_that([](const AnyGame& game) { return game.match_text != nullptr; }) +
                  ": write the games that count to this file, for other programs")
      .in_group(group);
  command
      .option("--game-number", arguments.match.only_game,
              "play this game of the match alone, 0 being the first, and print it")
      .in_range(std::uint64_t{0}, 2 * kMostPairs - 1)
      .in_group(group);
  command.flag("--json", arguments.json, "print one JSON object a line").in_group(group);
}

}  // namespace

Option add_match_options(const Command& command, MatchArguments& arguments) {
  command.option("--game", arguments.game, "the game").required();
  const std::string who = player_words();
  command.option("--first", arguments.first, "first player: " + who).required();
  command.option("--second", arguments.second, "second player: the same words").required();
  command
      .option("--pairs", arguments.match.pairs,
              "pairs of games: the same opening and dice twice, with sides swapped")
      .shows_default()
      .in_range(std::uint64_t{1}, kMostPairs);
  const Option visits =
      command
          .option("--visits", arguments.player.visits,
                  "visits of each search, without noise; 0: the network alone. UCI programs "
                  "are told them by \"go nodes\", UBGI programs only where this is set")
          .shows_default()
          .in_range(0u, kMostVisits);
  command.option("--first-visits", arguments.first_visits, "of the first player alone")
      .in_range(0u, kMostVisits);
  command.option("--second-visits", arguments.second_visits, "of the second player alone")
      .in_range(0u, kMostVisits);
  command
      .option("--random-plies", arguments.match.random_plies,
              "moves drawn blindly at the start of a game without dice")
      .shows_default();
  command
      .option("--ply-cap", arguments.match.ply_cap,
              "plies, rolls counted, after which a game is cut and counts as drawn")
      .shows_default()
      .in_range(1, 1'000'000);
  command.option("--seed", arguments.match.seed, "fixes openings, dice and random moves")
      .shows_default();
  command
      .option("--games-at-once", arguments.games_at_once,
              "games under way side by side (default: 256, with other programs 32 a process)")
      .in_range(1, 100'000);
  add_player_options(command, arguments);
  add_result_options(command, arguments);
  command.footer(
      "All figures are the first player's; intervals are 95 %, from the pairs. An illegal move, a\n"
      "program that fails twice, and Ctrl-C end the match with exit code 1; what was finished is\n"
      "told and kept.");
  return visits;
}

}  // namespace senet
