// The game log of a folder: closing files, their indexes, every crash in between, and its reader.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "selfplay/game_log.hpp"
#include "tests/selfplay/record_log_files.hpp"

namespace senet {
namespace {

constexpr GameLogSettings kSmall{.segment_bytes = 2000};

class GameLogTest : public ::testing::Test {
 protected:
  GameLog open_log(const GameLogSettings& settings = kSmall) const {
    auto log = GameLog::open(path_, "nim", settings);
    EXPECT_TRUE(log) << log.error().reason();
    return std::move(*log);
  }
  void append(GameLog& log, std::uint64_t first, std::uint64_t last) const {
    for (std::uint64_t number = first; number < last; ++number) {
      const auto appended = log.append(sample(number));
      EXPECT_TRUE(appended) << appended.error().reason();
    }
  }
  GameLogReader open_reader(std::uint64_t position = 0) const {
    auto reader = GameLogReader::open(path_, position);
    EXPECT_TRUE(reader) << reader.error().reason();
    return std::move(*reader);
  }
  static std::vector<std::uint64_t> read_on(GameLogReader& reader) {
    std::vector<std::uint64_t> found;
    for (GameRecord record;;) {
      const auto more = reader.next(record);
      EXPECT_TRUE(more) << more.error().reason();
      if (!more || !*more) return found;
      EXPECT_EQ(record, sample(record.game_number));
      found.push_back(record.game_number);
    }
  }
  std::vector<std::uint64_t> read_all() const {
    GameLogReader reader = open_reader();
    return read_on(reader);
  }
  /// The numbers in the indexes of the closed files.
  static SeenGames closed_games(const GameLog& log) {
    SeenGames seen;
    for (const LogSegment& segment : log.segments()) {
      for (const auto& [first, end] : segment.index.games.ranges()) seen.add(first, end);
    }
    return seen;
  }
  std::filesystem::path growing() const { return path_ / kGrowingFile; }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path();
};

TEST(SeenGames, RangesAreTheNumbersAddedOneByOne) {
  Random random(5, 0, 0, Purpose::kTest);
  for (int round = 0; round < 200; ++round) {
    SeenGames ranges, singles;
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t first = random.below(60), end = first + 1 + random.below(12);
      std::uint64_t fresh = 0;
      for (std::uint64_t number = first; number < end; ++number) {
        fresh += singles.add(number) ? 1 : 0;
      }
      ASSERT_EQ(ranges.add(first, end), fresh);
      ASSERT_EQ(ranges.ranges(), singles.ranges());
      ASSERT_EQ(ranges.count(), singles.count());
      ASSERT_EQ(ranges.missing(), singles.missing());
    }
  }
}

TEST(LogPosition, AscendsWithTheFilesAndIsAnOffsetInTheFirst) {
  EXPECT_EQ(LogPosition(1, 12345).value(), 12345u);
  EXPECT_LT(LogPosition(1, (std::uint64_t{1} << 48) - 1), LogPosition(2, 0));
  const LogPosition last(kMaxSegment, 77);
  EXPECT_EQ(LogPosition(last.value()).number(), kMaxSegment);
  EXPECT_EQ(LogPosition(last.value()).offset(), 77u);
}

TEST_F(GameLogTest, AFileThatIsTooLargeIsClosed) {
  GameLog log = open_log();
  LogPosition before;
  for (std::uint64_t number = 0; number < 100; ++number) {
    EXPECT_GT(log.position(), before);
    before = log.position();
    append(log, number, number + 1);
    EXPECT_LE(log.position().offset(), kSmall.segment_bytes);
    EXPECT_TRUE(log.is_in_place());
  }
  EXPECT_EQ(log.take_problem(), "");
  const auto files = segments_in(path_);
  ASSERT_GT(files.size(), 3u);
  EXPECT_EQ(log.number(), files.size() + 1);
  EXPECT_EQ(log.records(), 100u);
  std::uint64_t next = 0;
  for (const auto& [number, there] : files) {
    EXPECT_TRUE(there.log && there.index);
    const auto file = segment_file(path_, number);
    EXPECT_GT(std::filesystem::file_size(file), kSmall.segment_bytes);
    const auto index = load_index(index_file(path_, number));
    ASSERT_TRUE(index) << index.error().reason();
    const auto expected = index_of(file, "nim");
    ASSERT_TRUE(expected);
    EXPECT_EQ(*index, *expected);
    EXPECT_EQ(index->bytes, std::filesystem::file_size(file));
    ASSERT_EQ(index->games.ranges().size(), 1u);
    EXPECT_EQ(index->games.ranges().begin()->first, next);
    next = index->games.end();
  }
  EXPECT_EQ(read_all(), numbers(0, 100));
}

TEST_F(GameLogTest, WithoutALimitThereIsOneFile) {
  GameLog log = open_log({});
  append(log, 0, 100);
  EXPECT_EQ(segments_in(path_).size(), 0u);
  EXPECT_EQ(log.position().value(), std::filesystem::file_size(growing()));
}

TEST_F(GameLogTest, IsContinuedAfterItWasOpenedAgain) {
  for (std::uint64_t first = 0; first < 100; first += 7) {
    GameLog log = open_log();
    EXPECT_EQ(log.records(), first);
    EXPECT_EQ(log.warnings(), std::vector<std::string>{});
    append(log, first, first + 7);
  }
  EXPECT_EQ(read_all(), numbers(0, 105));
  for (const auto& [number, there] : segments_in(path_)) {
    const auto index = load_index(index_file(path_, number));
    const auto expected = index_of(segment_file(path_, number), "nim");
    ASSERT_TRUE(index && expected);
    EXPECT_EQ(*index, *expected);
  }
}

// Everything that a process killed while it closes a file can leave behind.
TEST_F(GameLogTest, EveryStateInBetweenIsContinued) {
  std::uint64_t count = 0;
  {
    GameLog log = open_log();
    while (segments_in(path_).size() < 2) append(log, count, count + 1), ++count;
  }
  const auto header = read_file(growing());
  const auto newest_index = index_file(path_, 2);
  const std::vector<std::function<void()>> crashes = {
      [&] { std::filesystem::rename(segment_file(path_, 2), growing()); },  // before all of it
      [&] { std::filesystem::remove(growing()); },                          // renamed
      [&] { write_file(growing(), std::vector<std::byte>{}); },             // the next one created
      [&] { write_file(growing(), std::span(header).first(5)); },           // its header begun
      [&] { write_file(growing(), header); },                               // no index yet
  };
  for (std::size_t i = 0; i < crashes.size(); ++i) {
    const TemporaryFolder copy;
    std::filesystem::copy(path_, copy.path(), std::filesystem::copy_options::recursive);
    std::filesystem::remove(newest_index);
    crashes[i]();
    {
      GameLog log = open_log();
      EXPECT_EQ(log.records(), count) << i;
      EXPECT_FALSE(log.recovery().created) << i;
      EXPECT_EQ(log.warnings(), std::vector<std::string>{}) << i;
      EXPECT_EQ(std::filesystem::exists(newest_index), i > 0);
      append(log, count, count + 40);
    }
    EXPECT_EQ(read_all(), numbers(0, count + 40)) << i;
    const auto index = load_index(newest_index);
    ASSERT_TRUE(index) << i;
    EXPECT_EQ(*index, *index_of(segment_file(path_, 2), "nim")) << i;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      std::filesystem::remove(entry);
    }
    std::filesystem::copy(copy.path(), path_, std::filesystem::copy_options::recursive);
  }
  // A growing file that a user removed is another matter.
  std::filesystem::remove(growing());
  EXPECT_TRUE(open_log().recovery().created);
}

