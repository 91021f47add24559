// Writing and reading records again and again allocates nothing.
#include <gtest/gtest.h>

#include <vector>

#include "selfplay/record_log.hpp"
#include "tests/counting_heap.hpp"
#include "tests/selfplay/record_samples.hpp"
#include "tests/temporary_folder.hpp"

namespace senet {
namespace {

TEST(RecordAllocation, AppendingAndReadingSettleDownToNone) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "games.log";
  std::vector<GameRecord> records;
  for (std::uint64_t number = 0; number < 50; ++number) {
    records.push_back(backgammon_like_record(number));
  }
  auto log = RecordLog::open(path, "backgammon", {});
  ASSERT_TRUE(log);
  const auto append_all = [&] {
    const long before = heap_allocations();
    for (const GameRecord& record : records) EXPECT_TRUE(log->append(record));
    EXPECT_TRUE(log->flush());
    return heap_allocations() - before;
  };
  EXPECT_GT(append_all(), 0);  // the counter counts
  EXPECT_EQ(append_all(), 0);

  auto reader = RecordReader::open(path);
  ASSERT_TRUE(reader);
  GameRecord record;
  for (const GameRecord& expected : records) {
    ASSERT_TRUE(reader->next(record).value());
    ASSERT_EQ(record, expected);
  }
  const long before = heap_allocations();
  for (std::size_t i = 0; i < records.size(); ++i) EXPECT_TRUE(reader->next(record).value());
  EXPECT_EQ(heap_allocations() - before, 0);
}

TEST(RecordAllocation, ARecordBuiltAgainAllocatesNothing) {
  GameRecord record;
  const float outcomes[] = {0.5f, 0.5f};
  const VisitCount visits[] = {{3, 10}, {1, 20}};
  const auto build = [&] {
    const long before = heap_allocations();
    record.clear();
    record.outcomes = 2;
    for (int turn = 0; turn < 100; ++turn) {
      record.add_chance(1);
      record.add_decision({.model = record.model_index(7),
                           .root_outcomes = outcomes,
                           .chosen_outcomes = outcomes,
                           .visits = visits});
    }
    record.end_cut(outcomes);
    return heap_allocations() - before;
  };
  EXPECT_GT(build(), 0);
  EXPECT_EQ(build(), 0);
}

}  // namespace
}  // namespace senet
