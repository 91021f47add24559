// The training loop: steps that are earned, capped, published and saved, and how it fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <thread>

#include "games/connect_four/connect_four.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/train_bridge/training_run.hpp"

namespace senet {
namespace {

using G = TicTacToe;

/// A trainer whose first step hangs until it is let go.
struct HangingTrainer : CountingTrainer {
  StepReport step(const TrainBatch& batch, float learning_rate) override {
    hangs = true;
    while (!is_free) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return CountingTrainer::step(batch, learning_rate);
  }
  std::atomic<bool> hangs{false}, is_free{false};
};

// Its turns show whether it is stuck: they grow while it waits for games, not within a step.
TEST(TrainingLoop, MakesTurnsUnlessItIsStuck) {
  const TemporaryFolder folder;
  HangingTrainer trainer;
  Stretch run(folder.path(), small_settings(), trainer);
  const auto sleep = [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); };
  std::thread thread([&] { EXPECT_TRUE(run.loop->run()); });
  for (int i = 0; i < 12'000 && run.loop->turns() < 3; ++i) sleep();
  EXPECT_GE(run.loop->turns(), 3u);
  for (std::uint64_t number = 0; number < 30; ++number) {
    EXPECT_TRUE(run.games.push(random_game<TicTacToe>(number)));
  }
  for (int i = 0; i < 12'000 && !trainer.hangs; ++i) sleep();
  EXPECT_TRUE(trainer.hangs);
  const std::uint64_t turns = run.loop->turns();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(run.loop->turns(), turns);
  trainer.is_free = true;
  run.games.close();
  thread.join();
  EXPECT_GT(run.loop->turns(), turns);
}

TEST(TrainingLoop, TakesTheStepsThatGamesEarn) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  Stretch run(folder.path(), small_settings(), trainer);
  run.learn(0, 30);
  const LearnProgress progress = run.loop->progress();
  const std::uint64_t positions = positions_of(0, 30);
  EXPECT_EQ(progress.games, 30u);
  EXPECT_EQ(progress.positions, positions);
  EXPECT_EQ(progress.steps, positions * 2 / 8);
  EXPECT_EQ(trainer.steps, progress.steps);
  EXPECT_EQ(progress.dropped_steps, 0);
  EXPECT_EQ(progress.policy_loss, 2);
  EXPECT_EQ(progress.value_loss, 1);
  EXPECT_NEAR(progress.mean_plies, static_cast<double>(positions) / 30, 1e-3);
  EXPECT_EQ(run.log.records(), 30u);

  // The rate rises over ten steps, is constant for ten, and falls from then on.
  ASSERT_GT(trainer.rates.size(), 25u);
  for (std::size_t i = 0; i < trainer.rates.size(); ++i) {
    const float steps = static_cast<float>(i + 1);
    const float share = i < 10 ? steps / 10 : i < 20 ? 1 : std::sqrt(20 / steps);
    EXPECT_FLOAT_EQ(trainer.rates[i], 1e-3f * share);
  }
  // One publication, at the end, of the weights after the last step.
  EXPECT_EQ(progress.iterations, 1u);
  EXPECT_EQ(run.models.generation(), 2u);
  const std::uint64_t id = trainer.served(PlayWeights::kAverage).id();
  EXPECT_EQ(run.models.newest().weights->id(), id);
  for (const char* name : {"000001.safetensors", "latest.safetensors"}) {
    const Result<Network> network = load_network(folder.path() / "weights" / name);
    ASSERT_TRUE(network) << network.error().reason();
    EXPECT_EQ(network->id(), id);
  }
  const Checkpoint saved = run.saved();
  EXPECT_EQ(saved.trainer.steps, progress.steps);
  EXPECT_EQ(saved.iterations, 1u);
  EXPECT_EQ(saved.games, 30u);
  EXPECT_EQ(saved.positions, positions);
  EXPECT_EQ(saved.next_game, 30u);
  EXPECT_EQ(saved.log_position, run.log.position().value());
  EXPECT_NEAR(saved.owed_steps,
              run.earned_steps(positions) - static_cast<double>(saved.trainer.steps), 1e-9);
}

// Schedules refer to the games of the whole run, before and after an interruption.
TEST(TrainingLoop, SchedulesFollowThePlannedRun) {
  const TemporaryFolder folder;
  LearnSettings settings = small_settings();
  settings.warmup_steps = settings.steady_steps = 0;
  settings.planned_games = 40;
  settings.learning_rate = *Schedule::parse("0.01@0.5,0.0001@1");
  CountingTrainer first, second;
  Stretch(folder.path(), settings, first).learn_one_by_one(0, 20);
  for (const float rate : first.rates) EXPECT_FLOAT_EQ(rate, 0.01f);
  Stretch(folder.path(), settings, second).learn_one_by_one(20, 50);
  EXPECT_TRUE(std::ranges::is_sorted(second.rates, std::greater()));
  EXPECT_LT(second.rates.front(), 0.01f);
  EXPECT_NEAR(second.rates.back(), 0.0001f, 1e-8);
  EXPECT_EQ(run_progress(settings, 30, 1e9), 0.75);
  settings.planned_minutes = 2;
  EXPECT_EQ(run_progress(settings, 30, 60), 0.75);
  EXPECT_EQ(run_progress(settings, 10, 60), 0.5);
  EXPECT_EQ(run_progress(settings, 10, 600), 1);
  EXPECT_NEAR(learning_rate_at(settings, 0, 0.75), 0.001f, 1e-8);
}

// The time of the whole run counts, before and after an interruption.
TEST(TrainingLoop, SchedulesFollowThePlannedMinutes) {
  LearnSettings settings = small_settings();
  settings.warmup_steps = settings.steady_steps = 0;
  settings.planned_minutes = 1e6;
  settings.learning_rate = *Schedule::parse("0.01@0.5,0.0001@1");
  for (const auto& [done, rate] : {std::pair{0.0, 0.01f}, {0.75, 0.001f}, {2.0, 0.0001f}}) {
    const TemporaryFolder folder;
    CountingTrainer first, second;
    Stretch(folder.path(), settings, first).learn(0, 20);
    Checkpoint checkpoint =
        load_checkpoint(folder.path() / "checkpoint.safetensors", small_spec()).value();
    checkpoint.seconds = done * settings.planned_minutes * 60;
    ASSERT_TRUE(
        save_checkpoint(checkpoint, small_spec(), folder.path() / "checkpoint.safetensors"));
    Stretch(folder.path(), settings, second).learn(20, 30);
    ASSERT_FALSE(second.rates.empty());
    EXPECT_NEAR(second.rates.back(), rate, rate * 0.01f) << done;
  }
}

// Cycles of 4, 8 and 16 steps, in place of the inverse square root.
TEST(TrainingLoop, TheRateFallsWithACosineAndBeginsAnew) {
  LearnSettings settings;
  settings.learning_rate = 2;
  settings.warmup_steps = 0;
  settings.steady_steps = 1;
  settings.cosine_steps = 4;
  for (const std::uint64_t begin : {0, 4, 12}) {
    const std::uint64_t length = begin + 4;
    EXPECT_FLOAT_EQ(learning_rate_at(settings, begin, 0), 2);
    EXPECT_FLOAT_EQ(learning_rate_at(settings, begin + length / 4, 0), 1 + std::sqrt(0.5f));
    EXPECT_FLOAT_EQ(learning_rate_at(settings, begin + length / 2, 0), 1);
    for (std::uint64_t step = begin + 1; step < begin + length; ++step) {
      EXPECT_LT(learning_rate_at(settings, step, 0), learning_rate_at(settings, step - 1, 0));
    }
  }
  settings.warmup_steps = 2;
  EXPECT_FLOAT_EQ(learning_rate_at(settings, 0, 0), 1);
  settings.cosine_steps = 0;
  EXPECT_FLOAT_EQ(learning_rate_at(settings, 3, 0), 1);  // 2 / sqrt(4)
}

TEST(TrainingLoop, OwesNoMoreThanAnIteration) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  LearnSettings settings = small_settings();
  settings.steps_per_iteration = 7;
  Stretch run(folder.path(), settings, trainer);
  run.learn(0, 40);  // all games arrive before the first step
  const LearnProgress progress = run.loop->progress();
  EXPECT_EQ(progress.steps, 7u);
  EXPECT_EQ(progress.iterations, 1u);
  const double earned = run.earned_steps(progress.positions);
  EXPECT_NEAR(progress.dropped_steps + 7 + run.saved().owed_steps, earned, 1e-9);
}

TEST(TrainingLoop, InAHurryItOnlyWritesAndSaves) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  LearnSettings settings = small_settings();
  settings.steps_per_iteration = 7;
  Stretch run(folder.path(), settings, trainer);
  run.loop->hurry();
  run.learn(0, 40);
  EXPECT_EQ(run.loop->progress().games, 40u);
  EXPECT_EQ(run.loop->progress().steps, 0u);
  EXPECT_EQ(run.saved().games, 40u);
  EXPECT_EQ(run.saved().owed_steps, 7);
}