TEST_F(GameLogTest, AKilledWriterLosesNoGame) {
  Random random(17, 0, 0, Purpose::kTest);
  std::uint64_t least = 0;
  for (int round = 0; round < 30; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(ends[0]);
      auto log = GameLog::open(path_, "nim", {.segment_bytes = 3000});
      if (!log || !log->warnings().empty()) ::_exit(1);
      for (;;) {
        if (!log->append(sample(log->records())) || !log->take_problem().empty()) ::_exit(1);
        const std::uint64_t records = log->records();
        if (::write(ends[1], &records, sizeof(records)) != sizeof(records)) ::_exit(1);
      }
    }
    ::close(ends[1]);
    std::uint64_t records = 0;
    for (int report = 0; report < 25; ++report) {  // about a file, even on a slow machine
      ASSERT_EQ(::read(ends[0], &records, sizeof(records)), static_cast<ssize_t>(sizeof(records)));
    }
    ::usleep(random.below(4000));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended before it was killed";
    least = records;
    while (::read(ends[0], &records, sizeof(records)) == sizeof(records)) least = records;
    ::close(ends[0]);
    const std::vector<std::uint64_t> there = read_all();
    ASSERT_GE(there.size(), least);
    ASSERT_LE(there.size(), least + 1);
    ASSERT_EQ(there, numbers(0, there.size()));
  }
  EXPECT_GT(segments_in(path_).size(), 20u);
  GameLog log = open_log();
  const SeenGames seen = closed_games(log);
  EXPECT_EQ(seen.ranges().size(), 1u);
  EXPECT_EQ(seen.count() + index_of(growing(), "nim")->records, log.records());
}

