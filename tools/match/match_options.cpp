#include "tools/match/match_options.hpp"

#include <string>

namespace senet {
namespace {

constexpr std::uint64_t kMostPairs = 10'000'000;

void add_player_options(CLI::App& command, MatchArguments& arguments) {
  add_search_options(command, arguments.player.search);
  add_process_options(command, arguments.player);
  command
      .add_option("--first-option", arguments.first_options,
                  "NAME=VALUE for the first player by setoption, as often as needed")
      ->take_all()
      ->group(kProcessGroup);
  command.add_option("--second-option", arguments.second_options, "the same for the second player")
      ->take_all()
      ->group(kProcessGroup);
}

void add_result_options(CLI::App& command, MatchArguments& arguments) {
  const char* const group = "Games and result";
  command
      .add_option("--sprt", arguments.sprt,
                  "A,B: stop as soon as the pairs tell a strength of A from one of B: Elo, or "
                  "points a game where games are worth more than one")
      ->group(group);
  const auto risk = CLI::Range(1e-6, 0.499);
  command.add_option("--sprt-alpha", arguments.alpha, "risk of accepting B where A is true")
      ->capture_default_str()
      ->check(risk)
      ->group(group);
  command.add_option("--sprt-beta", arguments.beta, "risk of accepting A where B is true")
      ->capture_default_str()
      ->check(risk)
      ->group(group);
  command
      .add_option("--log", arguments.log,
                  "append every finished game with its moves and dice to this file, a JSON line "
                  "each")
      ->group(group);
  command
      .add_flag("--resume", arguments.resume,
                "go on with the log if it is there: the same match, perhaps with more pairs")
      ->group(group);
  command
      .add_option("--mat", arguments.mat,
                  "backgammon: write the games that count to this file, for other programs")
      ->group(group);
  command
      .add_option("--game-number", arguments.match.only_game,
                  "play this game of the match alone, 0 being the first, and print it")
      ->check(CLI::Range(std::uint64_t{0}, 2 * kMostPairs - 1))
      ->group(group);
  command.add_flag("--json", arguments.json, "print one JSON object a line")->group(group);
}

}  // namespace

const CLI::Option* add_match_options(CLI::App& command, MatchArguments& arguments) {
  command.add_option("--game", arguments.game, "the game")->required();
  const std::string who(kPlayerWords);
  command.add_option("--first", arguments.first, "first player: " + who)->required();
  command.add_option("--second", arguments.second, "second player: the same words")->required();
  command
      .add_option("--pairs", arguments.match.pairs,
                  "pairs of games: the same opening and dice twice, with sides swapped")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, kMostPairs));
  const auto range = CLI::Range(0u, kMostVisits);
  const CLI::Option* const visits =
      command
          .add_option("--visits", arguments.player.visits,
                      "visits of each search, without noise; 0: the network alone. UCI programs "
                      "are told them by \"go nodes\", UBGI programs only where this is set")
          ->capture_default_str()
          ->check(range);
  command.add_option("--first-visits", arguments.first_visits, "of the first player alone")
      ->check(range);
  command.add_option("--second-visits", arguments.second_visits, "of the second player alone")
      ->check(range);
  command
      .add_option("--random-plies", arguments.match.random_plies,
                  "moves drawn blindly at the start of a game without dice")
      ->capture_default_str();
  command
      .add_option("--ply-cap", arguments.match.ply_cap,
                  "plies, rolls counted, after which a game is cut and counts as drawn")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command.add_option("--seed", arguments.match.seed, "fixes openings, dice and random moves")
      ->capture_default_str();
  command
      .add_option("--games-at-once", arguments.games_at_once,
                  "games under way side by side (default: 256, with other programs 32 a process)")
      ->check(CLI::Range(1, 100'000));
  add_player_options(command, arguments);
  add_result_options(command, arguments);
  command.footer(
      "All figures are the first player's; intervals are 95 %, from the pairs. An illegal move, a\n"
      "program that fails twice, and Ctrl-C end the match with exit code 1; what was finished is\n"
      "told and kept.");
  return visits;
}

}  // namespace senet
