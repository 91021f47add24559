// Logs of sample records for the tests of the log: write, open and read back.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "selfplay/record_log.hpp"
#include "tests/selfplay/record_samples.hpp"
#include "tests/temporary_folder.hpp"

namespace senet {

inline RecordLog open_log(const std::filesystem::path& path,
                          const RecordLogSettings& settings = {}) {
  auto log = RecordLog::open(path, "nim", settings);
  EXPECT_TRUE(log) << log.error().reason();
  return std::move(*log);
}

inline RecordReader open_reader(const std::filesystem::path& path, std::uint64_t position = 0) {
  auto reader = RecordReader::open(path, position);
  EXPECT_TRUE(reader) << reader.error().reason();
  return std::move(*reader);
}

inline GameRecord sample(std::uint64_t number) { return random_record("nim", number, 6); }

/// Appends samples first .. last - 1; returns the previous size of the log and the end of each.
inline std::vector<std::uint64_t> append_samples(RecordLog& log, std::uint64_t first,
                                                 std::uint64_t last) {
  std::vector<std::uint64_t> ends = {log.size()};
  for (std::uint64_t number = first; number < last; ++number) {
    const auto appended = log.append(sample(number));
    EXPECT_TRUE(appended) << appended.error().reason();
    ends.push_back(log.size());
  }
  return ends;
}

/// The numbers of all readable records; compares each with the sample of that number.
inline std::vector<std::uint64_t> read_all(RecordReader& reader) {
  std::vector<std::uint64_t> numbers;
  GameRecord record;
  for (;;) {
    const auto found = reader.next(record);
    EXPECT_TRUE(found) << found.error().reason();
    if (!found || !*found) return numbers;
    EXPECT_EQ(record, sample(record.game_number));
    numbers.push_back(record.game_number);
  }
}

inline std::vector<std::uint64_t> numbers(std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> list;
  for (std::uint64_t number = first; number < last; ++number) list.push_back(number);
  return list;
}

class RecordLogTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "games.log";
};

}  // namespace senet
