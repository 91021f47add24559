// senet solve: positions of a game of one player as lines on stdin, their solutions on stdout.
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "games/games.hpp"
#include "games/json.hpp"
#include "tools/command.hpp"
#include "tools/play/players.hpp"
#include "tools/play/search_setup.hpp"
#include "tools/play/standard_lines.hpp"

namespace senet {
namespace {

struct SolveArguments {
  std::string game, weights;
  std::uint32_t at_once = 1000;
  std::uint32_t most_moves = 1000;
  PlayerSettings player;
};

constexpr auto settings_of(std::type_identity<SolveArguments>) {
  using A = SolveArguments;
  return std::tuple{
      setting("at-once", &A::at_once,
              "positions that are solved side by side and share batches; their answers come when "
              "all are solved",
              {.least = 1, .most = 100'000, .unit = "positions"}),
      setting("most-moves", &A::most_moves, "give up after so many moves",
              {.least = 1, .most = 1'000'000, .unit = "moves"})};
}

/// A line of input: a position that is being solved, or an error.
struct Task {
  Json id;  // null: none
  std::size_t line;
  Result<AnyState> state;
  std::string position = state ? state->text() : "";
  Json moves = Json::array();

  bool is_open(std::size_t most_moves) const {
    return state && state->turn() != Turn::kOver && moves.size() < most_moves;
  }
  bool is_solved() const { return state && state->turn() == Turn::kOver && state->outcome() == 0; }
  Json answer() const {
    Json all = {{"line", line}};
    if (!id.is_null()) all["id"] = id;
    if (!state) {
      all["error"] = state.error().reason();
      return all;
    }
    all["position"] = position;
    all["solved"] = is_solved();
    all["length"] = moves.size();
    all["moves"] = moves;
    return all;
  }
};

class Solver {
 public:
  Solver(const AnyGame& game, const SolveArguments& arguments, PlayerHolder player)
      : game_(game), arguments_(arguments), player_(std::move(player)) {}

  Result<void> run() {
    std::vector<Task> tasks;
    std::string line;
    for (std::size_t number = 1; std::getline(std::cin, line); ++number) {
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      tasks.push_back(read(line, number));
      if (tasks.size() < arguments_.at_once) continue;
      if (const auto solved = solve(tasks); !solved) return solved;
    }
    if (const auto solved = solve(tasks); !solved) return solved;
    std::string summary = fmt::format("solved {} of {} positions", solved_, count_);
    if (solved_ > 0) {
      summary += fmt::format(", in {:.3f} moves on average",
                             static_cast<double>(moves_) / static_cast<double>(solved_));
    }
    if (errors_ > 0) summary += fmt::format("; {} lines are no positions", errors_);
    fmt::print(stderr, "{}\n", summary);
    return output_.result();
  }

 private:
  // A line is a position, or an object {"id": ..., "position": "..."}.
  Task read(std::string_view line, std::size_t number) const {
    while (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.starts_with('{')) {
      return {.id = {}, .line = number, .state = AnyState::from_text(game_, line)};
    }
    const Json request = parse_json(line);
    if (!request.is_object()) return {.id = {}, .line = number, .state = fail("invalid JSON")};
    const Json id = request.contains("id") ? request["id"] : Json();
    const std::string* const position = find_string(request, "position");
    if (position == nullptr) {
      return {.id = id, .line = number, .state = fail("the object has no text \"position\"")};
    }
    return {.id = id, .line = number, .state = AnyState::from_text(game_, *position)};
  }

  // Solves them side by side, writes the answers in the order of the lines, and clears the list.
  Result<void> solve(std::vector<Task>& tasks) {
    std::vector<AnyState> states;
    std::vector<Random> draws;
    std::vector<Action> actions;
    std::vector<Task*> open;
    for (std::uint32_t move = 0;; ++move) {
      states.clear();
      draws.clear();
      open.clear();
      for (Task& task : tasks) {
        if (!task.is_open(arguments_.most_moves)) continue;
        open.push_back(&task);
        states.push_back(*task.state);
        draws.emplace_back(0, task.line, move, Purpose::kMatch);
      }
      if (open.empty()) break;
      actions.resize(open.size());
      const auto chosen = player_.player->choose(states, draws, actions);
      if (!chosen) return chosen;
      for (std::size_t i = 0; i < open.size(); ++i) {
        Task& task = *open[i];
        task.moves.push_back(task.state->action_text(actions[i]));
        task.state->play(actions[i]);
      }
    }
    for (const Task& task : tasks) {
      output_.write(json_text(task.answer()));
      ++(task.state ? count_ : errors_);
      if (!task.is_solved()) continue;
      ++solved_;
      moves_ += task.moves.size();
    }
    tasks.clear();
    return output_.result();
  }

  const AnyGame& game_;
  const SolveArguments arguments_;
  const PlayerHolder player_;
  StandardOutput output_;
  std::size_t count_ = 0, solved_ = 0, errors_ = 0;
  std::size_t moves_ = 0;  // of the solved positions
};

Job prepare(const Games& games, SolveArguments arguments) {
  const AnyGame& game = *value_for("--game", games.find(arguments.game));
  if (game.player_count != 1) {
    throw fail(
        fmt::format("--game: {} is a game of two players: senet analyse searches it", game.name));
  }
  if (arguments.weights.empty()) arguments.weights = default_source(game.name);
  PlayerHolder player =
      value_for("--weights", make_player(game, arguments.weights, arguments.player));
  auto solver = std::make_unique<Solver>(game, arguments, std::move(player));
  return [solver = std::move(solver)] { return solver->run(); };
}

}  // namespace

void add_solve_command(const Command& program, const Games& games) {
  auto arguments = std::make_shared<SolveArguments>();
  arguments->player.visits = 400;
  // Values are in moves, so that one move is a small part of their range.
  arguments->player.search.settings.puct.c_puct = 5;
  arguments->player.search.settings.afterstate_temperature = 1;
  const Command command = program.add_command(
      "solve", "Solve positions of a game of one player: lines on stdin, JSON lines on stdout");
  command.heading("Positions");
  command.option("--game", arguments->game, "the game").shows_type("NAME").required();
  add_weights_option(command, arguments->weights);
  add_settings(command, *arguments);
  command.heading("Search of networks");
  add_setting(command, kVisitsSetting, arguments->player.visits);
  add_search_options(command, arguments->player.search);
  add_workers_option(command, arguments->player.search);
  command.footer(
      "A line of input is a position in the game's notation, or an object with \"position\" and an "
      "\"id\". Its answer has the id, whether it is solved, the number of moves and the moves.");
  command.runs([&games, arguments] { return prepare(games, *arguments); });
}

}  // namespace senet
