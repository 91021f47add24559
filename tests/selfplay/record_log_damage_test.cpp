// Damage in the game log: it is found, reported, moved aside, and never read.
#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "games/random.hpp"
#include "selfplay/record_codec.hpp"
#include "selfplay/record_frame.hpp"
#include "selfplay/record_log.hpp"
#include "tests/selfplay/record_log_files.hpp"

namespace senet {
namespace {

using RecordLogDamage = RecordLogTest;

// A crash at any byte: all complete records are kept, the rest is moved aside and reported, and the
// log remains usable.
TEST_F(RecordLogDamage, RecoversFromEveryTruncation) {
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
    std::uint64_t kept = 0, good = 0;  // records, and the offset of the end of the last one
    for (std::size_t i = 0; i < ends.size() && ends[i] <= size; ++i) kept = i, good = ends[i];
    {
      auto log = open_log(path);
      const RecoveryReport& report = log.recovery();
      ASSERT_EQ(log.records(), kept) << "cut to " << size;
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

TEST_F(RecordLogDamage, NeverOverwritesASideFile) {
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

TEST_F(RecordLogDamage, FindsDamageInTheMiddleAndGoesOn) {
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
  EXPECT_EQ(log.records(), 7u);
  EXPECT_EQ(log.recovery().damaged_bytes, damaged);
  EXPECT_EQ(log.recovery().damaged_places, 2u);
  EXPECT_EQ(log.recovery().moved_bytes, 0u);
  append_samples(log, 10, 12);
  auto reader = open_reader(path_);
  EXPECT_EQ(read_all(reader), (std::vector<std::uint64_t>{0, 1, 2, 4, 5, 8, 9, 10, 11}));
  EXPECT_EQ(reader.skipped_bytes(), damaged);
  EXPECT_EQ(reader.skipped_places(), 2u);
}

// A record whose text contains a whole frame and many frame magics must not be read as several
// records.
TEST_F(RecordLogDamage, FramesInsideRecordsAreNotRecords) {
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

TEST_F(RecordLogDamage, ADamagedFileHeaderCostsTheReaderNothing) {
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
    EXPECT_FALSE(RecordLog::open(path_, "nim", {}));  // such a log is not opened for writing
    EXPECT_EQ(read_file(path_), bytes);
  }
}

TEST_F(RecordLogDamage, ANewerVersionIsToldAndNotTakenForDamage) {
  auto header = file_header("nim");
  header[8] = std::byte{kLogVersion + 1};
  std::uint64_t checksum = XXH3_64bits(header.data(), header.size() - 8);
  for (std::size_t i = 0; i < 8; ++i, checksum >>= 8) {
    header[header.size() - 8 + i] = static_cast<std::byte>(checksum);
  }
  write_file(path_, header);
  const auto reader = RecordReader::open(path_);
  ASSERT_FALSE(reader);
  EXPECT_NE(reader.error().reason().find("version"), std::string::npos);
  EXPECT_FALSE(RecordLog::open(path_, "nim", {}));
}

// Intact frames that contain no readable record are passed and counted.
TEST_F(RecordLogDamage, UndecodableRecordsArePassedAndCounted) {
  {
    auto log = open_log(path_);
    append_samples(log, 0, 1);
  }
  std::vector<std::byte> payload, newer, uncompressible, good;
  ASSERT_TRUE(encode(sample(1), payload));
  FramePacker(0).pack(payload, good);
  payload[0] = std::byte{kPayloadVersion + 1};
  FramePacker(1).pack(payload, newer);
  // Uncompressed bytes marked as compressed, with a correct checksum.
  FramePacker(0).pack(payload, uncompressible);
  uncompressible[7] |= std::byte{0x80};
  const std::uint64_t seed = payload.size() | 0x80000000u;
  std::uint64_t checksum = XXH3_64bits_withSeed(payload.data(), payload.size(), seed);
  for (std::size_t i = 0; i < 8; ++i, checksum >>= 8) {
    uncompressible[8 + i] = static_cast<std::byte>(checksum);
  }
  auto bytes = read_file(path_);
  const std::uint64_t first_at = bytes.size();
  for (const auto& frame : {newer, uncompressible, good}) {
    bytes.insert(bytes.end(), frame.begin(), frame.end());
  }
  write_file(path_, bytes);
  auto reader = open_reader(path_);
  GameRecord record;
  EXPECT_TRUE(*reader.next(record));
  EXPECT_EQ(reader.undecodable().count, 0u);
  EXPECT_TRUE(*reader.next(record));
  EXPECT_EQ(record, sample(1));
  EXPECT_EQ(reader.undecodable().count, 2u);
  EXPECT_EQ(reader.undecodable().first_at, first_at);
  EXPECT_EQ(reader.undecodable().first_reason, "record payload, byte 1: version 3 is not 1 to 2");
  EXPECT_FALSE(*reader.next(record));
  EXPECT_EQ(reader.undecodable().count, 2u);
  EXPECT_EQ(reader.skipped_bytes(), 0u);
}

/// Appends the header of a frame of `stored` bytes whose checksum is wrong.
void append_forged(std::vector<std::byte>& bytes, std::size_t stored) {
  for (const char letter : std::string_view("SGR\x1a")) {
    bytes.push_back(static_cast<std::byte>(letter));
  }
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(stored >> (8 * i)));
  bytes.insert(bytes.end(), 8, std::byte{0x77});
}

// Forged headers announce many times the file, and a scan hashes and reads only a few times what it
// skips. The good frames before, between and after them are found, except that the first one after
// them may be lost.
TEST_F(RecordLogDamage, ForgedFramesDoNotHoldUpAReader) {
  {
    auto log = open_log(path_);
    append_samples(log, 0, 20);
  }
  const auto head = read_file(path_);
  const std::span frames = std::span(head).subspan(file_header("nim").size());
  constexpr std::size_t kForged = std::size_t{1} << 16, kFiller = 12'000'000;
  const auto append = [](std::vector<std::byte>& to, std::span<const std::byte> bytes) {
    to.insert(to.end(), bytes.begin(), bytes.end());
  };
  // Headers of the largest frames, which all end in the filler.
  auto large = head;
  for (std::size_t i = 0; i < kForged; ++i) append_forged(large, kMaxPayload - i % 7);
  large.resize(large.size() + kFiller, std::byte{0x55});
  append(large, frames);
  // Each frame ends where the last one begins, so that all seem to be followed by another.
  auto chained = head;
  for (std::size_t i = kForged; i-- > 0;) append_forged(chained, i == 0 ? 1 : 16 * i - 16);
  append(chained, frames);
  // Between good frames.
  auto mixed = head;
  for (int i = 0; i < 1000; ++i) {
    append_forged(mixed, kMaxPayload);
    append(mixed, frames);
  }
  mixed.resize(mixed.size() + kFiller, std::byte{0x55});
  append(mixed, frames);

  for (const auto& [bytes, good] : {std::pair(&large, 40u), {&chained, 40u}, {&mixed, 20'040u}}) {
    write_file(path_, *bytes);
    const auto file = FileHandle::open(path_, FileHandle::Mode::kRead);
    ASSERT_TRUE(file);
    FrameScanner scanner(file_header("nim").size());
    std::size_t found = 0;
    for (; *scanner.next(*file); ++found) {
    }
    EXPECT_GE(found + 1, good);
    EXPECT_LE(found, good);
    EXPECT_EQ(scanner.position(), bytes->size());
    EXPECT_GT(scanner.skipped_bytes(), 16'000u);
    EXPECT_LE(scanner.hashed_bytes(),
              bytes->size() + 2 * FrameScanner::kFreeBytes + 16 * scanner.skipped_bytes());
    EXPECT_LE(scanner.read_bytes(), 6 * bytes->size() + 2 * FrameScanner::kFreeBytes);
  }
}

// Damaged lengths announce far more than the budget for them, and are followed by frames that have
// another damaged one behind them: all that is whole is found.
TEST_F(RecordLogDamage, ManyDamagedLengthsCostNoGoodFrame) {
  constexpr std::uint64_t kRecords = 8000;
  std::vector<std::uint64_t> ends;
  {
    auto log = open_log(path_, {.compression_level = 0});
    const auto record = [](std::uint64_t number) {
      GameRecord same = sample(7);
      same.game_number = 1'000'000 + number;
      return same;
    };
    for (std::uint64_t number = 0; number < kRecords; ++number) {
      ends.push_back(log.size());
      ASSERT_TRUE(log.append(record(number)));
    }
  }
  auto bytes = read_file(path_);
  std::vector<std::uint64_t> expected;
  std::uint64_t announced = 0;
  for (std::uint64_t number = 0; number < kRecords; ++number) {
    if (number % 4 == 1) {
      bytes[ends[number]] ^= std::byte{1};  // the magic
    } else if (number % 4 == 3) {
      bytes[ends[number] + 6] ^= std::byte{2};  // the length: 128 KiB more
      if (ends[number] + (1u << 17) < bytes.size()) announced += 1u << 17;
    } else {
      expected.push_back(1'000'000 + number);
    }
  }
  ASSERT_GT(announced, 4 * FrameScanner::kFreeBytes);
  write_file(path_, bytes);
  auto reader = open_reader(path_);
  std::vector<std::uint64_t> read;
  for (GameRecord record; *reader.next(record);) read.push_back(record.game_number);
  EXPECT_EQ(read, expected);
}

// Thousands of flipped bits, moved blocks and zeroed ranges: every record read was written, and the
// order is kept.
TEST_F(RecordLogDamage, DamageNeverYieldsAWrongRecord) {
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
    const auto read = read_all(reader);  // compares each record with its sample
    if (kind != 2) {  // a moved block may contain a whole record, which then occurs twice
      ASSERT_TRUE(std::ranges::is_sorted(read));
      ASSERT_EQ(std::ranges::adjacent_find(read), read.end());
    }
    ASSERT_EQ(reader.position() + *reader.bytes_left(), bytes.size());
    lost += 30 - std::min<std::size_t>(read.size(), 30);
    // No more records are lost than the damage can have touched.
    if (kind == 0) {
      ASSERT_GE(read.size() + damages, 30u);
    }
  }
  EXPECT_GT(lost, 3000u);
}

}  // namespace
}  // namespace senet
