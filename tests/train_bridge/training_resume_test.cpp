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

// Which of them had been finished is unknown.
TEST(TrainingResume, NumbersOfALostLogAreNotPlayedAgain) {
  const TemporaryFolder folder;
  CountingTrainer trainer;
  {
    Stretch run(folder.path(), small_settings(), trainer);
    ASSERT_TRUE(run.games.push(random_game<G>(3)));  // 2 is in play
    run.learn(0, 2);
    EXPECT_EQ(run.saved().first_open, 2u);
    EXPECT_EQ(run.saved().next_game, 4u);
  }
  std::filesystem::remove(folder.path() / "games.senet");
  for (int i = 0; i < 2; ++i) {
    Stretch run(folder.path(), small_settings(), trainer);
    EXPECT_EQ(run.loop->next_game(), 4u);
    EXPECT_EQ(run.loop->first_open(), 4u);
    ASSERT_TRUE(run.loop->save());
  }
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
    short_size = run.log.position().value();
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

// A record that breaks the rules is a game without positions: the run continues, time and again.
TEST(TrainingResume, RecordsThatBreakTheRulesAreSkippedAndReported) {
  const TemporaryFolder folder;
  const auto file = folder.path() / kGrowingFile;
  CountingTrainer trainer;
  std::uint64_t first_at = 0;
  {
    Stretch run(folder.path(), small_settings(), trainer);
    run.learn(0, 20);
    first_at = run.log.position().offset();
    for (std::uint64_t number = 20; number < 24; ++number) {
      GameRecord game = random_game<G>(number);
      if (number % 2 == 0) game.end_cut(std::vector<float>{0, 1, 0});
      ASSERT_TRUE(run.log.append(game));
    }
  }
  const std::uint64_t positions = positions_of(0, 20) + positions_of(21, 22) + positions_of(23, 24);
  {
    CountingTrainer again;
    Stretch run(folder.path(), small_settings(), again);
    EXPECT_EQ(run.found.illegal.count, 2u);
    EXPECT_EQ(run.found.illegal.first_in, file);
    EXPECT_EQ(run.found.illegal.first_at, first_at);
    EXPECT_EQ(run.found.illegal.first_reason, "game 20: it was cut, but its moves end it");
    EXPECT_EQ(run.found.missing, 0u);
    EXPECT_EQ(run.loop->next_game(), 24u);
    EXPECT_EQ(run.loop->progress().games, 24u);
    EXPECT_EQ(run.loop->progress().positions, positions);
    run.learn(24, 30);
  }
  CountingTrainer third;
  Stretch run(folder.path(), small_settings(), third);
  EXPECT_EQ(run.found.missing, 0u);
  EXPECT_EQ(run.loop->progress().games, 30u);
  EXPECT_EQ(run.loop->progress().positions, positions + positions_of(24, 30));
}

// -- A log of many files.

LearnSettings segmented_settings(std::size_t replay_capacity) {
  LearnSettings settings = small_settings();
  settings.log_segment_mib = 0.002;  // about ten games
  settings.replay_capacity = replay_capacity;
  return settings;
}

/// Plays games 0 to 199 in several stretches.
void play_segments(const std::filesystem::path& folder, const LearnSettings& settings) {
  CountingTrainer trainer;
  for (std::uint64_t first = 0; first < 200; first += 40) {
    Stretch run(folder, settings, trainer);
    EXPECT_EQ(run.loop->next_game(), first);
    EXPECT_EQ(run.found.missing, 0u);
    EXPECT_EQ(run.loop->progress().games, first);
    run.learn(first, first + 40);
    EXPECT_EQ(run.warnings, std::vector<std::string>{});
  }
  EXPECT_GT(segments_in(folder).size(), 8u);
}

// The same games in one file and in many give the same trainer, bit for bit.
TEST(TrainingResume, ALogOfManyFilesIsLikeOneFile) {
  const TemporaryFolder one_folder, many_folder;
  const auto play = [](const std::filesystem::path& folder, double segment_mib) {
    LearnSettings settings = small_settings();
    settings.log_segment_mib = segment_mib;
    for (const std::uint64_t first : {0, 25, 45}) {
      const auto trainer = make_cpu_trainer(initial_network(small_spec(), 9),
                                            batch_shape(GameShape::of<G>(), settings), {});
      trainer->warm_up();
      Stretch part(folder, settings, *trainer);
      EXPECT_EQ(part.loop->next_game(), first);
      part.learn_one_by_one(first, first == 0 ? 25 : first == 25 ? 45 : 60);
    }
    return load_checkpoint(folder / "checkpoint.safetensors", small_spec());
  };
  const auto one = play(one_folder.path(), 0), many = play(many_folder.path(), 0.001);
  ASSERT_TRUE(one && many);
  EXPECT_EQ(segments_in(one_folder.path()).size(), 0u);
  EXPECT_GT(segments_in(many_folder.path()).size(), 4u);
  EXPECT_EQ(many->trainer.weights, one->trainer.weights);
  EXPECT_EQ(many->trainer.steps, one->trainer.steps);
  EXPECT_EQ(many->games, one->games);
  EXPECT_EQ(many->positions, one->positions);
  EXPECT_GT(LogPosition(many->replay_begin).number(), 1u);  // older files are not needed any more
}

/// Expects that the run knows all games of play_segments(), without a warning.
void expect_all_games(const Stretch& run) {
  EXPECT_EQ(run.log.warnings(), std::vector<std::string>{});
  EXPECT_EQ(run.found.unreadable, std::vector<std::string>{});
  EXPECT_EQ(run.found.missing, 0u);
  EXPECT_EQ(run.found.doubled, 0u);
  EXPECT_EQ(run.loop->next_game(), 200u);
  EXPECT_EQ(run.loop->progress().games, 200u);
}

// Closed files before the replay buffer's games are replaced by rubbish of the same size: who reads
// one of them fails.
TEST(TrainingResume, ReadsOnlyTheFilesThatItNeeds) {
  const TemporaryFolder folder;
  const LearnSettings settings = segmented_settings(100);
  play_segments(folder.path(), settings);
  CountingTrainer trainer;
  std::uint32_t needed = 0;
  {
    Stretch run(folder.path(), settings, trainer);
    needed = LogPosition(run.saved().replay_begin).number();
  }
  ASSERT_GT(needed, 4u);
  std::uint32_t spoiled = 0;
  for (const auto& [number, files] : segments_in(folder.path())) {
    if (number >= needed) break;
    const auto file = segment_file(folder.path(), number);
    write_file(file, std::vector<std::byte>(std::filesystem::file_size(file)));
    ++spoiled;
  }
  ASSERT_EQ(spoiled, needed - 1);
  {
    Stretch run(folder.path(), settings, trainer);
    expect_all_games(run);
    EXPECT_EQ(run.replay->size(), 100u);
  }
  // A needed file that cannot be read is reported, and its games still count.
  const auto file = segment_file(folder.path(), needed);
  write_file(file, std::vector<std::byte>(std::filesystem::file_size(file)));
  Stretch run(folder.path(), settings, trainer);
  ASSERT_EQ(run.found.unreadable.size(), 1u);
  EXPECT_NE(run.found.unreadable[0].find(file.filename().string()), std::string::npos);
  EXPECT_EQ(run.found.missing, 0u);
  EXPECT_EQ(run.loop->next_game(), 200u);
  EXPECT_LT(run.replay->size(), 100u);
}

TEST(TrainingResume, ClosedFilesMayBeMovedAway) {
  const TemporaryFolder folder;
  const LearnSettings settings = segmented_settings(5000);  // all of them are needed
  play_segments(folder.path(), settings);
  std::size_t samples = 0;
  {
    CountingTrainer trainer;
    Stretch run(folder.path(), settings, trainer);
    samples = run.replay->size();
  }
  for (const std::uint32_t number : {1, 2, 5}) {
    ASSERT_TRUE(std::filesystem::remove(segment_file(folder.path(), number)));
  }
  CountingTrainer trainer;
  Stretch run(folder.path(), settings, trainer);
  expect_all_games(run);
  EXPECT_LT(run.replay->size(), samples);
  EXPECT_GT(run.replay->size(), 0u);
  run.learn(200, 210);
  EXPECT_EQ(run.loop->progress().games, 210u);
}

// A checkpoint from before closed files existed: its positions are those of the first file.
TEST(TrainingResume, PositionsOfALogOfOneFileStayValid) {
  const TemporaryFolder folder;
  LearnSettings settings = segmented_settings(100);
  settings.log_segment_mib = 0;
  CountingTrainer trainer;
  std::uint64_t size = 0;
  {
    Stretch run(folder.path(), settings, trainer);
    run.learn(0, 40);
    size = std::filesystem::file_size(folder.path() / kGrowingFile);
    EXPECT_EQ(run.saved().log_position, size);
  }
  settings = segmented_settings(100);
  {
    Stretch run(folder.path(), settings, trainer);
    EXPECT_EQ(run.found.missing, 0u);
    for (std::uint64_t number = 40; number < 60; ++number) {  // behind the checkpoint
      ASSERT_TRUE(run.log.append(random_game<G>(number)));
    }
  }
  EXPECT_GE(std::filesystem::file_size(segment_file(folder.path(), 1)), size);
  Stretch run(folder.path(), settings, trainer);
  EXPECT_EQ(run.found.missing, 0u);
  EXPECT_EQ(run.loop->progress().games, 60u);
  EXPECT_EQ(run.loop->progress().positions, positions_of(0, 60));
}

}  // namespace
}  // namespace senet
