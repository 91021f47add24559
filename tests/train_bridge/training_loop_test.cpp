// The way back from games to weights: what is earned, capped, published, saved and gone on with.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "games/connect_four.hpp"
#include "games/tic_tac_toe.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/train_bridge/random_games.hpp"
#include "train_bridge/linear_algebra.hpp"
#include "train_bridge/training_loop.hpp"

namespace senet {
namespace {

using G = TicTacToe;

NetworkSpec small_spec() {
  NetworkSpec spec = reference_spec<G>();
  spec.width = 8;
  spec.blocks = 1;
  spec.policy_layers = 1;
  return spec;
}

/// Learns nothing but how often it was asked: every weight is the number of its steps.
class CountingTrainer final : public Trainer {
 public:
  std::string_view name() const override { return "counting"; }
  void warm_up() override {}
  StepReport step(const TrainBatch& batch, float learning_rate) override {
    EXPECT_GE(batch.size(), 1u);
    rates.push_back(learning_rate);
    first_rows.push_back(batch.index(0).front());
    const bool skips = rates.size() <= skip_first;
    if (!skips) ++steps;
    return {.policy_loss = 2, .value_loss = 1, .skipped = skips};
  }
  Network served() const override {
    return Network(small_spec(),
                   std::vector<float>(parameter_count(small_spec()), static_cast<float>(steps)));
  }
  TrainerState state() const override {
    const std::vector<float> values(parameter_count(small_spec()), static_cast<float>(steps));
    return {values, values, values, values, steps};
  }
  Result<void> restore(const TrainerState& state) override {
    steps = state.steps;
    return {};
  }

  std::uint64_t steps = 0;
  std::size_t skip_first = 0;
  std::vector<float> rates;
  std::vector<std::uint16_t> first_rows;
};

LearnSettings small_settings() {
  LearnSettings settings;
  settings.replay_capacity = 100;
  settings.window_minimum = 30;
  settings.window_share = 0.2f;
  settings.batch_rows = 8;
  settings.samples_per_position = 2;
  settings.begin_after = 0;
  settings.warmup_steps = 10;
  settings.steps_per_iteration = 1000;
  settings.checkpoint_seconds = 1e9;
  return settings;
}

/// One stretch of a run in a folder: everything a daemon holds, without its threads.
struct Stretch {
  Stretch(const std::filesystem::path& run_folder, const LearnSettings& given, Trainer& trainer)
      : folder(run_folder), settings(given), log(open_log(run_folder)) {
    std::filesystem::create_directories(folder / "weights");
    Checkpoint from;
    if (std::filesystem::exists(folder / "checkpoint.safetensors")) {
      Result<Checkpoint> loaded = load_checkpoint(folder / "checkpoint.safetensors", small_spec());
      EXPECT_TRUE(loaded) << loaded.error().reason;
      if (loaded) from = *loaded;
      EXPECT_TRUE(trainer.restore(from.trainer));
    }
    loop.emplace(TrainingLoop<G>::Parts{.settings = settings,
                                        .trainer = trainer,
                                        .log = log,
                                        .games = games,
                                        .models = models,
                                        .seed = 3,
                                        .folder = folder},
                 from);
    const Result<void> refilled = loop->refill(folder / "games.senet");
    EXPECT_TRUE(refilled) << refilled.error().reason;
  }

  static RecordLog open_log(const std::filesystem::path& folder) {
    Result<RecordLog> opened = RecordLog::open(folder / "games.senet", G::kName, {});
    EXPECT_TRUE(opened) << opened.error().reason;
    return std::move(*opened);
  }

  /// Learns from all of these at once.
  void learn(std::uint64_t first, std::uint64_t end) {
    for (std::uint64_t number = first; number < end; ++number) {
      EXPECT_TRUE(games.push(random_game<G>(number)));
    }
    games.close();
    const Result<void> learnt = loop->run();
    EXPECT_TRUE(learnt) << learnt.error().reason;
  }

