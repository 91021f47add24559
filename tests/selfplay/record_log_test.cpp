// The log of game records: what was appended is read again; damage is found, reported and never
// read.
#include "selfplay/record_log.hpp"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "selfplay/record_codec.hpp"
#include "selfplay/record_frame.hpp"
#include "tests/selfplay/record_samples.hpp"
#include "tests/temporary_folder.hpp"

namespace senet {
namespace {

RecordLog open_log(const std::filesystem::path& path, const RecordLogSettings& settings = {}) {
  auto log = RecordLog::open(path, "nim", settings);
  EXPECT_TRUE(log) << log.error().reason;
  return std::move(*log);
}

RecordReader open_reader(const std::filesystem::path& path, std::uint64_t position = 0) {
  auto reader = RecordReader::open(path, position);
  EXPECT_TRUE(reader) << reader.error().reason;
  return std::move(*reader);
}

GameRecord sample(std::uint64_t number) { return random_record("nim", number, 6); }

/// Appends samples first .. last - 1; returns where each of them ends, after the log's size before.
std::vector<std::uint64_t> append_samples(RecordLog& log, std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> ends = {log.size()};
  for (std::uint64_t number = first; number < last; ++number) {
    const auto appended = log.append(sample(number));
    EXPECT_TRUE(appended) << appended.error().reason;
    ends.push_back(log.size());
  }
  return ends;
}

/// The numbers of all records that can be read, each compared with the sample of that number.
std::vector<std::uint64_t> read_all(RecordReader& reader) {
  std::vector<std::uint64_t> numbers;
  GameRecord record;
  for (;;) {
    const auto found = reader.next(record);
    EXPECT_TRUE(found) << found.error().reason;
    if (!found || !*found) return numbers;
    EXPECT_EQ(record, sample(record.game_number));
    numbers.push_back(record.game_number);
  }
}

std::vector<std::uint64_t> numbers(std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> list;
  for (std::uint64_t number = first; number < last; ++number) list.push_back(number);
  return list;
}

class RecordLogTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "games.log";
};

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
    EXPECT_EQ(log.recovery().records, round * 4);
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

// The file as a reader may see it while a frame is being written, byte by byte.
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

// A reader on another thread, as fast as it can, while records of all sizes are appended.
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
  EXPECT_NE(second.error().reason.find("another writer"), std::string::npos);
  append_samples(log, 2, 4);
  { const RecordLog moved = std::move(log); }
  EXPECT_EQ(open_log(path_).records(), 4u);
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

// A crash at any byte: every whole record is kept, the rest is set aside and told, the log goes on.
TEST_F(RecordLogTest, RecoversFromEveryTruncation) {
  std::vector<std::uint64_t> ends;
  {
    auto log = open_log(path_);
    ends = append_samples(log, 0, 5);
  }
  const auto whole = read_file(path_);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "log";
    write_file(path, std::span(whole).first(size));
    std::uint64_t kept = 0, good = 0;  // records, and bytes up to the end of the last of them
    for (std::size_t i = 0; i < ends.size() && ends[i] <= size; ++i) kept = i, good = ends[i];
    {
      auto log = open_log(path);
      const RecoveryReport& report = log.recovery();
      ASSERT_EQ(report.records, kept) << "cut to " << size;
      ASSERT_EQ(report.created, size < ends[0]);
      ASSERT_EQ(report.damaged_bytes, 0u);
      ASSERT_EQ(report.moved_bytes, size - good);
      ASSERT_EQ(report.moved_to.empty(), size == good);
      if (size > good) {
        ASSERT_EQ(report.moved_to, path.string() + ".damaged-" + std::to_string(good));
        const auto moved = read_file(report.moved_to);
        ASSERT_TRUE(std::ranges::equal(moved, std::span(whole).first(size).subspan(good)));
      }
      append_samples(log, 10, 12);
    }
    auto expected = numbers(0, kept);
    expected.push_back(10);
    expected.push_back(11);
    auto reader = open_reader(path);
    ASSERT_EQ(read_all(reader), expected);
    ASSERT_EQ(reader.skipped_bytes(), 0u);
  }
}

