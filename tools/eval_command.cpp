// senet eval: grade a player on positions whose best moves are known.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "games/registry.hpp"
#include "nn/replace_file.hpp"
#include "tools/command.hpp"
#include "tools/grade.hpp"
#include "tools/labels.hpp"
#include "tools/match/players.hpp"
#include "tools/metric.hpp"
#include "tools/progress_line.hpp"

namespace senet {
namespace {

struct EvalArguments {
  std::string game;
  std::string labels;
  std::string weights;  // empty: untrained
  std::string player = "search";
  std::uint64_t seed = 1;
  PlayerSettings settings;
  std::filesystem::path answers;
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

/// What a player chooses in each position.
template <Game G, class Label>
Result<std::vector<MoveMix>> chosen_moves(std::span<const Label> labels, MatchPlayer<G>& player,
                                          std::size_t at_once) {
  std::vector<MoveMix> moves;
  ProgressLine progress("positions", labels.size());
  while (moves.size() < labels.size()) {
    const std::size_t begin = moves.size();
    std::vector<G> states;
    std::vector<Random> draws;
    for (std::size_t i = begin; i < std::min(begin + at_once, labels.size()); ++i) {
      states.push_back(labels[i].state);
      draws.emplace_back(0, i, 0, Purpose::kMove);
    }
    std::vector<Action> actions(states.size());
    if (const Result<void> chosen = player.choose(states, draws, actions); !chosen) {
      return fail(fmt::format("position {} of the labels: {}", begin + player.faults().state + 1,
                              chosen.error().reason()));
    }
    for (const Action action : actions) moves.push_back({action});
    progress.show(moves.size());
  }
  return moves;
}

/// The answers for programs that grade them by other means: JSON lines for backgammon, CSV for
/// Connect Four.
std::string answer_line(const BackgammonLabel& label, Action action) {
  return nlohmann::ordered_json{{"id", label.id},
                                {"move", label.state.action_text(action)},
                                {"after", position_after(label, action)}}
      .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}
std::string answer_line(const ConnectFourLabel& label, Action action) {
  return fmt::format("{},{}", label.moves, label.state.action_text(action));
}

template <class Label>
Result<void> write_answers(const std::filesystem::path& file, std::span<const Label> labels,
                           const std::vector<MoveMix>& moves) {
  if (file.empty()) return {};
  std::string text;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    text += answer_line(labels[i], moves[i].front()) + "\n";
  }
  return replace_file(file, {std::as_bytes(std::span(text))});
}

/// Whose marks these are: the player's word, all that its moves depend on, and the exam.
void print_subject(const EvalArguments& arguments, const std::string& word,
                   const std::string& identity, std::size_t positions) {
  if (arguments.json) {
    const nlohmann::ordered_json line = {
        {"bench", "eval"},      {"game", arguments.game},     {"player", word},
        {"identity", identity}, {"labels", arguments.labels}, {"positions", positions}};
    fmt::print("{}\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  fmt::print("{}: {}{} on {} positions of {}\n", arguments.game, word,
             identity == word ? "" : fmt::format(" ({})", identity), positions, arguments.labels);
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
  if (!labels) return labels.error();
  if (arguments.player == "random") {
    if (!arguments.answers.empty()) return fail("--answers: random plays every move a little");
    const auto told = check_told(arguments.player, arguments.settings);
    if (!told) return fail("--player: " + told.error().reason());
    return Job([labels = std::move(*labels), arguments] {
      const std::span<const Label> all(labels);
      print_subject(arguments, "random", "random", all.size());
      return print_grades(grade(all, random_moves(all)), arguments.json);
    });
  }
  const bool is_search = arguments.player == "search";
  if (!is_search && !arguments.weights.empty()) return fail("--weights: belong to --player search");
  const std::string source =
      arguments.weights.empty() ? fmt::format("untrained:{}", arguments.seed) : arguments.weights;
  const std::string& word = is_search ? source : arguments.player;
  Result<PlayerHolder<G>> player = is_search ? make_network_player<G>(word, arguments.settings)
                                             : make_player<G>(word, arguments.settings);
  if (!player) return fail((is_search ? "" : "--player: ") + player.error().reason());
  return Job([labels = std::move(*labels), player = std::move(*player), arguments, word]() mutable {
    const std::span<const Label> all(labels);
    // Small portions show how far a slow player is; a network wants large ones.
    const std::size_t at_once = player.is_process ? arguments.settings.processes : 1024;
    const auto moves = chosen_moves<G>(all, *player.player, at_once);
    if (!moves) return Result<void>(moves.error());
    if (const auto kept = write_answers(arguments.answers, all, *moves); !kept) return kept;
    print_subject(arguments, word, player.identity, all.size());
    return print_grades(grade(all, *moves), arguments.json);
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

void add_eval_command(const Command& program) {
  auto arguments = std::make_shared<EvalArguments>();
  arguments->settings.visits = 0;
  const Command command =
      program.add_command("eval", "Grade a player on positions whose best moves are known");
  command.option("--game", arguments->game, "connect_four or backgammon").required();
  command.option("--labels", arguments->labels, "the labelled positions").required();
  command.option("--weights", arguments->weights,
                 "the network: a safetensors file, builtin or untrained:SEED (default: untrained)");
  command.option("--seed", arguments->seed, "of the untrained network").shows_default();
  const Option visits =
      command
          .option("--visits", arguments->settings.visits,
                  "visits of each search, without noise; 0: the network alone (the best prior or "
                  "afterstate)")
          .shows_default()
          .in_range(0u, kMostVisits);
  command
      .option("--player", arguments->player,
              "who is graded: search (a network), random for the expected marks of random "
              "moves, or another player of senet match: " +
                  std::string(kPlayerWords))
      .shows_default();
  command.option("--answers", arguments->answers,
                 "write each position's answer to this file, for others to grade: backgammon a "
                 "JSON object a line (id, move, after), connect_four moves,column");
  command.flag("--json", arguments->json, "print one JSON object a line");
  add_search_options(command, arguments->settings.search);
  add_process_options(command, arguments->settings);
  command
      .option("--option", arguments->settings.options,
              "NAME=VALUE for another program by setoption, as often as needed")
      .as_often_as_needed()
      .in_group(kProcessGroup);
  command.footer(
      "Labels: connect_four reads CSV (moves,ply,s1,...,s7,value) or lines \"moves value\", for\n"
      "which a solver judges the moves; backgammon one JSON object a\n"
      "line ([id,] cls, posid, dice, moves [[text, position id after, equity, ...] ...]).");
  command.runs([arguments, visits] {
    arguments->settings.visits_told =
        visits.is_given() ? VisitsTold::kThisPlayer : VisitsTold::kNobody;
    return run_command("eval", prepare(*arguments));
  });
}

}  // namespace senet