  /// Learns from these one by one, each when all that was earned before it has been trained: the
  /// order of everything is then fixed.
  void learn_one_by_one(std::uint64_t first, std::uint64_t end) {
    std::thread learner([&] {
      const Result<void> learnt = loop->run();
      EXPECT_TRUE(learnt) << learnt.error().reason;
    });
    const std::uint64_t games_before = loop->progress().games;
    for (std::uint64_t number = first; number < end; ++number) {
      EXPECT_TRUE(games.push(random_game<G>(number)));
      for (;;) {
        const LearnProgress now = loop->progress();
        const auto earned = static_cast<std::uint64_t>(earned_steps(now.positions));
        if (now.games == games_before + number - first + 1 && now.steps == earned) break;
        std::this_thread::yield();
      }
    }
    games.close();
    learner.join();
  }

  double earned_steps(std::uint64_t positions) const {
    return static_cast<double>(positions) * settings.samples_per_position /
           static_cast<double>(settings.batch_rows);
  }
  Checkpoint saved() const {
    Result<Checkpoint> loaded = load_checkpoint(folder / "checkpoint.safetensors", small_spec());
    EXPECT_TRUE(loaded) << loaded.error().reason;
    return loaded ? *loaded : Checkpoint{};
  }

  std::filesystem::path folder;
  LearnSettings settings;
  RecordLog log;
  BoundedQueue<GameRecord> games{1000};
  ModelStore models{initial_network(small_spec(), 1)};
  std::optional<TrainingLoop<G>> loop;
};

std::uint64_t positions_of(std::uint64_t first, std::uint64_t end) {
  std::uint64_t positions = 0;
  for (; first < end; ++first) positions += random_game<G>(first).turns().size();
  return positions;
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

  // The rate rises over ten steps.
  for (std::size_t i = 0; i < trainer.rates.size(); ++i) {
    EXPECT_FLOAT_EQ(trainer.rates[i], 1e-3f * std::min(1.0f, static_cast<float>(i + 1) / 10.0f));
  }
  // One publication, of the weights after the last step, at the end.
  EXPECT_EQ(progress.iterations, 1u);
  EXPECT_EQ(run.models.generation(), 2u);
  const std::uint64_t id = trainer.served().id();
  run.models.with_newest(
      [&](const Network& network, std::uint64_t) { EXPECT_EQ(network.id(), id); });
  for (const char* name : {"000001.safetensors", "latest.safetensors"}) {
    const Result<Network> network = load_network(folder.path() / "weights" / name);
    ASSERT_TRUE(network) << network.error().reason;
    EXPECT_EQ(network->id(), id);
  }
  const Checkpoint saved = run.saved();
  EXPECT_EQ(saved.trainer.steps, progress.steps);
  EXPECT_EQ(saved.iterations, 1u);
  EXPECT_EQ(saved.games, 30u);
  EXPECT_EQ(saved.positions, positions);
  EXPECT_EQ(saved.next_game, 30u);
  EXPECT_EQ(saved.log_position, run.log.size());
  EXPECT_NEAR(saved.owed_steps,
              run.earned_steps(positions) - static_cast<double>(saved.trainer.steps), 1e-9);
}

TEST(TrainingLoop, OwesNoMoreThanAnIteration) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  LearnSettings settings = small_settings();
  settings.steps_per_iteration = 7;
  Stretch run(folder.path(), settings, trainer);
  run.learn(0, 40);  // all are taken before the first step
  const LearnProgress progress = run.loop->progress();
  EXPECT_EQ(progress.steps, 7u);
  EXPECT_EQ(progress.iterations, 1u);
  const double earned = run.earned_steps(progress.positions);
  EXPECT_NEAR(progress.dropped_steps + 7 + run.saved().owed_steps, earned, 1e-9);
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
  const std::uint64_t iterations = (progress.steps + 3) / 4;  // the last one is what was left
  EXPECT_EQ(progress.iterations, iterations);
  EXPECT_EQ(run.models.generation(), 1 + iterations);
  // A checkpoint with each: the weights of all are there, each after its four steps.
  for (std::uint64_t i = 1; i <= iterations; ++i) {
    const auto name = (i < 10 ? "00000" : "0000") + std::to_string(i) + ".safetensors";
    const Result<Network> network = load_network(folder.path() / "weights" / name);
    ASSERT_TRUE(network) << network.error().reason;
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
  run.learn(10, 11);  // what the first ten earned is not lost
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

TEST(TrainingLoop, GamesWithoutSamplesAreNoTrouble) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  {
    Stretch run(folder.path(), small_settings(), trainer);
    ASSERT_TRUE(run.games.push(blind_game<G>(0)));
    ASSERT_TRUE(run.games.push(blind_game<G>(1)));
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
  ASSERT_TRUE(run.games.push(random_game<ConnectFour>(1)));  // the log refuses another game
  ASSERT_TRUE(run.games.push(random_game<G>(2)));
  const Result<void> learnt = run.loop->run();
  ASSERT_FALSE(learnt);
  EXPECT_NE(learnt.error().reason.find("connect_four"), std::string::npos);
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
  EXPECT_TRUE(second == random_game<G>(1));  // untouched
  EXPECT_EQ(sink.refused(), 0u);
  games.close();
  EXPECT_TRUE(sink.offer(second));
  EXPECT_EQ(sink.refused(), 1u);
}

TEST(TrainingLoop, AGameThatIsNoneEndsItWithAReason) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  {
    Stretch run(folder.path(), small_settings(), trainer);
    GameRecord wrong = random_game<G>(5);
    wrong.end_cut(std::vector<float>{0, 1, 0});
    ASSERT_TRUE(run.log.append(wrong));
  }
  Result<RecordLog> log = RecordLog::open(folder.path() / "games.senet", G::kName, {});
  ASSERT_TRUE(log);
  const LearnSettings settings = small_settings();
  BoundedQueue<GameRecord> games(1);
  ModelStore models(initial_network(small_spec(), 1));
  TrainingLoop<G> loop({.settings = settings,
                        .trainer = trainer,
                        .log = *log,
                        .games = games,
                        .models = models,
                        .seed = 3,
                        .folder = folder.path()},
                       Checkpoint{});
  const Result<void> refilled = loop.refill(folder.path() / "games.senet");
  ASSERT_FALSE(refilled);
  EXPECT_NE(refilled.error().reason.find("games.senet: game 5"), std::string::npos)
      << refilled.error().reason;
}

TEST(TrainingLoop, AFolderThatCannotBeWrittenEndsItWithAReason) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  Stretch run(folder.path(), small_settings(), trainer);
  std::filesystem::remove_all(folder.path() / "weights");
  ASSERT_TRUE(run.games.push(random_game<G>(0)));
  run.games.close();
  const Result<void> learnt = run.loop->run();
  ASSERT_FALSE(learnt);
  EXPECT_NE(learnt.error().reason.find("weights"), std::string::npos);
  EXPECT_EQ(run.log.records(), 1u);
}

TEST(TrainingLoop, AStartCanBeSavedBeforeTheFirstGame) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  Stretch run(folder.path(), small_settings(), trainer);
  ASSERT_TRUE(run.loop->save());
  EXPECT_EQ(run.saved().games, 0u);
  EXPECT_TRUE(load_network(folder.path() / "weights" / "000000.safetensors"));
}