TEST_F(RecordLogTest, NeverOverwritesASideFile) {
  {
    auto log = open_log(path_);
    append_samples(log, 0, 3);
  }
  std::set<std::filesystem::path> moved;
  for (int round = 0; round < 3; ++round) {
    auto bytes = read_file(path_);
    bytes.resize(bytes.size() + 5);
    write_file(path_, bytes);
    moved.insert(open_log(path_).recovery().moved_to);
  }
  EXPECT_EQ(moved.size(), 3u);
  for (const auto& file : moved) EXPECT_EQ(read_file(file).size(), 5u);
}

TEST_F(RecordLogTest, FindsDamageInTheMiddleAndGoesOn) {
  std::vector<std::uint64_t> ends;
  {
    auto log = open_log(path_);
    ends = append_samples(log, 0, 10);
  }
  auto bytes = read_file(path_);
  bytes[ends[3] + 20] ^= std::byte{1};  // in record 3
  bytes[ends[6]] ^= std::byte{1};       // in the magic of record 6
  bytes[ends[7] + 6] ^= std::byte{1};   // in the length of record 7, now beyond the end of the file
  write_file(path_, bytes);
  const std::uint64_t damaged = ends[4] - ends[3] + ends[8] - ends[6];

  auto log = open_log(path_);
  EXPECT_EQ(log.recovery().records, 7u);
  EXPECT_EQ(log.recovery().damaged_bytes, damaged);
  EXPECT_EQ(log.recovery().damaged_places, 2u);
  EXPECT_EQ(log.recovery().moved_bytes, 0u);
  append_samples(log, 10, 12);
  auto reader = open_reader(path_);
  EXPECT_EQ(read_all(reader), (std::vector<std::uint64_t>{0, 1, 2, 4, 5, 8, 9, 10, 11}));
  EXPECT_EQ(reader.skipped_bytes(), damaged);
  EXPECT_EQ(reader.skipped_places(), 2u);
}

// A record whose text holds a whole frame and many frame magics must not be taken for several
// records.
TEST_F(RecordLogTest, FramesInsideRecordsAreNotRecords) {
  std::vector<std::byte> payload, frame;
  ASSERT_TRUE(encode(sample(1), payload));
  FramePacker(0).pack(payload, frame);
  GameRecord record = sample(2);
  record.settings.assign(reinterpret_cast<const char*>(frame.data()), frame.size());
  for (int i = 0; i < 100; ++i) record.settings += "SGR\x1aSG";
  auto log = open_log(path_, {.compression_level = 0});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(log.append(record));
  auto reader = open_reader(path_);
  GameRecord read;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(*reader.next(read));
    EXPECT_EQ(read, record);
  }
  EXPECT_FALSE(*reader.next(read));
}

TEST_F(RecordLogTest, ADamagedFileHeaderCostsTheReaderNothing) {
  {
    auto log = open_log(path_);
    append_samples(log, 0, 5);
  }
  const auto whole = read_file(path_);
  for (std::size_t at = 0; at < file_header("nim").size(); ++at) {
    auto bytes = whole;
    bytes[at] ^= std::byte{0x10};
    write_file(path_, bytes);
    auto reader = open_reader(path_);
    EXPECT_TRUE(reader.header_damaged());
    EXPECT_EQ(read_all(reader), numbers(0, 5));
    EXPECT_FALSE(RecordLog::open(path_, "nim", {}));  // nobody writes on into a log like this
    EXPECT_EQ(read_file(path_), bytes);
  }
}

TEST_F(RecordLogTest, ANewerVersionIsToldAndNotTakenForDamage) {
  auto header = file_header("nim");
  header[8] = std::byte{kLogVersion + 1};
  std::uint64_t checksum = XXH3_64bits(header.data(), header.size() - 8);
  for (std::size_t i = 0; i < 8; ++i, checksum >>= 8) {
    header[header.size() - 8 + i] = static_cast<std::byte>(checksum);
  }
  write_file(path_, header);
  const auto reader = RecordReader::open(path_);
  ASSERT_FALSE(reader);
  EXPECT_NE(reader.error().reason.find("version"), std::string::npos);
  EXPECT_FALSE(RecordLog::open(path_, "nim", {}));
}

