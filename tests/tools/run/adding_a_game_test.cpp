// docs/adding-a-game.md: the games in its listings, built and used with its commands.
//
// Normally the networks train for seconds. With SENET_FULL_TRAINING=1 they train for as long as on
// the page, and must play as well as the page promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/host/game_object.hpp"
#include "games/any_game.hpp"
#include "selfplay/search_player.hpp"
#include "tests/effort.hpp"
#include "tests/repository.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/tools/program.hpp"
#include "tests/tools/run/pig_solution.hpp"

namespace senet {
namespace {

/// Under a sanitizer the networks train for less, and only need to play better than badly.
constexpr bool kIsFast = effort(2) == 2;

bool is_full_length() { return std::getenv("SENET_FULL_TRAINING") != nullptr; }

/// The page's blocks of code in this language, one after the other.
std::string blocks(const std::string& language) {
  std::istringstream page(text_of(repository_path("docs/adding-a-game.md")));
  std::string found;
  bool is_inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      is_inside = !is_inside && line == "```" + language;
    } else if (is_inside) {
      found += line + '\n';
    }
  }
  return found;
}

/// The page's only shell command that contains `part`; its lines are joined.
std::string command_with(const std::string& part) {
  std::istringstream lines(blocks("sh"));
  std::vector<std::string> found;
  std::string command;
  for (std::string line; std::getline(lines, line);) {
    command += line;
    if (command.ends_with('\\')) {
      command.back() = ' ';
      continue;
    }
    if (command.find(part) != std::string::npos) found.push_back(command);
    command.clear();
  }
  EXPECT_EQ(found.size(), 1u) << "commands with " << part;
  return found.empty() ? "false" : found.front();
}

/// `text` with its only `from` replaced.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "no \"" << from << "\" in:\n" << text;
  if (at == std::string::npos) return "false";
  EXPECT_EQ(text.find(from, at + 1), std::string::npos) << "\"" << from << "\" twice in:\n" << text;
  return text.replace(at, from.size(), to);
}

/// A folder in which a reader of the page works.
class AddingAGame : public testing::Test {
 protected:
  std::string path(const char* name) const { return folder_ / name; }

  ProgramRun run_shell(const std::string& command) const {
    const std::string program = SENET_PROGRAM;
    return run_program(
        "/bin/sh",
        {"-c", "cd " + folder_.path().string() + " && export SENET=" + repository_path("") +
                   " PATH=" + program.substr(0, program.rfind('/')) + ":$PATH && " + command});
  }
  /// Runs a command that must succeed; returns what it prints.
  std::string output(const std::string& command) const {
    const ProgramRun run = run_shell(command);
    EXPECT_EQ(run.exit_code, 0) << command << "\n" << run.out << run.err;
    return run.out;
  }
  void build_othello() const {
    output(command_with("> othello.cpp"));
    EXPECT_EQ(text_of(path("othello.cpp")), blocks("cpp"));
    output(command_with("g++ ") + " -Wall -Wextra -Werror");
  }
  void build_pig() const {
    output(command_with("> pig.c"));
    EXPECT_EQ(text_of(path("pig.c")), blocks("c"));
    output(command_with("gcc ") + " -Wall -Wextra -Wpedantic -Werror");
  }
  /// The score of the first player in a match, from its last lines of output.
  double score(const std::string& match) const {
    const ProgramRun run = run_shell(match + " --json");
    EXPECT_EQ(run.exit_code, 0) << match << "\n" << run.err;
    return run.metric(match.find(" othello ") != std::string::npos ? "othello" : "pig", "score");
  }

 private:
  const TemporaryFolder folder_;
};

