// Resuming a run from its checkpoint and its log, as if it had never stopped.
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "selfplay/record_codec.hpp"
#include "selfplay/record_frame.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/train_bridge/training_run.hpp"

namespace senet {
namespace {

using G = TicTacToe;

// A stopped and resumed run gives the same result as an uninterrupted one, bit for bit.
TEST(TrainingResume, ResumedIsAsIfNeverStopped) {
  const auto trainer = [] {
    auto made = make_cpu_trainer(initial_network(small_spec(), 9),
                                 batch_shape(GameShape::of<G>(), small_settings()), {});
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
  EXPECT_GT(expected.replay_begin, 0u);  // the ring was full: older games were dropped
}

TEST(TrainingResume, GamesBehindTheCheckpointCountAsNew) {
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

TEST(TrainingResume, WithoutACheckpointEveryGameOfTheLogIsNew) {
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

TEST(TrainingResume, ALogThatLostItsEndIsGoneOnWith) {
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
  EXPECT_EQ(run.loop->next_game(), 20u);  // numbers are never reused
  EXPECT_EQ(run.found.missing, 18u);      // the checkpoint counts game 0 as one of its 19
  run.learn(20, 25);
  EXPECT_EQ(run.loop->progress().games, 24u);
  EXPECT_EQ(run.log.records(), 6u);
}

/// Where each record of a log begins, and the end of the last.
std::vector<std::uint64_t> ends_of(const std::filesystem::path& log) {
  auto reader = RecordReader::open(log);
  EXPECT_TRUE(reader) << reader.error().reason();
  std::vector<std::uint64_t> ends = {reader->position()};
  for (GameRecord record; *reader->next(record);) ends.push_back(reader->position());
  return ends;
}

// A record with a right checksum that cannot be decoded does not end the run.
TEST(TrainingResume, UndecodableRecordsAreSkippedAndReported) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "games.senet";
  CountingTrainer trainer;
  {
    Stretch run(folder.path(), small_settings(), trainer);
    run.learn(0, 20);
  }
  auto bytes = read_file(file);
  const std::uint64_t first_at = bytes.size();
  std::vector<std::byte> payload, frame;
  ASSERT_TRUE(encode(random_game<G>(20), payload));
  payload[0] = std::byte{99};  // the version
  for (int i = 0; i < 2; ++i) {
    FramePacker(0).pack(payload, frame);
    bytes.insert(bytes.end(), frame.begin(), frame.end());
  }
  write_file(file, bytes);
  CountingTrainer again;
  Stretch run(folder.path(), small_settings(), again);
  EXPECT_EQ(run.found.undecodable.count, 2u);
  EXPECT_EQ(run.found.undecodable.first_at, first_at);
  EXPECT_EQ(run.found.undecodable.first_reason, "record payload, byte 1: version 99 is not 1 to 2");
  EXPECT_EQ(run.found.doubled, 0u);
  EXPECT_EQ(run.found.missing, 0u);
  EXPECT_EQ(run.loop->next_game(), 20u);
  run.learn(20, 25);
  EXPECT_EQ(run.loop->progress().games, 25u);
}

// Wherever it occurs a second time, in what the checkpoint covers or behind it.
TEST(TrainingResume, ADoubledGameIsTrainedOnOnce) {
  for (const std::size_t first : {0, 10, 18, 22}) {
    for (const bool at_end : {false, true}) {
      const TemporaryFolder folder;
      const auto file = folder.path() / "games.senet";
      CountingTrainer trainer;
      {
        Stretch run(folder.path(), small_settings(), trainer);
        run.learn(0, 20);
        for (std::uint64_t number = 20; number < 25; ++number) {  // after the checkpoint
          ASSERT_TRUE(run.log.append(random_game<G>(number)));
        }
      }
      const auto ends = ends_of(file);
      auto bytes = read_file(file);
      const std::vector<std::byte> two(
          bytes.begin() + static_cast<std::ptrdiff_t>(ends[first]),
          bytes.begin() + static_cast<std::ptrdiff_t>(ends[first + 2]));
      const std::uint64_t place = at_end ? bytes.size() : ends[first + 2];
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(place), two.begin(), two.end());
      write_file(file, bytes);
      CountingTrainer again;
      {
        Stretch run(folder.path(), small_settings(), again);
        EXPECT_EQ(run.found.doubled, 2u);
        EXPECT_EQ(run.found.missing, 0u);
        EXPECT_EQ(run.loop->next_game(), 25u);
        EXPECT_EQ(run.loop->progress().games, 25u);
        EXPECT_EQ(run.loop->progress().positions, positions_of(0, 25));
        EXPECT_LE(run.replay->added(), positions_of(0, 25));
        run.games.close();
        ASSERT_TRUE(run.loop->run());
      }
      // From then on, all is as if nothing had happened; the records remain in the log.
      CountingTrainer third;
      Stretch next(folder.path(), small_settings(), third);
      EXPECT_EQ(next.found.doubled, 2u);
      EXPECT_EQ(next.loop->progress().games, 25u);
    }
  }
}

TEST(TrainingResume, GamesThatWereCutOutAreReportedAndNoOtherCountsTwice) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "games.senet";
  CountingTrainer trainer;
  {
    Stretch run(folder.path(), small_settings(), trainer);
    run.learn(0, 20);
    for (std::uint64_t number = 20; number < 25; ++number) {
      ASSERT_TRUE(run.log.append(random_game<G>(number)));
    }
  }
  const auto ends = ends_of(file);
  auto bytes = read_file(file);
  bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(ends[15]),
              bytes.begin() + static_cast<std::ptrdiff_t>(ends[18]));
  write_file(file, bytes);
  CountingTrainer again;
  Stretch run(folder.path(), small_settings(), again);
  EXPECT_EQ(run.found.missing, 3u);
  EXPECT_EQ(run.found.doubled, 0u);
  EXPECT_EQ(run.loop->next_game(), 25u);
  EXPECT_EQ(run.loop->progress().games, 25u);
  EXPECT_EQ(run.loop->progress().positions, positions_of(0, 25));
}

TEST(TrainingResume, AGameThatIsNoneEndsItWithAReason) {
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
  const std::unique_ptr<Replay> replay = make_replay<G>(settings);
  TrainingLoop loop({.settings = settings,
                     .replay = *replay,
                     .trainer = trainer,
                     .log = *log,
                     .games = games,
                     .models = models,
                     .seed = 3,
                     .folder = folder.path()},
                    Checkpoint{});
  const Result<RefillReport> refilled = loop.refill(folder.path() / "games.senet");
  ASSERT_FALSE(refilled);
  EXPECT_NE(refilled.error().reason().find("games.senet: game 5"), std::string::npos)
      << refilled.error().reason();
}

}  // namespace
}  // namespace senet
