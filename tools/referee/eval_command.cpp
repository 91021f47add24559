// senet eval: grades a player on positions whose best moves are known.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "games/exam.hpp"
#include "games/json.hpp"
#include "nn/file.hpp"
#include "tools/command.hpp"
#include "tools/metric.hpp"
#include "tools/play/players.hpp"
#include "tools/terminal.hpp"

namespace senet {
namespace {

struct EvalArguments {
  std::string game;
  std::string labels;
  std::string weights;  // empty: the default
  std::string player = "search";
  std::optional<std::uint64_t> seed;  // of the untrained network
  PlayerSettings settings;
  std::filesystem::path answers;
  bool json = false;
};

/// A player and its exam. Without a player, all legal moves of a position are played with equal
/// weight.
struct Candidate {
  EvalArguments arguments;
  std::string word;
  PlayerHolder holder;
  Exam exam;

  std::vector<MoveMix> moves() const {
    const std::span<const AnyState> positions(exam.positions);
    std::vector<MoveMix> moves(positions.size());
    if (!holder.player) {
      for (std::size_t i = 0; i < moves.size(); ++i) positions[i].legal(moves[i]);
      return moves;
    }
    // Small chunks keep the progress line of a slow player moving; networks need large batches.
    const std::size_t at_once = holder.is_process ? arguments.settings.processes : 1024;
    ProgressLine progress("positions", positions.size());
    for (std::size_t begin = 0; begin < positions.size(); begin += at_once) {
      const auto states = positions.subspan(begin, std::min(at_once, positions.size() - begin));
      std::vector<Random> draws;
      for (std::size_t i = 0; i < states.size(); ++i) {
        draws.emplace_back(0, begin + i, 0, Purpose::kMove);
      }
      std::vector<Action> actions(states.size());
      if (const auto chosen = holder.player->choose(states, draws, actions); !chosen) {
        throw fail(fmt::format("position {} of the labels: {}",
                               begin + holder.player->faults().state + 1, chosen.error().reason()));
      }
      for (std::size_t i = 0; i < actions.size(); ++i) moves[begin + i] = {actions[i]};
      progress.show(begin + states.size());
    }
    return moves;
  }

  // The mean number of rows of the network for a position, and the share of them in the cache.
  void add_effort(std::vector<Metric>& metrics, std::size_t positions) const {
    const PlayerEffort effort = holder.player ? holder.player->effort() : PlayerEffort{};
    if (effort.evaluations == 0) return;
    const auto evaluations = static_cast<double>(effort.evaluations);
    const auto add = [&](const char* name, double value, const char* unit) {
      metrics.push_back({.subject = arguments.game, .name = name, .value = value, .unit = unit});
    };
    add("evaluations", evaluations / static_cast<double>(positions), "a position");
    if (arguments.settings.search.cache_mib == 0) return;
    add("cached", 100 * static_cast<double>(effort.cached) / evaluations, "%");
  }