TEST(TrainingLoop, PublishesEveryIteration) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  LearnSettings settings = small_settings();
  settings.steps_per_iteration = 4;
  settings.checkpoint_seconds = 0;
  Stretch run(folder.path(), settings, trainer);
  run.learn_one_by_one(0, 20);
  const LearnProgress progress = run.loop->progress();
  EXPECT_EQ(progress.steps, positions_of(0, 20) * 2 / 8);
  const std::uint64_t iterations = (progress.steps + 3) / 4;  // the last is shorter
  EXPECT_EQ(progress.iterations, iterations);
  EXPECT_EQ(run.models.generation(), 1 + iterations);
  // Each iteration has a checkpoint: all weights files exist, each after four more steps.
  for (std::uint64_t i = 1; i <= iterations; ++i) {
    const auto name = (i < 10 ? "00000" : "0000") + std::to_string(i) + ".safetensors";
    const Result<Network> network = load_network(folder.path() / "weights" / name);
    ASSERT_TRUE(network) << network.error().reason();
    EXPECT_EQ(network->parameters()[0],
              static_cast<float>(std::min<std::uint64_t>(4 * i, progress.steps)));
  }
}

TEST(TrainingLoop, BeginsOnlyAfterEnoughPositions) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  LearnSettings settings = small_settings();
  settings.begin_after = positions_of(0, 10) + 1;
  {
    Stretch run(folder.path(), settings, trainer);
    run.learn(0, 10);
    EXPECT_EQ(run.loop->progress().steps, 0u);
    EXPECT_EQ(run.loop->progress().iterations, 0u);
    EXPECT_EQ(run.models.generation(), 1u);
    EXPECT_EQ(run.saved().games, 10u);
  }
  Stretch run(folder.path(), settings, trainer);
  run.learn(10, 11);  // the steps earned by the first ten games are not lost
  EXPECT_EQ(run.loop->progress().steps, positions_of(0, 11) * 2 / 8);
}

