// A run as called by a program for its own game: by the game's type, with hooks.
#include <gtest/gtest.h>
#include <senet/train.hpp>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "tests/temporary_folder.hpp"

namespace senet {

/// A game that is not registered: tic-tac-toe under another name.
struct Noughts : TicTacToe {
  static constexpr std::string_view kName = "noughts";
  Noughts() = default;
  explicit Noughts(const TicTacToe& state) : TicTacToe(state) {}
  static Result<Noughts> from_text(std::string_view text) {
    const Result<TicTacToe> state = TicTacToe::from_text(text);
    if (!state) return state.error();
    return Noughts(*state);
  }
  Noughts mirrored() const { return Noughts(TicTacToe::mirrored()); }
  static Action mirrored(Action action) { return TicTacToe::mirrored(action); }
};

namespace {

class OwnRun : public testing::Test {
 protected:
  RunConfig config() const {
    RunConfig config = *default_config<Noughts>();
    for (const auto& [name, value] :
         std::vector<std::pair<const char*, const char*>>{{"width", "16"},
                                                          {"blocks", "0"},
                                                          {"workers", "2"},
                                                          {"lanes", "4"},
                                                          {"visits", "4"},
                                                          {"fast-visits", "4"},
                                                          {"begin-after", "100"},
                                                          {"train-batch", "32"},
                                                          {"steps-per-iteration", "5"},
                                                          {"temperature-plies", "4"}}) {
      const Result<void> applied = apply_setting(config, name, value);
      EXPECT_TRUE(applied) << applied.error().reason();
    }
    return config;
  }
  std::filesystem::path folder() const { return folder_ / "run"; }

  const TemporaryFolder folder_;
};

TEST_F(OwnRun, BeginsShowsHowFarItIsAndEndsAtItsLimit) {
  ASSERT_TRUE(check_game<Noughts>());
  std::vector<RunPhase> phases;
  int begun = 0;
  RunHooks hooks;
  hooks.begins = [&](const RunBeginning& beginning) {
    EXPECT_TRUE(phases.empty());
    EXPECT_EQ(beginning.config.game, "noughts");
    EXPECT_EQ(beginning.trainer, "cpu, 1 thread");
    ++begun;
  };
  std::uint64_t games = 0;
  hooks.progresses = [&](const RunProgress& now) {
    EXPECT_GE(now.learn.games, games);
    games = now.learn.games;
    phases.push_back(now.phase);
  };
  hooks.warning = [](const std::string& warning) { ADD_FAILURE() << warning; };
  const Result<RunSummary> ended = run<Noughts>(
      config(), {.folder = folder(), .games = 200, .trainer = {.backend = TrainerBackend::kCpu}},
      hooks);
  ASSERT_TRUE(ended) << ended.error().reason();
  EXPECT_EQ(begun, 1);
  ASSERT_FALSE(phases.empty());
  EXPECT_EQ(phases.back(), RunPhase::kSaving);
  EXPECT_TRUE(std::ranges::is_sorted(phases));
  EXPECT_EQ(ended->progress.learn.games, 200u);
  EXPECT_GT(ended->progress.learn.steps, 0u);
  EXPECT_GT(ended->progress.searches, 200u);
  EXPECT_GE(ended->progress.visits, ended->progress.searches);
  EXPECT_GT(ended->progress.evaluations, 0u);

  // The run can be resumed with its own settings, and only as a run of this game.
  const Result<RunConfig> saved = load_config<Noughts>(folder());
  ASSERT_TRUE(saved) << saved.error().reason();
  EXPECT_EQ(config_text(*saved), config_text(config()));
  const Result<RunSummary> more =
      run<Noughts>(*saved, {.folder = folder(), .resume = true, .games = 50});
  ASSERT_TRUE(more) << more.error().reason();
  EXPECT_EQ(more->progress.learn.games, 250u);
  const Result<RunConfig> other = load_config<TicTacToe>(folder());
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().reason().find("the run trains noughts, not tic_tac_toe"),
            std::string::npos);

  // Its weights can play, but only this game.
  const auto player = load_player<Noughts>(more->weights, 20);
  ASSERT_TRUE(player) << player.error().reason();
  const auto result = match_result<Noughts>(**player, {.pairs = 20, .random_plies = 0});
  ASSERT_TRUE(result) << result.error().reason();
  EXPECT_EQ(result->games, 40u);
  EXPECT_GT(result->score, 0.6);
  EXPECT_FALSE(load_player<TicTacToe>(more->weights, 20));
}

// `auto` is timed once: a resumed run has the same evaluator.
TEST_F(OwnRun, RecordsTheEvaluatorThatItChose) {
  RunConfig begun = config();
  begun.selfplay.worker.evaluation.kind = EvaluatorKind::kAuto;
  EvaluatorKind chosen = EvaluatorKind::kAuto;
  RunHooks hooks;
  hooks.begins = [&](const RunBeginning& beginning) {
    chosen = beginning.config.selfplay.worker.evaluation.kind;
  };
  const auto ended = run<Noughts>(begun, {.folder = folder(), .games = 2}, hooks);
  ASSERT_TRUE(ended) << ended.error().reason();
  EXPECT_NE(chosen, EvaluatorKind::kAuto);
  const Result<RunConfig> saved = load_config<Noughts>(folder());
  ASSERT_TRUE(saved) << saved.error().reason();
  EXPECT_EQ(saved->selfplay.worker.evaluation.kind, chosen);
}

TEST_F(OwnRun, EndsAtItsPlannedLengthAndCanBeLengthened) {
  RunConfig planned = config();
  planned.learn.planned_games = 20;
  planned.learn.learning_rate = *Schedule::parse("0.001@0.5,0.0001@1");
  const auto first = run<Noughts>(planned, {.folder = folder(), .games = 15});
  ASSERT_TRUE(first) << first.error().reason();
  EXPECT_EQ(first->progress.learn.games, 15u);
  const RunOptions resumed{.folder = folder(), .resume = true};
  const auto second = run<Noughts>(planned, resumed);
  ASSERT_TRUE(second) << second.error().reason();
  EXPECT_EQ(second->progress.learn.games, 20u);
  const auto over = run<Noughts>(planned, resumed);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().reason(),
            "planned-games: the run has played its 20 games; a larger number lengthens it");
  planned.learn.planned_games = 25;
  const auto longer = run<Noughts>(planned, resumed);
  ASSERT_TRUE(longer) << longer.error().reason();
  EXPECT_EQ(longer->progress.learn.games, 25u);
}

