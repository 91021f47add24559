// Searches that share a batch find the same as each finds alone, in any order of turns, and batches
// are full while there are enough searches.
#include "search/rounds.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "tests/game_types.hpp"
#include "tests/search/search_driver.hpp"

namespace senet {
namespace {

Random noise(std::uint64_t i) { return Random(i, 0, 0, Purpose::kNoise); }

// Searches of one position with different noise, in round-robin order.
template <Game G>
struct SearchesInTurn {
  SearchesInTurn(std::size_t count, std::uint32_t visits, Evaluates evaluates,
                 std::size_t batch_rows, std::uint32_t leaves = 1)
      : budget{visits, true}, evaluator(hash_evaluator<G>(batch_rows)) {
    const SearchSettings settings{.evaluates = evaluates, .leaves = leaves};
    for (std::uint64_t i = 0; i < count; ++i) {
      searches.push_back(std::make_unique<Search<G>>(settings, limits_for<G>(visits, evaluates)));
    }
    start();
  }
  void start() {
    under_way.assign(searches.size(), true);
    found.assign(searches.size(), 0);
    for (std::uint64_t i = 0; i < searches.size(); ++i) {
      searches[i]->start(first_decision<G>(), budget, noise(i));
    }
  }

  Search<G>* next() {
    return circle.next(searches.size(),
                       [&](std::size_t i) { return under_way[i] ? searches[i].get() : nullptr; });
  }
  void absorbed(Search<G>& search) {
    if (search.settings().leaves == 1) {
      EXPECT_FALSE(search.has_leaf());
    }
  }
  void over(Search<G>& search) {
    const std::size_t i = circle.at();
    ASSERT_EQ(&search, searches[i].get());
    found[i] = signature(search.decision());
    under_way[i] = false;
  }
  void answer(Batch& batch) {
    fills.push_back(batch.size());
    evaluator->forward(batch);
  }