TEST(TrainingLoop, WithoutTrainingGamesAreOnlyKept) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  LearnSettings settings = small_settings();
  settings.samples_per_position = 0;
  Stretch run(folder.path(), settings, trainer);
  run.learn(0, 10);
  EXPECT_EQ(trainer.rates.size(), 0u);
  EXPECT_EQ(run.log.records(), 10u);
  EXPECT_EQ(run.saved().positions, positions_of(0, 10));
}

TEST(TrainingLoop, SkippedStepsAreCountedAndSeeOtherSamplesNext) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  trainer.skip_first = 20;
  Stretch run(folder.path(), small_settings(), trainer);
  run.learn(0, 30);
  const LearnProgress progress = run.loop->progress();
  EXPECT_EQ(progress.skipped_steps, 20u);
  EXPECT_EQ(progress.steps + 20, positions_of(0, 30) * 2 / 8);
  EXPECT_EQ(run.saved().trainer.steps, progress.steps);
  const auto first = trainer.first_rows.begin();
  EXPECT_FALSE(std::all_of(first, first + 20, [&](std::uint16_t row) { return row == *first; }));
}

// The state becomes not finite: neither published nor saved, the last checkpoint's returns.
TEST(TrainingLoop, AStateThatIsNotFiniteReturnsToTheCheckpoint) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  std::uint64_t before = 0;
  {
    Stretch run(folder.path(), small_settings(), trainer);
    run.learn(0, 10);
    before = trainer.steps;
  }
  trainer.bad_step = before + 3;
  Stretch run(folder.path(), small_settings(), trainer);
  run.learn(10, 20);
  const LearnProgress progress = run.loop->progress();
  EXPECT_EQ(progress.rollbacks, 1u);
  EXPECT_FALSE(progress.has_diverged);
  EXPECT_EQ(progress.steps, before);
  EXPECT_EQ(trainer.steps, before);
  // Workers get its network, as another iteration: that of the newest is another one.
  EXPECT_EQ(run.models.generation(), 2u);
  EXPECT_EQ(run.models.newest().weights->id(), trainer.served(PlayWeights::kAverage).id());
  EXPECT_EQ(progress.iterations, 2u);
  ASSERT_EQ(run.warnings.size(), 1u);
  EXPECT_EQ(run.warnings.front(),
            "training: trainer state: weights has a value that is not finite: the state of the "
            "checkpoint of step " +
                std::to_string(before) + " returned");
  const Checkpoint saved = run.saved();
  EXPECT_EQ(saved.trainer.steps, before);
  EXPECT_EQ(saved.games, 20u);
  const auto latest = load_network(folder.path() / "weights" / "latest.safetensors");
  ASSERT_TRUE(latest) << latest.error().reason();
  EXPECT_EQ(latest->parameters()[0], static_cast<float>(before));
  // A state that is not finite is not saved even on request.
  trainer.is_bad = true;
  EXPECT_FALSE(run.loop->save());
  EXPECT_EQ(run.saved().trainer.steps, before);
  EXPECT_TRUE(load_network(folder.path() / "weights" / "latest.safetensors"));
}