TEST_F(OwnRun, LearnsOnlyFromGamesThatItMayLearnFrom) {
  RunHooks hooks;
  hooks.learns = [] { return false; };
  const Result<RunSummary> ended = run<Noughts>(
      config(), {.folder = folder(), .games = 40, .trainer = {.backend = TrainerBackend::kCpu}},
      hooks);
  ASSERT_TRUE(ended) << ended.error().reason();
  EXPECT_EQ(ended->progress.finished_games, 40u);
  EXPECT_EQ(ended->progress.learn.games, 0u);
}

TEST_F(OwnRun, SaysOnceThatFiguresCannotBeWritten) {
  std::filesystem::create_directories(folder() / "metrics.jsonl");
  std::vector<std::string> warnings;
  RunHooks hooks;
  hooks.warning = [&](const std::string& warning) { warnings.push_back(warning); };
  const Result<RunSummary> ended = run<Noughts>(
      config(), {.folder = folder(), .games = 10, .trainer = {.backend = TrainerBackend::kCpu}},
      hooks);
  ASSERT_TRUE(ended) << ended.error().reason();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings.front().find("metrics.jsonl: cannot be written"), std::string::npos);
}

TEST_F(OwnRun, EndsWhenItIsOrderedTo) {
  for (const RunOrder order : {RunOrder::kFinish, RunOrder::kDrop}) {
    std::vector<RunPhase> phases;
    RunHooks hooks;
    hooks.progresses = [&](const RunProgress& now) { phases.push_back(now.phase); };
    hooks.order = [&] { return phases.size() < 3 ? RunOrder::kContinue : order; };
    const auto where = folder_ / (order == RunOrder::kDrop ? "dropped" : "finished");
    const Result<RunSummary> ended = run<Noughts>(config(), {.folder = where}, hooks);
    ASSERT_TRUE(ended) << ended.error().reason();
    const auto wanted = order == RunOrder::kDrop ? RunPhase::kDropping : RunPhase::kFinishing;
    ASSERT_GT(phases.size(), 3u);
    EXPECT_EQ(phases[2], RunPhase::kPlaying);
    EXPECT_EQ(phases[3], wanted);
    EXPECT_TRUE(std::filesystem::exists(ended->weights));
  }
}

// The self-play and training threads still end.
TEST_F(OwnRun, AHookMayThrow) {
  RunHooks hooks;
  hooks.progresses = [](const RunProgress&) { throw std::runtime_error("enough"); };
  EXPECT_THROW(static_cast<void>(run<Noughts>(config(), {.folder = folder()}, hooks)),
               std::runtime_error);
  EXPECT_TRUE(run<Noughts>(*load_config<Noughts>(folder()),
                           {.folder = folder(), .resume = true, .games = 1}));
}

TEST_F(OwnRun, RefusesWhatMakesNoSense) {
  const auto refused = [&](const RunConfig& config, const RunOptions& options) {
    const Result<RunSummary> ended = run<Noughts>(config, options);
    EXPECT_FALSE(ended);
    EXPECT_FALSE(std::filesystem::exists(folder()));
    return ended ? std::string() : ended.error().reason();
  };
  const RunOptions here{.folder = folder(), .games = 1};
  EXPECT_EQ(refused(config(), {.games = 1}), "folder: name the run folder");
  RunConfig wrong = config();
  wrong.game = "tic_tac_toe";
  EXPECT_EQ(refused(wrong, here), "the settings are those of tic_tac_toe, not of noughts");
  wrong = config();
  wrong.selfplay.worker.lanes = 0;
  EXPECT_EQ(refused(wrong, here), "lanes takes a whole number 1 .. 4096, not \"0\"");
  wrong = config();
  wrong.selfplay.worker.search.evaluates = Evaluates::kAfterstates;
  EXPECT_EQ(refused(wrong, here), "mode: noughts has no afterstates");
  wrong = config();
  wrong.network.policy_head = false;
  EXPECT_EQ(refused(wrong, here),
            "mode: a network without a policy head cannot evaluate positions");
  wrong = config();
  wrong.learn.samples.lambda = *Schedule::parse("1@0.1,0.7@0.2");
  EXPECT_EQ(refused(wrong, here), "lambda: a schedule needs the length of the run, planned-games");
  // Only one program at a time can open the folder.
  auto first = Run::open(game_table<RunGame, Noughts>(), config(), here);
  ASSERT_TRUE(first) << first.error().reason();
  EXPECT_EQ(first->folder(), folder());
  EXPECT_FALSE(run<Noughts>(config(), here));
}

}  // namespace
}  // namespace senet