TEST_F(AddingAGame, OthelloHasTheKnownNumbersOfPositions) {
  build_othello();
  const std::string perft = command_with("perft othello 7");
  EXPECT_TRUE(output(perft).starts_with("leaves 55092\n"));
  // Up to depth 8 no player has to pass; in 9 moves, 3,005,288 positions include those after a
  // pass.
  const std::vector<int> known = {4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288};
  for (std::size_t depth = 1; depth <= known.size(); ++depth) {
    const std::string counted = output(replaced(perft, " 7", " " + std::to_string(depth)));
    EXPECT_TRUE(counted.starts_with("leaves " + std::to_string(known[depth - 1]) + "\n"))
        << depth << ": " << counted;
  }
}

// The script of the greedy player has its own rules of Othello.
TEST_F(AddingAGame, OthelloIsPlayedByAProgramWithItsOwnRules) {
  build_othello();
  const std::string greedy = command_with("--first random");
  EXPECT_LT(score(greedy), 0.5) << "greedy is better than random";
}

TEST_F(AddingAGame, TheMistakeOnThePageIsReportedAsThere) {
  output(command_with("> othello.cpp"));
  std::istringstream diff(blocks("diff"));
  std::string source = text_of(path("othello.cpp"));
  int removed = 0;
  for (std::string line; std::getline(diff, line);) {
    if (!line.starts_with('-')) continue;
    source = replaced(source, line.substr(1) + "\n", "");
    ++removed;
  }
  EXPECT_EQ(removed, 1);
  write_text(path("othello.cpp"), source);
  output(command_with("g++ "));
  const ProgramRun refused = run_shell(command_with("perft othello 7"));
  EXPECT_EQ(refused.exit_code, 2);
  std::string message = blocks("text");
  std::ranges::replace(message, '\n', ' ');
  while (message.ends_with(' ')) message.pop_back();
  EXPECT_EQ(refused.err, message + '\n');
}

TEST_F(AddingAGame, OthelloLearns) {
  build_othello();
  std::string train = command_with("--run runs/othello");
  std::string random = command_with("--second random --pairs 200 --game othello");
  std::string greedy = command_with("--pairs 200 --game othello --second \"uci:");
  if (!is_full_length()) {
    train = replaced(train, "--minutes 10", "--games " + std::to_string(effort(1200)));
    const std::string pairs = std::to_string(effort(50));
    random = replaced(replaced(random, "200", pairs), "--visits 100", "--visits 50");
    greedy = replaced(replaced(greedy, "200", pairs), "--visits 100", "--visits 50");
  }
  output(train);
  // An untrained network scores 0.68 and 0.53 with 50 visits.
  const double against_random = score(random), against_greedy = score(greedy);
  std::cout << "Othello: " << against_random << " of the games against random, " << against_greedy
            << " against greedy\n";
  EXPECT_GE(against_random, is_full_length() ? 0.98 : kIsFast ? 0.85 : 0.5);
  EXPECT_GE(against_greedy, is_full_length() ? 0.97 : kIsFast ? 0.75 : 0.3);
}

/// The game of a shared object, for players in this process.
class LoadedPig {
 public:
  using State = TableGame<kSmallState, false>;

  explicit LoadedPig(const std::string& file)
      : object_(GameObject::open(file).value()),
        start_(object_.table),
        game_(AnyGame::rules_of(start_)) {}

  /// The decisions of a network that looks `ply` throws ahead, in all positions of a game.
  std::unique_ptr<pig::Policy> policy(SharedWeights weights, std::uint32_t ply) const {
    SearchOptions options;
    options.settings.plies.ply = ply;
    auto player = SearchPlayer<State>::make(std::move(weights), options, 1, start_).value();
    auto policy = std::make_unique<pig::Policy>();
    std::vector<AnyState> states;
    std::vector<int> others, totals;
    for (int own = 0; own < pig::kGoal; ++own) {
      states.clear(), others.clear(), totals.clear();
      for (int other = 0; other < pig::kGoal; ++other) {
        if (own == 1 || other == 1) continue;  // no total is 1
        State turn = start_;
        collect(turn, own);
        collect(turn, other);
        for (int total = 2; total < pig::kGoal - own; ++total) {
          State state = turn;
          throw_sum(state, total);
          EXPECT_EQ(state.turn(), Turn::kPlayer0);
          states.emplace_back(game_, state);
          others.push_back(other), totals.push_back(total);
        }
      }
      std::vector<Action> actions(states.size());
      const std::vector<Random> draws(states.size(), Random(1, 1, 1, Purpose::kTest));
      EXPECT_TRUE(player->choose(states, draws, actions));
      for (std::size_t i = 0; i < states.size(); ++i) {
        policy->holds[own][others[i]][totals[i]] = actions[i] == kHold;
      }
    }
    return policy;
  }