// A damaged one would take the place of a good one when the next is kept.
TEST(TrainingLoop, ADamagedCheckpointIsMovedAsideAndAnOlderOneReturns) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  std::uint64_t older = 0;
  for (const std::uint64_t first : {0, 5}) {
    older = trainer.steps;
    Stretch(folder.path(), small_settings(), trainer).learn(first, first + 5);
  }
  trainer.bad_step = trainer.steps + 3;
  Stretch run(folder.path(), small_settings(), trainer);
  const std::filesystem::path newest = folder.path() / "checkpoint.safetensors";
  write_text(newest, "no checkpoint");
  run.learn(10, 15);
  EXPECT_EQ(run.loop->progress().rollbacks, 1u);
  EXPECT_EQ(run.loop->progress().steps, older);
  ASSERT_EQ(run.warnings.size(), 2u);
  EXPECT_NE(run.warnings.front().find("it was moved to " + newest.string() + ".damaged"),
            std::string::npos)
      << run.warnings.front();
  EXPECT_EQ(run.saved().games, 15u);
}

TEST(TrainingLoop, StepsThatAllFailEndItWithEverythingSaved) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  LearnSettings settings = small_settings();
  settings.samples_per_position = 16;
  settings.steps_per_iteration = 100'000;
  {
    Stretch run(folder.path(), settings, trainer);
    run.learn(0, 2);
  }
  const std::uint64_t before = trainer.steps;
  const std::size_t most = TrainingLoop::kMostRollbacks * TrainingLoop::kMostSkipped;
  trainer.rates.clear();
  trainer.skip_first = std::numeric_limits<std::size_t>::max();
  Stretch run(folder.path(), settings, trainer);
  ASSERT_GT(run.earned_steps(positions_of(2, 30)), static_cast<double>(most));
  for (std::uint64_t number = 2; number < 30; ++number) {
    ASSERT_TRUE(run.games.push(random_game<G>(number)));
  }
  std::thread trainer_thread([&] {
    const Result<void> trained = run.loop->run();
    ASSERT_FALSE(trained);
    EXPECT_NE(trained.error().reason().find("training has diverged: 50 steps in a row"),
              std::string::npos)
        << trained.error().reason();
  });
  while (!run.loop->progress().has_diverged) std::this_thread::yield();
  // Games that finish later are still written.
  ASSERT_TRUE(run.games.push(random_game<G>(30)));
  run.games.close();
  trainer_thread.join();
  EXPECT_EQ(trainer.rates.size(), most);
  EXPECT_EQ(run.warnings.size(), 2u);
  EXPECT_EQ(run.loop->progress().rollbacks, 3u);
  EXPECT_EQ(run.loop->progress().skipped_steps, most);
  EXPECT_EQ(run.log.records(), 31u);
  EXPECT_EQ(run.saved().trainer.steps, before);
  EXPECT_EQ(run.saved().games, 31u);
}

