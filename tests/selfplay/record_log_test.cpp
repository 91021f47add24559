// Normal use of the game log: appended records are read back by readers opened before, during and
// after writing.
#include "selfplay/record_log.hpp"

#include <gtest/gtest.h>

#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "games/random.hpp"
#include "selfplay/seen_games.hpp"
#include "tests/selfplay/record_log_files.hpp"

namespace senet {
namespace {

TEST_F(RecordLogTest, ReadsWhatWasAppended) {
  for (const int level : {0, 1, 19}) {
    const auto path = folder_.path() / std::to_string(level);
    auto log = open_log(path, {.sync_every = 7, .compression_level = level});
    EXPECT_TRUE(log.recovery().created);
    append_samples(log, 0, 50);
    EXPECT_EQ(log.records(), 50u);
    EXPECT_TRUE(log.flush());
    auto reader = open_reader(path);
    EXPECT_EQ(reader.game(), "nim");
    EXPECT_FALSE(reader.header_damaged());
    EXPECT_EQ(read_all(reader), numbers(0, 50));
    EXPECT_EQ(reader.position(), log.size());
    EXPECT_EQ(reader.skipped_bytes(), 0u);
    EXPECT_EQ(*reader.bytes_left(), 0u);
  }
}

TEST_F(RecordLogTest, GoesOnWhereItStopped) {
  std::uint64_t size = 0;
  for (std::uint64_t round = 0; round < 5; ++round) {
    auto log = open_log(path_);
    EXPECT_EQ(log.recovery().created, round == 0);
    EXPECT_EQ(log.records(), round * 4);
    EXPECT_EQ(log.recovery().moved_bytes, 0u);
    if (round > 0) {
      EXPECT_EQ(log.size(), size);
    }
    append_samples(log, round * 4, round * 4 + 4);
    size = log.size();
  }
  auto reader = open_reader(path_);
  EXPECT_EQ(read_all(reader), numbers(0, 20));
}

TEST_F(RecordLogTest, AReaderFollowsAGrowingLog) {
  auto log = open_log(path_);
  auto reader = open_reader(path_);
  EXPECT_TRUE(read_all(reader).empty());
  for (std::uint64_t round = 0; round < 30; ++round) {
    append_samples(log, 3 * round, 3 * round + 3);
    EXPECT_EQ(read_all(reader), numbers(3 * round, 3 * round + 3));
  }
  EXPECT_EQ(reader.skipped_bytes(), 0u);
}

// The file as seen by a reader while a frame is being written, byte by byte.
TEST_F(RecordLogTest, AReaderWaitsForAHalfWrittenRecord) {
  {
    auto log = open_log(path_);
    append_samples(log, 0, 3);
  }
  const auto whole = read_file(path_);
  const auto growing = folder_.path() / "growing";
  write_file(growing, std::span(whole).first(file_header("nim").size()));
  auto reader = open_reader(growing);
  std::vector<std::uint64_t> seen;
  for (std::size_t size = file_header("nim").size(); size <= whole.size(); ++size) {
    write_file(growing, std::span(whole).first(size));
    for (const std::uint64_t number : read_all(reader)) seen.push_back(number);
  }
  EXPECT_EQ(seen, numbers(0, 3));
  EXPECT_EQ(reader.skipped_bytes(), 0u);
}

// A reader on another thread, as fast as possible, while records of all sizes are appended.
TEST_F(RecordLogTest, AReaderNeverTakesAnUnfinishedRecordForDamage) {
  constexpr std::uint64_t kRecords = 3000;
  const auto big_or_small = [](std::uint64_t number) {
    return random_record("nim", number, number % 10 == 0 ? 600 : 6);
  };
  auto log = open_log(path_);
  std::thread writer([&] {
    for (std::uint64_t number = 0; number < kRecords; ++number) {
      ASSERT_TRUE(log.append(big_or_small(number)));
    }
  });
  auto reader = open_reader(path_);
  GameRecord record;
  std::uint64_t read = 0;
  while (read < kRecords) {
    const auto found = reader.next(record);
    if (!found || reader.skipped_bytes() > 0) break;
    if (!*found) continue;
    if (record.game_number != read) break;
    ++read;
  }
  writer.join();
  EXPECT_EQ(read, kRecords);
  EXPECT_EQ(reader.skipped_bytes(), 0u);
}

TEST_F(RecordLogTest, AReaderStartsAnywhere) {
  auto log = open_log(path_);
  const auto ends = append_samples(log, 0, 12);
  for (std::size_t first = 0; first < ends.size(); ++first) {
    auto reader = open_reader(path_, ends[first]);
    EXPECT_EQ(read_all(reader), numbers(first, 12));
    EXPECT_EQ(reader.skipped_bytes(), 0u);
  }
  auto reader = open_reader(path_, ends[4] + 1);
  EXPECT_EQ(read_all(reader), numbers(5, 12));
  EXPECT_EQ(reader.skipped_bytes(), ends[5] - ends[4] - 1);
  auto beyond = open_reader(path_, log.size() + 1);
  GameRecord record;
  EXPECT_FALSE(beyond.next(record));
}

TEST_F(RecordLogTest, HasOneWriterAtATime) {
  auto log = open_log(path_);
  append_samples(log, 0, 2);
  const auto second = RecordLog::open(path_, "nim", {});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().reason().find("another writer"), std::string::npos);
  append_samples(log, 2, 4);
  { const RecordLog moved = std::move(log); }
  EXPECT_EQ(open_log(path_).records(), 4u);
}

// A file without its name ends with the process: nothing more is written to it, and what it has is
// copied.
TEST_F(RecordLogTest, ARemovedLogIsNoticedAndItsGamesAreKept) {
  auto log = open_log(path_);
  append_samples(log, 0, 5);
  const auto whole = read_file(path_);
  EXPECT_TRUE(log.is_in_place());
  std::filesystem::remove(path_);
  EXPECT_FALSE(log.is_in_place());
  const auto side = path_.string() + ".removed";
  const std::string reason = path_.string() +
                             ": the log was removed while it was being written; its games are now "
                             "in " +
                             side;
  for (int i = 0; i < 3; ++i) {
    const auto appended = log.append(sample(5));
    ASSERT_FALSE(appended);
    EXPECT_EQ(appended.error().reason(), reason);
    const auto flushed = log.flush();
    ASSERT_FALSE(flushed);
    EXPECT_EQ(flushed.error().reason(), reason);
  }
  EXPECT_EQ(folder_.files(), 1);
  EXPECT_EQ(read_file(side), whole);
  auto reader = open_reader(side);
  EXPECT_EQ(read_all(reader), numbers(0, 5));
}

TEST_F(RecordLogTest, AReplacedOrMovedLogIsNoticed) {
  for (const bool is_replaced : {false, true}) {
    const auto path = folder_.path() / (is_replaced ? "replaced" : "moved");
    auto log = open_log(path);
    append_samples(log, 0, 5);
    const auto elsewhere = path.string() + "-elsewhere";
    std::filesystem::rename(path, elsewhere);
    if (is_replaced) std::filesystem::copy_file(elsewhere, path);
    EXPECT_FALSE(log.is_in_place());
    const auto appended = log.append(sample(5));
    ASSERT_FALSE(appended);
    EXPECT_NE(appended.error().reason().find("moved or replaced"), std::string::npos);
    auto reader = open_reader(elsewhere);
    EXPECT_EQ(read_all(reader), numbers(0, 5));
    EXPECT_FALSE(std::filesystem::exists(path.string() + ".removed"));
  }
}

TEST(SeenGames, FindsWhatOccursTwiceAndWhatIsMissing) {
  SeenGames seen;
  EXPECT_EQ(seen.missing(), 0u);
  for (const std::uint64_t number : {4, 6, 5, 9, 3, 8}) EXPECT_TRUE(seen.add(number)) << number;
  EXPECT_EQ(seen.count(), 6u);
  EXPECT_EQ(seen.missing(), 1u);
  for (const std::uint64_t number : {3, 4, 5, 6, 8, 9}) EXPECT_FALSE(seen.add(number)) << number;
  EXPECT_TRUE(seen.add(7));
  EXPECT_TRUE(seen.add(GameRecord::kMaxGameNumber));
  EXPECT_FALSE(seen.add(GameRecord::kMaxGameNumber));
  EXPECT_EQ(seen.count(), 8u);
  EXPECT_EQ(seen.missing(), GameRecord::kMaxGameNumber - 3 + 1 - 8);
}

// Any order against a plain set.
TEST(SeenGames, AgreesWithASet) {
  Random random(5, 0, 0, Purpose::kTest);
  SeenGames seen;
  std::set<std::uint64_t> expected;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t number = static_cast<std::uint32_t>(i) / 2 + random.below(500);
    ASSERT_EQ(seen.add(number), expected.insert(number).second);
  }
  EXPECT_EQ(seen.count(), expected.size());
  EXPECT_EQ(seen.missing(), *expected.rbegin() - *expected.begin() + 1 - expected.size());
}

