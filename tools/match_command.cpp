// senet match: two players, the same openings and dice with sides swapped.
#include "selfplay/match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "games/registry.hpp"
#include "tools/command.hpp"
#include "tools/metric.hpp"
#include "tools/progress_line.hpp"
#include "tools/search_options.hpp"

namespace senet {
namespace {

/// Standard errors on each side of a mean in a 95 % interval.
constexpr double kTwoSided95 = 1.96;

struct MatchArguments {
  std::string game;
  std::string first, second;
  std::uint32_t visits = 100;
  std::uint32_t first_visits = kUnset, second_visits = kUnset;
  SearchOptions search;
  MatchSettings match;
  bool json = false;

  static constexpr std::uint32_t kUnset = kMostVisits + 1;
};

/// A player and, when it searches, what it searches with.
template <Game G>
struct Side {
  SearchSetup setup;
  std::unique_ptr<MatchPlayer<G>> player;
};

template <Game G>
Result<Side<G>> prepare_side(const std::string& source, std::uint32_t visits,
                             const SearchOptions& options) {
  Side<G> side;
  if (source == "random") {
    side.player = std::make_unique<RandomPlayer<G>>();
    return side;
  }
  const Result<Network> network = open_network(source, reference_spec<G>());
  if (!network) return tl::unexpected(network.error());
  Result<SearchSetup> setup = set_up_search<G>(*network, options, visits);
  if (!setup) return tl::unexpected(setup.error());
  side.setup = std::move(*setup);
  side.player =
      std::make_unique<SearchPlayer<G>>(*side.setup.evaluator, side.setup.settings,
                                        side.setup.visits, side.setup.lanes, side.setup.batch_rows);
  return side;
}

// Wilson's interval (1927) for a share seen in so many trials: also honest when all of them went
// one way.
Interval wilson(double share, double trials) {
  const double z = kTwoSided95 * kTwoSided95;
  const double middle = (share + z / (2 * trials)) / (1 + z / trials);
  const double half = kTwoSided95 / (1 + z / trials) *
                      std::sqrt(share * (1 - share) / trials + z / (4 * trials * trials));
  return {middle - half, middle + half};
}

Interval around(double mean, double error) {
  return {mean - kTwoSided95 * error, mean + kTwoSided95 * error};
}

template <Game G>
std::vector<Metric> metrics_of(const MatchResult& result, const std::string& subject) {
  std::vector<Metric> metrics;
  const auto add = [&](std::string name, double value, std::string unit,
                       std::optional<Interval> interval = std::nullopt) {
    metrics.push_back({subject, std::move(name), value, std::move(unit), interval});
  };
  const auto add_count = [&](std::string name, std::size_t count) {
    add(std::move(name), static_cast<double>(count), "games");
  };
  const Interval points = around(result.points, result.points_error);
  // Nothing but wins, or losses, says nothing of the spread: then the pairs count as trials.
  const bool one_sided = result.score == 0 || result.score == 1;
  Interval score = !one_sided ? around(result.score, result.score_error)
                              : wilson(result.score, static_cast<double>(result.games) / 2);
  score = {std::max(score.low, 0.0), std::min(score.high, 1.0)};
  add("score", result.score, "share", score);
  add("points_per_game", result.points, "points", points);
  if constexpr (!StochasticGame<G>) {
    add("elo_difference", elo_difference(result.score), "Elo",
        Interval{elo_difference(score.low), elo_difference(score.high)});
  }
  add_count("games", result.games);
  add_count("wins", result.wins);
  add_count("draws", result.draws);
  add_count("losses", result.losses);
  add_count("cut_games", result.cut);
  for (std::size_t i = 0; i < kOutcomes<G>; ++i) {
    add_count(fmt::format("games_worth_{:+g}", G::kOutcomeValues[i]), result.outcomes[i]);
  }
  return metrics;
}

template <Game G>
Result<void> run(const Side<G>& first, const Side<G>& second, const MatchArguments& arguments) {
  MatchResult result;
  {
    ProgressLine progress("games", arguments.match.pairs * 2);
    result = play_match<G>(*first.player, *second.player, arguments.match,
                           [&](std::size_t finished) { progress.show(finished); });
  }
  if (!arguments.json) {
    fmt::print("{}: {} (first) against {}, {} pairs of games, seed {}\n", G::kName, arguments.first,
               arguments.second, arguments.match.pairs, arguments.match.seed);
  }
  print_metrics("match", metrics_of<G>(result, std::string(G::kName)), arguments.json);
  return {};
}

template <Game G>
Result<Job> prepare(const MatchArguments& arguments) {
  const auto visits = [&](std::uint32_t own) {
    return own == MatchArguments::kUnset ? arguments.visits : own;
  };
  Result<Side<G>> first =
      prepare_side<G>(arguments.first, visits(arguments.first_visits), arguments.search);
  if (!first) return fail("--first: " + first.error().reason);
  Result<Side<G>> second =
      prepare_side<G>(arguments.second, visits(arguments.second_visits), arguments.search);
  if (!second) return fail("--second: " + second.error().reason);
  return Job([first = std::move(*first), second = std::move(*second), arguments] {
    return run<G>(first, second, arguments);
  });
}

Result<Job> prepare(const MatchArguments& arguments) {
  return visit_game(arguments.game,
                    [&]<class G>(std::type_identity<G>) { return prepare<G>(arguments); });
}

}  // namespace

void add_match_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<MatchArguments>();
  CLI::App* const command =
      app.add_subcommand("match", "Let two players play many games against each other");
  command->add_option("--game", arguments->game, "the game")->required();
  const std::string who = "a weights file, \"random\", \"untrained\" or \"untrained:SEED\"";
  command->add_option("--first", arguments->first, "first player: " + who)->required();
  command->add_option("--second", arguments->second, "second player: " + who)->required();
  command
      ->add_option("--pairs", arguments->match.pairs,
                   "pairs of games: the same opening and dice twice, with sides swapped")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000'000));
  const auto visits = CLI::Range(0u, kMostVisits);
  command
      ->add_option("--visits", arguments->visits,
                   "visits of each search, without noise; 0: the network alone")
      ->capture_default_str()
      ->check(visits);
  command->add_option("--first-visits", arguments->first_visits, "of the first player alone")
      ->check(visits);
  command->add_option("--second-visits", arguments->second_visits, "of the second player alone")
      ->check(visits);
  command
      ->add_option("--random-plies", arguments->match.random_plies,
                   "moves drawn blindly at the start of a game without dice")
      ->capture_default_str();
  command
      ->add_option("--ply-cap", arguments->match.ply_cap,
                   "plies, rolls counted, after which a game is cut and counts as drawn")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--seed", arguments->match.seed, "fixes openings, dice and random moves")
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "print one JSON object a line");
  add_search_options(*command, arguments->search);
  command->footer("All figures are the first player's; intervals are 95 %, from the pairs.");
  command->callback(
      [arguments, &exit_code] { exit_code = run_command("match", prepare(*arguments)); });
}

}  // namespace senet