// Whole frames that hold no record we can read: each is told as an error, and the next record is
// read.
TEST_F(RecordLogTest, UndecodableRecordsAreErrorsAndArePassed) {
  {
    auto log = open_log(path_);
    append_samples(log, 0, 1);
  }
  std::vector<std::byte> payload, newer, uncompressible, good;
  ASSERT_TRUE(encode(sample(1), payload));
  FramePacker(0).pack(payload, good);
  payload[0] = std::byte{kPayloadVersion + 1};
  FramePacker(1).pack(payload, newer);
  // Plain bytes that claim to be compressed, under a checksum that is right.
  FramePacker(0).pack(payload, uncompressible);
  uncompressible[7] |= std::byte{0x80};
  const std::uint64_t seed = payload.size() | 0x80000000u;
  std::uint64_t checksum = XXH3_64bits_withSeed(payload.data(), payload.size(), seed);
  for (std::size_t i = 0; i < 8; ++i, checksum >>= 8) {
    uncompressible[8 + i] = static_cast<std::byte>(checksum);
  }
  auto bytes = read_file(path_);
  for (const auto& frame : {newer, uncompressible, good}) {
    bytes.insert(bytes.end(), frame.begin(), frame.end());
  }
  write_file(path_, bytes);
  auto reader = open_reader(path_);
  GameRecord record;
  EXPECT_TRUE(*reader.next(record));
  EXPECT_FALSE(reader.next(record));
  EXPECT_FALSE(reader.next(record));
  EXPECT_TRUE(*reader.next(record));
  EXPECT_EQ(record, sample(1));
  EXPECT_FALSE(*reader.next(record));
  EXPECT_EQ(reader.skipped_bytes(), 0u);
}

// Thousands of flipped bits, moved blocks and zeroed stretches: what is read was written, and in
// its order.
TEST_F(RecordLogTest, DamageNeverYieldsAWrongRecord) {
  {
    auto log = open_log(path_);
    append_samples(log, 0, 30);
  }
  const auto whole = read_file(path_);
  Random random(9, 0, 0, Purpose::kTest);
  std::size_t lost = 0;
  for (int round = 0; round < 3000; ++round) {
    auto bytes = whole;
    const std::uint32_t kind = random.below(4);
    const std::uint32_t damages = 1 + random.below(kind == 0 ? 20 : 2);
    for (std::uint32_t i = 0; i < damages; ++i) {
      const auto size = static_cast<std::uint32_t>(bytes.size());
      const std::uint32_t length = 1 + random.below(200);
      const auto at = bytes.begin() + random.below(size - length);
      const auto source = whole.begin() + random.below(size - length);
      if (kind == 0) *at ^= static_cast<std::byte>(1u << random.below(8));
      if (kind == 1) std::fill_n(at, length, std::byte{0});
      if (kind == 2) std::copy_n(source, length, at);
      if (kind == 3) bytes.erase(at, at + length);
    }
    write_file(path_, bytes);
    auto reader = open_reader(path_);
    const auto read = read_all(reader);  // compares each with its sample
    if (kind != 2) {  // a moved block may hold a whole record, which then is there twice
      ASSERT_TRUE(std::ranges::is_sorted(read));
      ASSERT_EQ(std::ranges::adjacent_find(read), read.end());
    }
    ASSERT_EQ(reader.position() + *reader.bytes_left(), bytes.size());
    lost += 30 - std::min<std::size_t>(read.size(), 30);
    // No more is lost than the damage can have touched.
    if (kind == 0) {
      ASSERT_GE(read.size() + damages, 30u);
    }
  }
  EXPECT_GT(lost, 3000u);
}

}  // namespace
}  // namespace senet