TEST_F(GameLogTest, AFileThatCannotBeClosedGrowsAndIsClosedLater) {
  GameLog log = open_log();
  const auto obstacle = segment_file(path_, 1);
  std::filesystem::create_directory(obstacle);
  append(log, 0, 30);
  EXPECT_NE(log.take_problem().find(obstacle.string() + ": is there already"), std::string::npos);
  EXPECT_EQ(log.take_problem(), "");
  EXPECT_EQ(log.number(), 1u);
  EXPECT_EQ(std::filesystem::file_size(growing()), log.position().offset());
  std::filesystem::remove(obstacle);
  append(log, 30, 60);
  EXPECT_EQ(log.take_problem(), "");
  EXPECT_GT(log.number(), 1u);
  EXPECT_EQ(read_all(), numbers(0, 60));
}

// Runs in its own process: the next file cannot be opened, as no descriptor is left. Returns the
// number of the failed check, 0 if none.
int run_out_of_descriptors(const std::filesystem::path& folder) {
  // When UndefinedBehaviorSanitizer first meets a class it opens a pipe, and without descriptors it
  // takes the object for a wrong one: this meets the classes of an error.
  if (GameLog::open("/dev/null/log", "nim", {})) return 10;
  auto log = GameLog::open(folder, "nim", {.segment_bytes = 2000});
  rlimit limit{};
  if (!log || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  const rlim_t before = std::exchange(limit.rlim_cur, 3);
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return 2;
  for (std::uint64_t number = 0; number < 30; ++number) {
    if (!log->append(sample(number))) return 3;
  }
  if (log->number() != 1 || !log->is_in_place()) return 4;
  if (log->take_problem().empty()) return 5;
  limit.rlim_cur = before;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return 6;
  for (std::uint64_t number = 30; number < 60; ++number) {
    if (!log->append(sample(number))) return 7;
  }
  if (log->number() == 1 || !log->take_problem().empty()) return 8;
  return log->flush() ? 0 : 9;
}

TEST_F(GameLogTest, WithoutANextFileTheOldOneReturns) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(run_out_of_descriptors(path_));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(read_all(), numbers(0, 60));
}

TEST_F(GameLogTest, DamagedIndexesAreMadeAgainFromTheFiles) {
  {
    GameLog log = open_log();
    append(log, 0, 100);
  }
  const auto file = index_file(path_, 2);
  const auto good = read_file(file);
  std::filesystem::remove(index_file(path_, 1));
  for (std::size_t place = 0; place < good.size(); place += 5) {
    auto bytes = good;
    bytes[place] ^= std::byte{1};
    write_file(file, bytes);
    GameLog log = open_log();
    ASSERT_EQ(log.warnings().size(), 1u) << place;
    EXPECT_TRUE(log.warnings()[0].starts_with(file.string() + ": ")) << log.warnings()[0];
    EXPECT_EQ(log.records(), 100u);
    EXPECT_EQ(read_file(file), good);
  }
  for (std::size_t size = 0; size < good.size(); size += 9) {
    write_file(file, std::span(good).first(size));
    EXPECT_EQ(open_log().warnings().size(), 1u) << size;
  }
  // A file that changed is read again, too.
  const auto log_file = segment_file(path_, 3);
  auto bytes = read_file(log_file);
  const auto index = load_index(index_file(path_, 3));
  ASSERT_TRUE(index);
  const std::uint64_t lost = index->games.end() - 1;
  bytes.resize(bytes.size() - 1);
  write_file(log_file, bytes);
  GameLog log = open_log();
  EXPECT_EQ(log.warnings().size(), 1u);
  EXPECT_EQ(log.records(), 99u);
  EXPECT_EQ(closed_games(log).missing(), lost + 1 == closed_games(log).end() ? 0u : 1u);
}