TEST(TrainingLoop, WithoutACheckpointThereIsNothingToReturnTo) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  trainer.bad_step = 1;
  Stretch run(folder.path(), small_settings(), trainer);
  ASSERT_TRUE(run.games.push(random_game<G>(0)));
  run.games.close();
  const Result<void> trained = run.loop->run();
  ASSERT_FALSE(trained);
  EXPECT_NE(trained.error().reason().find("there is no checkpoint to return to"),
            std::string::npos);
}

// The first checkpoint comes early, so that a run that is often killed learns.
TEST(TrainingLoop, TimeBetweenCheckpointsGrows) {
  LearnSettings settings;
  double age = 0, last = 0;
  for (int saves = 0; saves < 20; ++saves) {
    const double wait = seconds_to_checkpoint(settings, age);
    EXPECT_LE(wait, std::max(5.0, age / 2));
    EXPECT_LE(wait, settings.checkpoint_seconds);
    EXPECT_GE(wait, last);
    last = wait;
    age += wait;
  }
  EXPECT_EQ(last, settings.checkpoint_seconds);
  settings.checkpoint_seconds = 0;
  EXPECT_EQ(seconds_to_checkpoint(settings, 0), 0);
  EXPECT_EQ(seconds_to_checkpoint(settings, 1e6), 0);
}

TEST(TrainingLoop, GamesWithoutSamplesAreNoTrouble) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  {
    Stretch run(folder.path(), small_settings(), trainer);
    ASSERT_TRUE(run.games.push(unsearched_game<G>(0)));
    ASSERT_TRUE(run.games.push(unsearched_game<G>(1)));
    run.learn(2, 4);
    EXPECT_EQ(run.loop->progress().games, 4u);
    EXPECT_EQ(run.loop->progress().positions, positions_of(2, 4));
  }
  Stretch again(folder.path(), small_settings(), trainer);
  EXPECT_EQ(again.loop->next_game(), 4u);
}

