// A whole self-play run that loses its device half-way: only the steps since the last fetch of the
// state are lost.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "selfplay/selfplay_threads.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/train_bridge/training_run.hpp"

namespace senet {

/// `make(start, shape, settings, steps_at_risk, lost)` makes a trainer on a device; `lose()` makes
/// the device fail from then on.
using MakeLosingTrainer = std::function<std::unique_ptr<Trainer>(
    const Network& start, const TrainBatch::Shape& shape, const TrainerSettings& settings,
    std::size_t steps_at_risk, std::function<void(const std::string&)> lost)>;

inline void expect_a_run_outlives_its_device(const MakeLosingTrainer& make,
                                             const std::function<void()>& lose) {
  constexpr std::uint64_t kGames = 200;  // before the loss, and again after it
  const TemporaryFolder folder;
  LearnSettings settings = small_settings();
  settings.replay_capacity = 10'000;
  settings.steps_per_iteration = 25;
  std::vector<std::string> reported;
  const auto trainer =
      make(initial_network(small_spec(), 1), batch_shape(GameShape::of<TicTacToe>(), settings),
           settings.trainer, settings.steps_per_iteration,
           [&](const std::string& reason) { reported.push_back(reason); });
  ASSERT_TRUE(trainer);
  trainer->warm_up();
  ASSERT_NE(trainer->name(), "cpu");
  ASSERT_TRUE(reported.empty()) << reported.front();

  Stretch run(folder.path(), settings, *trainer);
  QueueSink sink(run.games);
  SelfPlaySettings play;
  play.driver = Driver::kPlainLoop;
  play.worker.lanes = 4;
  play.worker.visits = play.play.full_visits = play.play.fast_visits = 16;
  std::thread trainer_thread([&] {
    const Result<void> trained = run.loop->run();
    EXPECT_TRUE(trained) << trained.error().reason();
  });
  // Waits until all steps earned are done or dropped.
  const auto play_games = [&](std::uint64_t first, std::uint64_t end) {
    GameNumbers numbers(first, end);
    SelfPlayThreads<TicTacToe> players(play, run.models, numbers, sink);
    EXPECT_TRUE(players.join());
    for (;;) {
      const LearnProgress now = run.loop->progress();
      const double taken = static_cast<double>(now.steps + now.skipped_steps) + now.dropped_steps;
      if (now.games == end && run.earned_steps(now.positions) - taken < 1) return now;
      std::this_thread::yield();
    }
  };
  const LearnProgress before = play_games(0, kGames);
  EXPECT_GT(before.steps, 0u);
  lose();
  const LearnProgress after = play_games(kGames, 2 * kGames);
  run.games.close();
  trainer_thread.join();

  EXPECT_EQ(trainer->name(), "cpu");
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_FALSE(reported.front().empty());
  EXPECT_GT(after.steps, before.steps);
  EXPECT_EQ(after.skipped_steps, 0u);
  EXPECT_EQ(sink.refused(), 0u);
  EXPECT_EQ(run.log.records(), 2 * kGames);
  const Checkpoint saved = run.saved();
  EXPECT_EQ(saved.games, 2 * kGames);
  EXPECT_LE(saved.trainer.steps, after.steps);
  EXPECT_GE(saved.trainer.steps + settings.steps_per_iteration, after.steps);
  for (const float weight : saved.trainer.weights) ASSERT_TRUE(std::isfinite(weight));
}

}  // namespace senet