  Result<void> run() const {
    const std::vector<MoveMix> played = moves();
    if (!arguments.answers.empty()) {
      std::string text;
      for (std::size_t i = 0; i < played.size(); ++i) {
        text += exam.answer_line(i, played[i].front()) + "\n";
      }
      replace_file(arguments.answers, {std::as_bytes(std::span(text))}).value();
    }
    const std::string& identity = holder.identity;
    if (arguments.json) {
      fmt::print("{}\n", json_text(Json::object({{"bench", "eval"},
                                                 {"game", arguments.game},
                                                 {"player", word},
                                                 {"identity", identity},
                                                 {"labels", arguments.labels},
                                                 {"positions", played.size()}})));
    } else {
      const auto print = [](const std::string& text, std::size_t indent) {
        fmt::print("{:{}}{}\n", "", indent, wrapped(text, text_columns() - indent, indent));
      };
      print(fmt::format("{} on {} positions of {}", word, played.size(), arguments.labels), 0);
      if (identity != word) print(identity, 2);
      print("intervals in parentheses are 95 %", 2);
    }
    Grades grades = [&] {  // erases its progress line before the results are printed
      ProgressLine progress("judged", played.size());
      return exam.grade(played, [&](std::size_t graded) {
        progress.show(graded);
        return true;
      });
    }();
    add_effort(grades.metrics, played.size());
    print_metrics("eval", grades.metrics, arguments.json);
    if (grades.unmatched == 0) return {};
    return fail(fmt::format("the labels do not contain the move played in {} of {} positions",
                            grades.unmatched, played.size()));
  }
};

Job prepare(const EvalArguments& arguments, const Games& games) {
  const AnyGame& game = *games.find(arguments.game).value();
  if (arguments.seed && (arguments.player != "search" || !arguments.weights.empty())) {
    throw fail(
        "--seed is of an untrained network: it cannot be combined with --weights or --player");
  }
  Candidate candidate{.arguments = arguments,
                      .word = arguments.player,
                      .holder = {.player = {}, .identity = arguments.player},
                      .exam = value_for("--labels", read_exam(game, arguments.labels))};
  if (arguments.player == "random") {
    if (!arguments.answers.empty()) throw fail("--answers cannot be combined with --player random");
    value_for("--player", check_player(arguments.player, arguments.settings));
  } else if (arguments.player == "search") {
    candidate.word = !arguments.weights.empty() ? arguments.weights
                     : arguments.seed           ? fmt::format("untrained:{}", *arguments.seed)
                                                : std::string(default_source(arguments.game));
    candidate.holder = value_for("--weights", programs_of(game).make_network_player(
                                                  game, candidate.word, arguments.settings));
  } else {
    if (!arguments.weights.empty()) throw fail("--weights requires --player search");
    candidate.holder =
        value_for("--player", make_player(game, arguments.player, arguments.settings));
  }
  print_note(candidate.holder);
  return [candidate = std::move(candidate)] { return candidate.run(); };
}

/// Describes the label files of each game, for --help.
std::string exams_text(const Games& games) {
  std::string text = "Labels:";
  for (const AnyGame* const game : games.all()) {
    if (game->read_exam) text += fmt::format("\n{}: {}", game->name, game->exam_text);
  }
  text += fmt::format("\nother games: {}", kPlainExamText);
  return text;
}

}  // namespace

void add_eval_command(const Command& program, const Games& games) {
  auto arguments = std::make_shared<EvalArguments>();
  arguments->settings.visits = 0;
  const Command command =
      program.add_command("eval", "Grade a player on positions whose best moves are known");
  command.heading("Grading");
  command.option("--game", arguments->game, "the game").shows_type("NAME").required();
  command.option("--labels", arguments->labels, "file with labelled positions")
      .shows_type("PATH")
      .required();
  command
      .option("--player", arguments->player,
              "search (the network of --weights), or a player of senet match (its --help lists "
              "them); random is graded by the expected result of its moves")
      .shows_type("PLAYER")
      .shows_default();
  add_weights_option(command, arguments->weights);
  command.option("--seed", arguments->seed,
                 "use the untrained network with this seed; not with --weights");
  command.option("--answers", arguments->answers,
                 "write the move played in each position to this file, one line each in the format "
                 "below");
  command.flag("--json", arguments->json, "print one JSON object per line");
  command.heading("Search of networks");
  auto entry = kVisitsSetting;
  const std::string visits_help = std::string(entry.help) + " (the best prior or afterstate)";
  entry.help = visits_help;
  const Option visits = add_setting(command, entry, arguments->settings.visits);
  add_player_options(command, arguments->settings);
  command
      .option("--option", arguments->settings.options,
              "sent to an external program with setoption; may be repeated")
      .shows_type("NAME=VALUE");
  command.footer(exams_text(games));
  command.runs([arguments, visits, &games] {
    if (visits.is_given()) arguments->settings.visits_from = VisitsSource::kThisPlayer;
    return prepare(*arguments, games);
  });
}

}  // namespace senet