TEST(TrainingLoop, AFailingLogEndsItWithAReasonAndLanesCanEnd) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  Stretch run(folder.path(), small_settings(), trainer);
  ASSERT_TRUE(run.games.push(random_game<G>(0)));
  ASSERT_TRUE(run.games.push(random_game<ConnectFour>(1)));  // the log rejects another game
  ASSERT_TRUE(run.games.push(random_game<G>(2)));
  const Result<void> trained = run.loop->run();
  ASSERT_FALSE(trained);
  EXPECT_NE(trained.error().reason().find("connect_four"), std::string::npos);
  EXPECT_EQ(run.loop->progress().games, 1u);
  EXPECT_EQ(run.log.records(), 1u);
  run.games.close();
  QueueSink sink(run.games);
  GameRecord record = random_game<G>(3);
  EXPECT_TRUE(sink.offer(record));
  EXPECT_EQ(sink.refused(), 1u);
}

TEST(TrainingLoop, AFullQueueMakesLanesWaitAndAClosedOneDoesNot) {
  BoundedQueue<GameRecord> games(1);
  QueueSink sink(games);
  GameRecord first = random_game<G>(0), second = random_game<G>(1);
  EXPECT_TRUE(sink.offer(first));
  EXPECT_FALSE(sink.offer(second));
  EXPECT_TRUE(second == random_game<G>(1));  // unchanged
  EXPECT_EQ(sink.refused(), 0u);
  games.close();
  EXPECT_TRUE(sink.offer(second));
  EXPECT_EQ(sink.refused(), 1u);
}

TEST(TrainingLoop, AFolderThatCannotBeWrittenEndsItWithAReason) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  Stretch run(folder.path(), small_settings(), trainer);
  std::filesystem::remove_all(folder.path() / "weights");
  ASSERT_TRUE(run.games.push(random_game<G>(0)));
  run.games.close();
  const Result<void> trained = run.loop->run();
  ASSERT_FALSE(trained);
  EXPECT_NE(trained.error().reason().find("weights"), std::string::npos);
  EXPECT_EQ(run.log.records(), 1u);
}

// A checkpoint that cannot be written does not end it: the games are in the log.
TEST(TrainingLoop, ACheckpointThatFailsIsTriedAgain) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  LearnSettings settings = small_settings();
  settings.checkpoint_seconds = 0;
  Stretch run(folder.path(), settings, trainer);
  std::filesystem::remove_all(folder.path() / "weights");
  std::thread thread([&] { EXPECT_TRUE(run.loop->run()); });
  for (int i = 0; i < 12'000 && run.loop->turns() < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::filesystem::create_directories(folder.path() / "weights");
  EXPECT_TRUE(run.games.push(random_game<G>(0)));
  run.games.close();
  thread.join();
  ASSERT_GE(run.warnings.size(), 2u);
  for (const std::string& warning : run.warnings) {
    EXPECT_NE(warning.find("weights"), std::string::npos) << warning;
    EXPECT_NE(warning.find("no checkpoint was written"), std::string::npos) << warning;
  }
  EXPECT_EQ(run.saved().games, 1u);
}

// With many visits an iteration takes hours.
TEST(TrainingLoop, ParksGamesWithinAnIteration) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  LearnSettings settings = small_settings();
  settings.checkpoint_seconds = 0;
  Stretch run(folder.path(), settings, trainer);
  run.learn(0, 30);
  EXPECT_GT(run.parks, trainer.steps);
  // Only the networks of whole iterations were saved.
  const auto weights = folder.path() / "weights";
  EXPECT_EQ(load_network(weights / "000000.safetensors")->parameters()[0], 0);
  EXPECT_EQ(load_network(weights / "000001.safetensors")->parameters()[0],
            static_cast<float>(trainer.steps));
}

TEST(TrainingLoop, AStartCanBeSavedBeforeTheFirstGame) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  Stretch run(folder.path(), small_settings(), trainer);
  ASSERT_TRUE(run.loop->save());
  EXPECT_EQ(run.saved().games, 0u);
  EXPECT_TRUE(load_network(folder.path() / "weights" / "000000.safetensors"));
}

}  // namespace
}  // namespace senet
