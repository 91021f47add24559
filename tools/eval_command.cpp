// senet eval: grade a player on positions whose best moves are known.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "engine/analyse.hpp"
#include "games/registry.hpp"
#include "tools/command.hpp"
#include "tools/grade.hpp"
#include "tools/labels.hpp"
#include "tools/metric.hpp"
#include "tools/progress_line.hpp"
#include "tools/search_options.hpp"

namespace senet {
namespace {

struct EvalArguments {
  std::string game;
  std::string labels;
  std::string weights;  // empty: untrained
  std::string player = "search";
  std::uint64_t seed = 1;
  std::uint32_t visits = 0;
  SearchOptions search;
  bool json = false;
};

/// The labels of a game, by its type.
template <Game G>
struct LabelsOf;
template <>
struct LabelsOf<ConnectFour> {
  using Label = ConnectFourLabel;
  static auto read(const std::string& file) { return read_connect_four_labels(file); }
};
template <>
struct LabelsOf<Backgammon> {
  using Label = BackgammonLabel;
  static auto read(const std::string& file) { return read_backgammon_labels(file); }
};

template <class Label>
std::vector<MoveMix> random_moves(std::span<const Label> labels) {
  std::vector<MoveMix> moves;
  for (const Label& label : labels) {
    ActionList<decltype(label.state)::kMaxLegal> legal;
    label.state.legal(legal);
    moves.emplace_back(legal.begin(), legal.end());
  }
  return moves;
}

template <Game G, class Label>
std::vector<MoveMix> best_moves(std::span<const Label> labels, const SearchSetup& setup) {
  std::vector<G> states;
  for (const Label& label : labels) states.push_back(label.state);
  std::vector<MoveMix> moves(labels.size());
  Analysis<G> analysis(*setup.evaluator, setup.settings, setup.visits, setup.lanes,
                       setup.batch_rows);
  ProgressLine progress("searched", labels.size());
  std::size_t done = 0;
  analysis.run(states, {.visits = setup.visits}, 0,
               [&](std::size_t i, const Decision<G>& decision, const Search<G>&) {
                 moves[i] = {decision.best()};
                 progress.show(++done);
               });
  return moves;
}

Result<void> print_grades(const Grades& grades, bool json) {
  print_metrics("eval", grades.metrics, json);
  if (grades.unmatched == 0) return {};
  return fail(
      fmt::format("in {} positions the labels do not know the move played", grades.unmatched));
}

template <Game G>
Result<Job> prepare(const EvalArguments& arguments) {
  using Label = typename LabelsOf<G>::Label;
  auto labels = LabelsOf<G>::read(arguments.labels);
  if (!labels) return tl::unexpected(labels.error());
  if (arguments.player == "random") {
    return Job([labels = std::move(*labels), json = arguments.json] {
      const std::span<const Label> all(labels);
      return print_grades(grade(all, random_moves(all)), json);
    });
  }
  const std::string source =
      arguments.weights.empty() ? fmt::format("untrained:{}", arguments.seed) : arguments.weights;
  const Result<Network> network = open_network(source, reference_spec<G>());
  if (!network) return tl::unexpected(network.error());
  Result<SearchSetup> setup = set_up_search<G>(*network, arguments.search, arguments.visits);
  if (!setup) return tl::unexpected(setup.error());
  return Job([labels = std::move(*labels), setup = std::move(*setup), json = arguments.json] {
    const std::span<const Label> all(labels);
    return print_grades(grade(all, best_moves<G>(all, setup)), json);
  });
}

Result<Job> prepare(const EvalArguments& arguments) {
  return visit_game(arguments.game, [&]<class G>(std::type_identity<G>) -> Result<Job> {
    if constexpr (requires { typename LabelsOf<G>::Label; }) {
      return prepare<G>(arguments);
    } else {
      return fail(fmt::format("--game: no labels are known for {}", G::kName));
    }
  });
}

}  // namespace

void add_eval_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<EvalArguments>();
  CLI::App* const command =
      app.add_subcommand("eval", "Grade a player on positions whose best moves are known");
  command->add_option("--game", arguments->game, "connect_four or backgammon")->required();
  command->add_option("--labels", arguments->labels, "the labelled positions")->required();
  command->add_option("--weights", arguments->weights,
                      "the network's weights, safetensors (default: an untrained network)");
  command->add_option("--seed", arguments->seed, "of the untrained network")->capture_default_str();
  command
      ->add_option("--visits", arguments->visits,
                   "visits of each search, without noise; 0: the network alone (the best prior or "
                   "afterstate)")
      ->capture_default_str()
      ->check(CLI::Range(0u, kMostVisits));
  command
      ->add_option("--player", arguments->player,
                   "who is graded: search, or random for the expected marks of random moves")
      ->capture_default_str()
      ->check(CLI::IsMember({"search", "random"}));
  command->add_flag("--json", arguments->json, "print one JSON object a line");
  add_search_options(*command, arguments->search);
  command->footer(
      "Labels: connect_four reads CSV (moves,ply,s1,...,s7,value), backgammon one JSON object a\n"
      "line (cls, posid, dice, moves [[text, position id after, equity, ...] ...]).");
  command->callback(
      [arguments, &exit_code] { exit_code = run_command("eval", prepare(*arguments)); });
}

}  // namespace senet