// A run that is stopped and gone on with learns what one without a pause learns, bit for bit.
TEST(TrainingLoop, ResumedIsAsIfNeverStopped) {
  use_single_threaded_blas();
  const auto trainer = [] {
    auto made = make_cpu_trainer(initial_network(small_spec(), 9),
                                 TrainingLoop<G>::batch_shape(small_settings()), {});
    made->warm_up();
    return made;
  };
  const TemporaryFolder whole_folder, parts_folder;
  const auto whole_trainer = trainer();
  Stretch whole(whole_folder.path(), small_settings(), *whole_trainer);
  whole.learn_one_by_one(0, 60);

  for (const std::uint64_t first : {0, 25, 45}) {
    const auto part_trainer = trainer();
    Stretch part(parts_folder.path(), small_settings(), *part_trainer);
    EXPECT_EQ(part.loop->next_game(), first);
    EXPECT_EQ(part.loop->progress().positions, positions_of(0, first));
    part.learn_one_by_one(first, first == 0 ? 25 : first == 25 ? 45 : 60);
  }
  const Checkpoint expected = whole.saved();
  const Result<Checkpoint> actual =
      load_checkpoint(parts_folder.path() / "checkpoint.safetensors", small_spec());
  ASSERT_TRUE(actual);
  EXPECT_EQ(actual->trainer.weights, expected.trainer.weights);
  EXPECT_EQ(actual->trainer.ema, expected.trainer.ema);
  EXPECT_EQ(actual->trainer.steps, expected.trainer.steps);
  EXPECT_EQ(actual->games, expected.games);
  EXPECT_EQ(actual->positions, expected.positions);
  EXPECT_EQ(actual->replay_begin, expected.replay_begin);
  EXPECT_EQ(actual->log_position, expected.log_position);
  EXPECT_EQ(actual->owed_steps, expected.owed_steps);
  EXPECT_GT(expected.replay_begin, 0u);  // the ring was full: older games have left
}

