// The map of figures: read while it is written, continued, damaged, truncated, and without room.
#include "train_bridge/metrics_map.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <stop_token>
#include <thread>

#include "tests/temporary_folder.hpp"

namespace senet {
namespace {

class MetricsMapFile : public testing::Test {
 protected:
  std::filesystem::path file() const { return folder_ / "metrics.map"; }

  static std::vector<MetricName> names(std::size_t count) {
    std::vector<MetricName> names;
    for (std::size_t i = 0; i < count; ++i) {
      names.push_back({"figure_" + std::to_string(i), i % 2 == 0 ? "s" : ""});
    }
    return names;
  }
  MetricsMap open(std::size_t figures = 5, std::size_t columns = 2) const {
    return MetricsMap::open(file(), "a game", names(figures), columns).value();
  }
  MetricsReader reader() const { return MetricsReader::open(file()).value(); }

  std::string text() const {
    std::ifstream stream(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void write_text(std::string_view text) const {
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << text;
  }

  const TemporaryFolder folder_;
};

TEST_F(MetricsMapFile, HoldsNamesValuesHistoryAndEvents) {
  MetricsMap map = open();
  map.write(std::vector<double>{1, 2, 3, 4, 5});
  map.remember();
  map.write(std::vector<double>{6, 7, 8, 9, 10});
  map.remember();
  map.note("began");
  map.note(std::string(1000, 'x'));
  const MetricsReader reader = this->reader();
  EXPECT_EQ(reader.subject(), "a game");
  EXPECT_EQ(reader.names(), names(5));
  EXPECT_EQ(reader.columns(), 2u);
  const MetricsReader::Snapshot now = reader.read().value();
  EXPECT_EQ(now.values, (std::vector<double>{6, 7, 8, 9, 10}));
  EXPECT_FALSE(now.has_ended);
  EXPECT_GE(now.heartbeat, now.began);
  const std::vector<double> rows = reader.history().value();
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ((std::vector{rows[1], rows[2], rows[4], rows[5]}), (std::vector<double>{1, 2, 6, 7}));
  EXPECT_LE(rows[0], rows[3]);
  const std::vector<MetricsReader::Event> events = reader.events().value();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].text, "began");
  EXPECT_EQ(events[1].text, std::string(247, 'x'));
  map.end();
  EXPECT_TRUE(reader.read().value().has_ended);
}

TEST_F(MetricsMapFile, KeepsADayOfHistoryAndTheNewestEvents) {
  MetricsMap map = open(1, 1);
  constexpr std::size_t kRows = MetricsMap::kHistoryRows + 10;
  for (std::size_t i = 0; i < kRows; ++i) {
    map.write(std::vector{static_cast<double>(i)});
    map.remember();
  }
  for (int i = 0; i < 100; ++i) map.note(std::to_string(i));
  const std::vector<double> rows = reader().history().value();
  // The oldest row is in the place of the next one to be written.
  ASSERT_EQ(rows.size(), 2 * (MetricsMap::kHistoryRows - 1));
  for (std::size_t i = 0; i < rows.size() / 2; ++i)
    ASSERT_EQ(rows[2 * i + 1], static_cast<double>(11 + i));
  EXPECT_EQ(reader().history(3).value().size(), 6u);
  const std::vector<MetricsReader::Event> events = reader().events().value();
  ASSERT_EQ(events.size(), MetricsMap::kEvents - 1);
  EXPECT_EQ(events.front().text, "37");
  EXPECT_EQ(events.back().text, "99");
}

TEST_F(MetricsMapFile, ContinuesTheHistoryOfTheSameFigures) {
  {
    MetricsMap map = open();
    map.write(std::vector<double>{1, 2, 3, 4, 5});
    map.remember();
    map.end();
  }
  {
    MetricsMap map = open();
    EXPECT_FALSE(reader().read().value().has_ended);
    map.write(std::vector<double>{6, 7, 8, 9, 10});
    map.remember();
  }
  EXPECT_EQ(reader().history().value().size(), 6u);
  const MetricsMap other = open(6);
  EXPECT_EQ(reader().history().value().size(), 0u);
}

TEST_F(MetricsMapFile, ReplacesAFileThatIsNone) {
  static_cast<void>(open());
  const std::string whole = text();
  std::string damaged = whole;
  damaged[8] = 9;  // the version
  for (const std::string& content :
       {std::string(), std::string("a text"), whole.substr(0, whole.size() / 2), damaged}) {
    write_text(content);
    EXPECT_FALSE(MetricsReader::open(file()));
    MetricsMap map = open();
    map.write(std::vector<double>{1, 2, 3, 4, 5});
    EXPECT_EQ(reader().read().value().values.back(), 5);
  }
}

TEST_F(MetricsMapFile, ReadersSeeTheValuesOfOneWrite) {
  constexpr std::size_t kFigures = 200;
  MetricsMap map = open(kFigures, 1);
  map.write(std::vector<double>(kFigures, 0));
  // Far more often than a run writes, but not all the time: a reader needs a moment in between.
  const std::jthread writer([&](const std::stop_token& stop) {
    for (double value = 1; !stop.stop_requested(); ++value) {
      map.write(std::vector<double>(kFigures, value));
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  });
  const MetricsReader reader = this->reader();
  double last = 0;
  for (int i = 0; i < 300 || last == 0; ++i) {
    const Result<MetricsReader::Snapshot> now = reader.read();
    ASSERT_TRUE(now) << now.error().reason();
    for (const double value : now->values) ASSERT_EQ(value, now->values.front());
    ASSERT_GE(now->values.front(), last);
    last = now->values.front();
  }
}

TEST_F(MetricsMapFile, IsReadableAfterAWriterWasKilledWithinAWrite) {
  {
    MetricsMap map = open();
    map.write(std::vector<double>{1, 2, 3, 4, 5});
  }
  std::string torn = text();
  torn[512] = static_cast<char>(torn[512] | 1);  // the sequence
  write_text(torn);
  EXPECT_EQ(reader().read().value().values, (std::vector<double>{1, 2, 3, 4, 5}));
  MetricsMap map = open();
  map.write(std::vector<double>{2, 3, 4, 5, 6});
  EXPECT_EQ(reader().read().value().values, (std::vector<double>{2, 3, 4, 5, 6}));
}

// A store to a page that the file no longer has would kill the process.
TEST_F(MetricsMapFile, ATruncatedFileHarmsNeitherSide) {
  MetricsMap map = open();
  map.write(std::vector<double>{1, 2, 3, 4, 5});
  const MetricsReader before = reader();
  std::filesystem::resize_file(file(), 100);
  map.write(std::vector<double>{2, 3, 4, 5, 6});
  map.remember();
  map.note("lost");
  map.end();
  const auto now = before.read();
  ASSERT_FALSE(now);
  EXPECT_NE(now.error().reason().find("metrics.map: the map became shorter"), std::string::npos);
  EXPECT_FALSE(before.history());
  EXPECT_FALSE(before.events());
}

TEST_F(MetricsMapFile, FailsWithoutRoomForAllOfIt) {
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{1 << 20, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto map = MetricsMap::open(file(), "a game", names(5), 2);
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, ignored);
  ASSERT_FALSE(map);
  EXPECT_NE(map.error().reason().find("metrics.map: "), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(MetricsMapFile, ReadersRefuseDamage) {
  static_cast<void>(open());
  const std::string whole = text();
  const auto refused = [&](std::size_t at, std::uint32_t value, std::string_view reason) {
    std::string damaged = whole;
    std::memcpy(damaged.data() + at, &value, sizeof value);
    write_text(damaged);
    const auto opened = MetricsReader::open(file());
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().reason().find(reason), std::string::npos) << opened.error().reason();
  };
  refused(0, 0, "not a map of figures");
  refused(8, 2, "version 2");
  refused(12, 0, "damaged");  // no figures
  refused(12, 6, "damaged");  // more than there are
  refused(12, 0xffffffffu, "damaged");
  refused(16, 3, "damaged");            // more columns
  refused(20, 0xffffffffu, "damaged");  // rows
}

// Of the right size, but mostly a hole: its history would need more memory than a file takes room.
TEST_F(MetricsMapFile, ReadersRefuseAForgedHistory) {
  constexpr std::size_t kFigures = 300, kPage = 4096;
  const std::vector<MetricName> names(kFigures, {"figure", "unit"});
  ASSERT_TRUE(MetricsMap::open(file(), "forged", names, 1));
  std::string forged = text();
  const auto opens_with = [&](std::uint32_t columns) {
    const auto pages = [](std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; };
    std::memcpy(forged.data() + 16, &columns, sizeof columns);
    write_text(forged);
    std::filesystem::resize_file(file(), kPage + 2 * pages(kFigures * 64) + pages(64 * 256) +
                                             pages(MetricsMap::kHistoryRows * (1 + columns) * 8));
    return MetricsReader::open(file()).has_value();
  };
  EXPECT_TRUE(opens_with(256));
  EXPECT_FALSE(opens_with(257));
}

}  // namespace
}  // namespace senet