  const SearchBudget budget;
  const std::unique_ptr<Evaluator> evaluator;
  std::vector<std::unique_ptr<Search<G>>> searches;
  std::vector<bool> under_way;
  std::vector<std::uint64_t> found;  // signatures
  std::vector<std::size_t> fills;    // rows of each pass
  RoundRobin circle;
};

template <Game G>
std::vector<std::uint64_t> found_alone(std::size_t count, std::uint32_t visits, Evaluates evaluates,
                                       std::uint32_t leaves = 1) {
  std::vector<std::uint64_t> found;
  const auto evaluator = hash_evaluator<G>(1);
  Batch batch(1, row_size<G>());
  for (std::uint64_t i = 0; i < count; ++i) {
    Search<G> search({.evaluates = evaluates, .leaves = leaves}, limits_for<G>(visits, evaluates));
    search.start(first_decision<G>(), {visits, true}, noise(i));
    run_search(search, *evaluator, batch);
    found.push_back(signature(search.decision()));
  }
  return found;
}

template <Game G>
std::vector<Evaluates> modes_of_game() {
  std::vector<Evaluates> modes = {Evaluates::kPosition};
  if (G::kHasAfterstates) modes.push_back(Evaluates::kAfterstates);
  if (kHasFewMoves<G>) modes.push_back(Evaluates::kMoves);
  return modes;
}

template <class G>
class RoundsOf : public testing::Test {};
TYPED_TEST_SUITE(RoundsOf, GameTypes, GameName);

TYPED_TEST(RoundsOf, FindWhatEachSearchFindsAlone) {
  using G = TypeParam;
  constexpr std::uint32_t kVisits = 40;
  for (const Evaluates evaluates : modes_of_game<G>()) {
    const auto alone = found_alone<G>(9, kVisits, evaluates);
    for (const std::size_t rows : {1, 4, 7, 64}) {
      SearchesInTurn<G> turns(9, kVisits, evaluates, rows);
      Rounds<Search<G>> rounds(rows, row_size<G>());
      while (rounds.round(turns)) {
      }
      EXPECT_EQ(turns.found, alone) << rows;
    }
  }
}

// Leaves in flight change the tree, the batch and the other searches in it do not.
TYPED_TEST(RoundsOf, SeveralLeavesInFlightAreFoundInAnyBatch) {
  using G = TypeParam;
  constexpr std::uint32_t kVisits = 300;
  for (const Evaluates evaluates : modes_of_game<G>()) {
    for (const std::uint32_t leaves : {4u, 16u}) {
      const auto alone = found_alone<G>(3, kVisits, evaluates, leaves);
      EXPECT_NE(alone, found_alone<G>(3, kVisits, evaluates));
      for (const std::size_t rows : {1, 5, 64}) {
        SearchesInTurn<G> turns(3, kVisits, evaluates, rows, leaves);
        Rounds<Search<G>> rounds(rows, row_size<G>());
        while (rounds.round(turns)) {
        }
        EXPECT_EQ(turns.found, alone) << leaves << " leaves, " << rows << " rows";
        if (rows == 64) {
          EXPECT_GT(std::ranges::max(turns.fills), 3u);
        }
      }
    }
  }
}

// A search whose rows did not fit, or that had no turn, continues when the batch has room.
TEST(Rounds, BatchesAreFullWhereThereAreSearchesEnough) {
  constexpr std::size_t kRows = 4;
  SearchesInTurn<ConnectFour> positions(10, 100, Evaluates::kPosition, kRows);
  Rounds<Search<ConnectFour>> rounds(kRows, row_size<ConnectFour>());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(rounds.round(positions));
  EXPECT_EQ(positions.fills, std::vector<std::size_t>(100, kRows));

  constexpr std::size_t kGroupRows = 32;
  SearchesInTurn<Backgammon> groups(10, 20, Evaluates::kAfterstates, kGroupRows);
  Rounds<Search<Backgammon>> of_groups(kGroupRows, row_size<Backgammon>());
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(of_groups.round(groups));
  EXPECT_EQ(groups.fills, std::vector<std::size_t>(50, kGroupRows));
}

// Near the end of a game a search needs no rows: it pauses, and its driver can end it.
TEST(Rounds, SearchesPauseAndCanBeEnded) {
  using G = Backgammon;
  const G near_the_end = *G::from_text("XGID=-----AA------------aa-----:0:0:1:21:0:0:0:0:10");
  SearchesInTurn<G> turns(2, 20'000, Evaluates::kPosition, 8);
  for (const auto& search : turns.searches) search->start(near_the_end, turns.budget, noise(0));
  Rounds<Search<G>> rounds(8, row_size<G>());
  std::size_t pauses = 0;
  for (std::size_t passes = 0; pauses < 10;) {
    ASSERT_TRUE(rounds.round(turns));
    if (turns.fills.size() == passes) ++pauses;
    passes = turns.fills.size();
  }
  // One is ended as soon as possible; the other runs to its end.
  while (turns.searches[0]->has_leaf()) ASSERT_TRUE(rounds.round(turns));
  turns.under_way[0] = false;
  const std::uint32_t visits = turns.searches[0]->decision().visits;
  EXPECT_LT(visits, 20'000u);
  while (rounds.round(turns)) {
  }
  EXPECT_EQ(turns.searches[0]->decision().visits, visits);
  EXPECT_EQ(turns.searches[1]->decision().visits, 20'000u);
  EXPECT_FALSE(turns.under_way[1]);
}

// As in a host's sessions: a few scratches for many searches, each borrowed while a leaf is in
// flight; some searches get three turns for each turn of the others.
TEST(Rounds, LendScratchesAndFollowAnyOrder) {
  using G = Backgammon;
  constexpr std::size_t kRows = 16, kSearches = 40;
  constexpr std::uint32_t kVisits = 12;
  struct Turns {
    struct Place {
      std::unique_ptr<Search<G>> search;
      std::size_t visits = 0;  // granted so far
      std::uint64_t found = 0;
    };
    Search<G>* next() {
      // The fewest visits first; visits of every second search count three times.
      Place* best = nullptr;
      const auto claim = [&](const Place& place) {
        return place.visits * ((&place - places.data()) % 2 == 0 ? 3 : 1);
      };
      for (Place& place : places) {
        if (place.found != 0 || place.search->has_leaf()) continue;
        if (best == nullptr || claim(place) < claim(*best)) best = &place;
      }
      if (best == nullptr) return nullptr;
      ++best->visits;
      return best->search.get();
    }
    void absorbed(Search<G>& search) {
      if (search.visits() >= kVisits) over(search);  // immediately, not at its next turn
    }
    void over(Search<G>& search) {
      for (Place& place : places) {
        if (place.search.get() == &search) place.found = signature(search.decision());
      }
    }
    void answer(Batch& batch) { evaluator->forward(batch); }

    std::unique_ptr<Evaluator> evaluator = hash_evaluator<G>(kRows);
    std::vector<Place> places = std::vector<Place>(kSearches);
  };
  const SearchSettings settings{.evaluates = Evaluates::kAfterstates};
  const TreeLimits limits = limits_for<G>(kVisits, settings.evaluates);
  Turns turns;
  ScratchPool<G> scratches(kRows + 1);
  for (std::uint64_t i = 0; i < kSearches; ++i) {
    turns.places[i].search = std::make_unique<Search<G>>(settings, limits, default_heap());
    turns.places[i].search->share_scratches(scratches);
    turns.places[i].search->start(first_decision<G>(), {kVisits, false}, noise(i));
  }
  Rounds<Search<G>> rounds(kRows, row_size<G>());
  while (rounds.round(turns)) {
  }
  Search<G> alone(settings, limits);
  Batch batch(kRows, row_size<G>());
  alone.start(first_decision<G>(), {kVisits, false}, noise(0));
  run_search(alone, *turns.evaluator, batch);
  for (const auto& place : turns.places) EXPECT_EQ(place.found, signature(alone.decision()));
}

// Tic-tac-toe that throws when too many stones have been played.
struct Fragile : TicTacToe {
  static inline int stones_left = 0;

  void play(Action action) {
    if (stones_left-- == 0) throw std::runtime_error("too many stones");
    TicTacToe::play(action);
  }
  static Result<Fragile> from_text(std::string_view) { return Fragile{}; }
};

TEST(Rounds, GoOnAfterAnException) {
  constexpr int kEnough = 1 << 30;
  Fragile::stones_left = kEnough;
  const auto alone = found_alone<Fragile>(5, 60, Evaluates::kPosition);
  SearchesInTurn<Fragile> turns(5, 60, Evaluates::kPosition, 3);
  Rounds<Search<Fragile>> rounds(3, row_size<Fragile>());
  for (int stones = 0; stones < 40; ++stones) {
    Fragile::stones_left = stones;
    EXPECT_THROW(while (rounds.round(turns)){}, std::runtime_error) << stones;
    Fragile::stones_left = kEnough;
    rounds.clear();
    turns.start();
  }
  while (rounds.round(turns)) {
  }
  EXPECT_EQ(turns.found, alone);
}

}  // namespace
}  // namespace senet