 private:
  static constexpr Action kHold = 0, kRoll = 1;

  /// Plays throws with this sum.
  static void throw_sum(State& state, int sum) {
    while (sum > 0) {
      const int die = sum == 7 ? 5 : std::min(sum, 6);
      state.play(kRoll);
      state.play(static_cast<Action>(die - 1));
      sum -= die;
    }
  }
  /// Plays a turn that brings this many points.
  static void collect(State& state, int points) {
    throw_sum(state, points == 0 ? 1 : points);  // a throw of 1 ends the turn
    if (points > 0) state.play(kHold);
  }

  const GameObject object_;
  const State start_;
  const AnyGame game_;
};

TEST(PigSolution, IsTheBestPolicy) {
  auto best = std::make_unique<pig::Policy>(), other = std::make_unique<pig::Policy>();
  const auto chances = pig::solve(best.get());
  // Neller and Presser (2004): the first player wins 53.06 % of the games.
  EXPECT_NEAR((*chances)[0][0], 0.5306, 0.00005);
  EXPECT_NEAR(pig::chance_of(*best, *best), (*chances)[0][0], 1e-9);
  EXPECT_EQ(pig::mean_loss(*best, *chances), 0);
  // Policies that hold earlier or later lose.
  for (const int shift : {-2, 2}) {
    for (auto& row : other->holds) row.fill({});
    for (int own = 0; own < pig::kGoal; ++own) {
      for (int score = 0; score < pig::kGoal; ++score) {
        const auto& holds = best->holds[own][score];
        other->holds[own][score] = shift < 0 ? holds >> 2 : holds << 2;
      }
    }
    EXPECT_LT(pig::share_won(*other, *best), 0.4999) << shift;
    EXPECT_GT(pig::mean_loss(*other, *chances), 0) << shift;
  }
}

// The measure is the share of games that the network's decisions win against the best policy, which
// wins half of them against itself.
TEST_F(AddingAGame, PigLearns) {
  build_pig();
  std::string train = command_with("--run runs/pig");
  if (!is_full_length()) {
    train = replaced(train, "--minutes 5", "--games " + std::to_string(effort(20'000)));
  }
  output(train);
  const std::string match = replaced(command_with("match --game pig"), "1000", "100");
  EXPECT_GT(score(match), 0.7) << "against random";

  const LoadedPig pig(path("pig.so"));
  const auto best = std::make_unique<pig::Policy>();
  const auto chances = pig::solve(best.get());
  const auto share_won = [&](const Network& network, const char* name, std::uint32_t ply) {
    const auto policy = pig.policy(std::make_shared<const Weights>(network.clone()), ply);
    const double share = pig::share_won(*policy, *best);
    std::cout << "Pig, " << name << ", " << ply << " ply: wins " << share
              << " of the games against the best policy; loses "
              << pig::mean_loss(*policy, *chances) << " wins a decision\n";
    return share;
  };
  const Network trained = load_network(path("runs/pig/weights/latest.safetensors")).value();
  const double before = share_won(initial_network(trained.spec(), 1), "untrained", 0);
  const double after = share_won(trained, "trained", 0);
  EXPECT_LT(before, 0.35);
  EXPECT_GT(after, is_full_length() ? 0.49 : kIsFast ? 0.45 : before);
  if (is_full_length()) {
    EXPECT_GT(share_won(trained, "trained", 1), 0.495);
  }
}

}  // namespace
}  // namespace senet