TEST(TrainingLoop, GamesBehindTheCheckpointCountAsNew) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  {
    Stretch run(folder.path(), small_settings(), trainer);
    run.learn(0, 20);
    for (std::uint64_t number = 25; number < 30; ++number) {  // a crash lost 20 to 24
      ASSERT_TRUE(run.log.append(random_game<G>(number)));
    }
  }
  CountingTrainer again;
  Stretch run(folder.path(), small_settings(), again);
  EXPECT_EQ(run.loop->next_game(), 30u);
  EXPECT_EQ(run.loop->progress().games, 25u);
  const std::uint64_t positions = positions_of(0, 20) + positions_of(25, 30);
  EXPECT_EQ(run.loop->progress().positions, positions);
  run.games.close();
  ASSERT_TRUE(run.loop->run());
  EXPECT_EQ(run.loop->progress().steps, positions * 2 / 8);
}

TEST(TrainingLoop, WithoutACheckpointEveryGameOfTheLogIsNew) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  {
    Stretch run(folder.path(), small_settings(), trainer);
    run.learn(0, 20);
  }
  std::filesystem::remove(folder.path() / "checkpoint.safetensors");
  CountingTrainer again;
  Stretch run(folder.path(), small_settings(), again);
  EXPECT_EQ(run.loop->next_game(), 20u);
  EXPECT_EQ(run.loop->progress().games, 20u);
  EXPECT_EQ(run.loop->progress().positions, positions_of(0, 20));
}

TEST(TrainingLoop, ALogThatLostItsEndIsGoneOnWith) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  std::uint64_t short_size = 0;
  {
    Stretch run(folder.path(), small_settings(), trainer);
    ASSERT_TRUE(run.log.append(random_game<G>(0)));
    short_size = run.log.size();
    run.learn(1, 20);
  }
  std::filesystem::resize_file(folder.path() / "games.senet", short_size + 3);
  Stretch run(folder.path(), small_settings(), trainer);
  EXPECT_EQ(run.loop->next_game(), 20u);  // numbers are never given twice
  run.learn(20, 25);
  EXPECT_EQ(run.loop->progress().games, 24u);
  EXPECT_EQ(run.log.records(), 6u);
}

}  // namespace
}  // namespace senet