// Games that never come do not take up memory for ever: the oldest gaps are closed.
TEST(SeenGames, ForgetsTheOldestGaps) {
  SeenGames seen;
  for (std::uint64_t i = 0; i < SeenGames::kMostRanges; ++i) ASSERT_TRUE(seen.add(2 * i));
  EXPECT_TRUE(seen.add(3));  // a gap in the middle: there is one range less
  EXPECT_TRUE(seen.add(2 * SeenGames::kMostRanges));
  EXPECT_TRUE(seen.add(2 * SeenGames::kMostRanges + 2));
  EXPECT_FALSE(seen.add(1));  // closed
  EXPECT_TRUE(seen.add(5));
  EXPECT_EQ(seen.count(), SeenGames::kMostRanges + 4);
}

TEST_F(RecordLogTest, RefusesRecordsThatDoNotBelong) {
  auto log = open_log(path_);
  append_samples(log, 0, 2);
  EXPECT_FALSE(log.append(random_record("chess", 2)));
  GameRecord unfinished;
  unfinished.game = "nim";
  unfinished.outcomes = 2;
  EXPECT_FALSE(log.append(unfinished));
  append_samples(log, 2, 4);
  auto reader = open_reader(path_);
  EXPECT_EQ(read_all(reader), numbers(0, 4));
}

TEST_F(RecordLogTest, RefusesFilesThatAreNoLogOfTheGame) {
  const auto refused_untouched = [&](std::string_view game) {
    const auto before = read_file(path_);
    const bool refused = !RecordLog::open(path_, game, {});
    return refused && read_file(path_) == before && folder_.files() == 1;
  };
  { auto log = open_log(path_); }
  EXPECT_TRUE(refused_untouched("chess"));
  EXPECT_TRUE(refused_untouched("ni"));
  const std::string_view letter = "Dear reader, this is a text and not a log of any games.";
  for (const std::size_t size : {std::size_t{1}, std::size_t{10}, letter.size()}) {
    write_file(path_, std::as_bytes(std::span(letter.substr(0, size))));
    EXPECT_TRUE(refused_untouched("nim"));
    EXPECT_FALSE(RecordReader::open(path_));
  }
  EXPECT_FALSE(RecordLog::open(folder_.path(), "nim", {}));
  EXPECT_FALSE(RecordReader::open(folder_.path()));
  EXPECT_FALSE(RecordLog::open(folder_.path() / "missing" / "log", "nim", {}));
  EXPECT_FALSE(RecordReader::open(folder_.path() / "missing"));
}

}  // namespace
}  // namespace senet
