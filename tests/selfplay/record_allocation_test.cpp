// Repeatedly writing and reading records, and playing games, allocates nothing after warm-up.
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <vector>

#include "selfplay/game_in_play.hpp"
#include "selfplay/record_log.hpp"
#include "tests/counting_heap.hpp"
#include "tests/game_types.hpp"
#include "tests/search/search_driver.hpp"
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

template <class G>
class PlayAllocation : public testing::Test {};
TYPED_TEST_SUITE(PlayAllocation, GameTypes, GameName);

// Covers random moves, rolls, searches, moves drawn by visits, and the record.
TYPED_TEST(PlayAllocation, AGamePlayedAgainAllocatesNothing) {
  using G = TypeParam;
  const PlaySettings settings{.full_visits = 16,
                              .fast_visits = 4,
                              .full_share = 0.5f,
                              .temperature = 0.7f,
                              .temperature_plies = 1000,
                              .random_plies = 3};
  constexpr std::uint32_t kAny = std::numeric_limits<std::uint32_t>::max();
  const SearchSettings of_search;
  const TreeLimits limits = limits_for<G>(settings.full_visits, of_search.evaluates);
  Search<G> search(of_search, limits);
  auto spare = std::make_unique<Tree<G>>(limits);
  const auto evaluator = hash_evaluator<G>(8);
  Batch batch(8, row_size<G>());
  const Starts<G> starts{G{}};
  const auto game = std::make_unique<GameInPlay<G>>(settings, starts);
  const auto play = [&] {
    const long before = heap_allocations();
    for (std::uint64_t number = 0; number < 4; ++number) {
      search.forget();
      game->begin(number, "hash", "");
      while (game->next_decision()) {
        search.start(game->state(), game->budget(kAny), game->noise(), &spare);
        run_search(search, *evaluator, batch);
        game->take(search, 7);
      }
      EXPECT_NE(game->record().end(), EndKind::kNone);
    }
    return heap_allocations() - before;
  };
  EXPECT_GT(play(), 0);
  EXPECT_EQ(play(), 0);
}

}  // namespace
}  // namespace senet