TEST_F(GameLogTest, FilesThatWereMovedAwayAreKnownByTheirIndexes) {
  std::uint32_t number = 0;
  {
    GameLog log = open_log();
    append(log, 0, 100);
    number = log.number();
  }
  for (const auto& [closed, there] : segments_in(path_)) {
    std::filesystem::remove(segment_file(path_, closed));
  }
  GameLog log = open_log();
  EXPECT_EQ(log.number(), number);
  EXPECT_EQ(log.warnings(), std::vector<std::string>{});
  EXPECT_EQ(log.records(), 100u);
  EXPECT_EQ(closed_games(log).ranges().size(), 1u);
  EXPECT_EQ(closed_games(log).end(), load_index(index_file(path_, number - 1))->games.end());
}

TEST_F(GameLogTest, TheNextFileIsLockedToo) {
  GameLog log = open_log();
  append(log, 0, 40);
  ASSERT_GT(log.number(), 1u);
  const auto second = RecordLog::open(growing(), "nim", {});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().reason().find("another writer"), std::string::npos);
  std::filesystem::remove(growing());
  EXPECT_FALSE(log.is_in_place());
  EXPECT_FALSE(log.append(sample(40)));
  EXPECT_TRUE(std::filesystem::exists(growing().string() + ".removed"));
}

// The reader is asked after every game, and only once in a while.
TEST_F(GameLogTest, AReaderFollowsTheWriter) {
  for (const std::uint64_t pause : {1, 7, 33}) {
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      std::filesystem::remove(entry);
    }
    GameLog log = open_log();
    GameLogReader reader = open_reader();
    std::vector<std::uint64_t> found;
    for (std::uint64_t number = 0; number < 99; ++number) {
      append(log, number, number + 1);
      if (number % pause != pause - 1) continue;
      const auto more = read_on(reader);
      found.insert(found.end(), more.begin(), more.end());
      EXPECT_EQ(found, numbers(0, number + 1));
    }
    EXPECT_GT(log.number(), 3u);
    read_on(reader);
    EXPECT_EQ(reader.position(), log.position().value());
    EXPECT_EQ(reader.skipped_bytes(), 0u);
  }
}

TEST_F(GameLogTest, AReaderBeginsAtAnyPosition) {
  GameLog log = open_log();
  append(log, 0, 60);
  GameLogReader reader = open_reader();
  GameRecord record;
  for (std::uint64_t number = 0; number <= 60; ++number) {
    GameLogReader later = open_reader(reader.position());
    EXPECT_EQ(read_on(later), numbers(number, 60));
    EXPECT_EQ(*reader.next(record), number < 60);
  }
  EXPECT_FALSE(GameLogReader::open(path_, LogPosition(log.number() + 1, 0).value()));
  // One file is one file.
  auto one = GameLogReader::open(segment_file(path_, 2));
  ASSERT_TRUE(one);
  EXPECT_EQ(read_on(*one).size(), load_index(index_file(path_, 2))->records);
}

TEST_F(GameLogTest, AReaderCountsTheDamageOfAllFiles) {
  {
    GameLog log = open_log();
    append(log, 0, 60);
  }
  for (const std::uint32_t number : {1u, 2u}) {
    auto bytes = read_file(segment_file(path_, number));
    bytes.resize(bytes.size() - 3);
    bytes[bytes.size() / 2] ^= std::byte{1};
    write_file(segment_file(path_, number), bytes);
  }
  GameLogReader reader = open_reader();
  EXPECT_EQ(read_on(reader).size(), 56u);
  EXPECT_EQ(reader.skipped_places(), 4u);
}

TEST_F(GameLogTest, FilesOfOtherNamesAreNoneOfIt) {
  for (const char* name :
       {"games.1.senet", "games.0000001.senet", "games.00000a.senet", "games.000000.senet",
        "games.000001.senet.removed", "games.4294967297.senet", "games.000001.indexes",
        "agames.000001.senet"}) {
    write_file(path_ / name, std::vector<std::byte>{});
  }
  EXPECT_EQ(segments_in(path_).size(), 0u);
  GameLog log = open_log();
  EXPECT_EQ(log.number(), 1u);
  EXPECT_TRUE(is_index_name("games.000001.index"));
  EXPECT_FALSE(is_index_name("games.000001.senet"));
}

}  // namespace
}  // namespace senet
