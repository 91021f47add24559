// senet eval: grade a player on positions whose best moves are known.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "games/exam.hpp"
#include "games/json.hpp"
#include "nn/file.hpp"
#include "tools/command.hpp"
#include "tools/match/players.hpp"
#include "tools/metric.hpp"
#include "tools/programs.hpp"
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

std::vector<MoveMix> random_moves(const AnyExam& exam) {
  std::vector<MoveMix> moves(exam.positions.size());
  for (std::size_t i = 0; i < moves.size(); ++i) exam.positions[i].legal(moves[i]);
  return moves;
}

/// What a player chooses in each position.
Result<std::vector<MoveMix>> chosen_moves(const AnyExam& exam, MatchPlayer& player,
                                          std::size_t at_once) {
  const std::span<const AnyState> positions(exam.positions);
  std::vector<MoveMix> moves;
  ProgressLine progress("positions", positions.size());
  while (moves.size() < positions.size()) {
    const std::size_t begin = moves.size();
    const auto states = positions.subspan(begin, std::min(at_once, positions.size() - begin));
    std::vector<Random> draws;
    for (std::size_t i = 0; i < states.size(); ++i) {
      draws.emplace_back(0, begin + i, 0, Purpose::kMove);
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

/// The answers for programs that grade them by other means.
Result<void> write_answers(const std::filesystem::path& file, const AnyExam& exam,
                           const std::vector<MoveMix>& moves) {
  if (file.empty()) return {};
  std::string text;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    text += exam.grading.answer_line(i, moves[i].front()) + "\n";
  }
  return replace_file(file, {std::as_bytes(std::span(text))});
}

Grades grade(const AnyExam& exam, const std::vector<MoveMix>& moves) {
  ProgressLine progress("judged", exam.positions.size());
  return exam.grading.grade(moves, [&](std::size_t graded) { progress.show(graded); });
}

/// Whose marks these are: the player's word, all that its moves depend on, and the exam.
void print_subject(const EvalArguments& arguments, const std::string& word,
                   const std::string& identity, std::size_t positions) {
  if (arguments.json) {
    const Json line = Json::object({{"bench", "eval"},
                                    {"game", arguments.game},
                                    {"player", word},
                                    {"identity", identity},
                                    {"labels", arguments.labels},
                                    {"positions", positions}});
    fmt::print("{}\n", line.dump());
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

Result<Job> prepare(const EvalArguments& arguments) {
  const Result<const AnyGame*> known = find_game<AnyGame>(arguments.game);
  if (!known) return known.error();
  const AnyGame& game = **known;
  if (game.read_exam == nullptr) {
    return fail(fmt::format("--game: no labels are known for {}", game.name));
  }
  Result<AnyExam> exam = game.read_exam(arguments.labels);
  if (!exam) return exam.error();
  if (arguments.player == "random") {
    if (!arguments.answers.empty()) return fail("--answers: random plays every move a little");
    const auto told = check_told(arguments.player, arguments.settings);
    if (!told) return fail("--player: " + told.error().reason());
    return Job([exam = std::move(*exam), arguments] {
      print_subject(arguments, "random", "random", exam.positions.size());
      return print_grades(grade(exam, random_moves(exam)), arguments.json);
    });
  }
  const bool is_search = arguments.player == "search";
  if (!is_search && !arguments.weights.empty()) return fail("--weights: belong to --player search");
  const std::string source =
      arguments.weights.empty() ? fmt::format("untrained:{}", arguments.seed) : arguments.weights;
  const std::string& word = is_search ? source : arguments.player;
  Result<PlayerHolder> player =
      is_search ? programs_of(game).make_network_player(word, arguments.settings)
                : make_player(game, word, arguments.settings);
  if (!player) return fail((is_search ? "" : "--player: ") + player.error().reason());
  return Job([exam = std::move(*exam), player = std::move(*player), arguments, word]() mutable {
    // Small portions show how far a slow player is; a network wants large ones.
    const std::size_t at_once = player.is_process ? arguments.settings.processes : 1024;
    const auto moves = chosen_moves(exam, *player.player, at_once);
    if (!moves) return Result<void>(moves.error());
    if (const auto kept = write_answers(arguments.answers, exam, *moves); !kept) return kept;
    print_subject(arguments, word, player.identity, exam.positions.size());
    return print_grades(grade(exam, *moves), arguments.json);
  });
}

/// What the label files of each game hold, for --help.
std::string exams_text() {
  std::string text = "Labels:";
  for (const AnyGame* const game : all_games<AnyGame>()) {
    if (game->read_exam) text += fmt::format("\n{}: {}", game->name, game->exam_text);
  }
  return text;
}

}  // namespace

void add_eval_command(const Command& program) {
  auto arguments = std::make_shared<EvalArguments>();
  arguments->settings.visits = 0;
  const Command command =
      program.add_command("eval", "Grade a player on positions whose best moves are known");
  command
      .option("--game", arguments->game,
              games_that([](const AnyGame& game) { return game.read_exam != nullptr; }, " or "))
      .required();
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
                  player_words())
      .shows_default();
  command.option("--answers", arguments->answers,
                 "write each position's answer to this file, for others to grade; a line each, as "
                 "below");
  command.flag("--json", arguments->json, "print one JSON object a line");
  add_search_options(command, arguments->settings.search);
  add_process_options(command, arguments->settings);
  command
      .option("--option", arguments->settings.options,
              "NAME=VALUE for another program by setoption, as often as needed")
      .as_often_as_needed()
      .in_group(kProcessGroup);
  command.footer(exams_text());
  command.runs([arguments, visits] {
    arguments->settings.visits_told =
        visits.is_given() ? VisitsTold::kThisPlayer : VisitsTold::kNobody;
    return run_command("eval", prepare(*arguments));
  });
}

}  // namespace senet
