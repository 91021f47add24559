// A search and the choice of its move, by temperature too, allocate nothing, in any game or mode.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "tests/all_games.hpp"
#include "tests/counting_heap.hpp"
#include "tests/game_types.hpp"
#include "tests/search/search_driver.hpp"

namespace senet {
namespace {

template <class G>
class SearchAllocation : public testing::Test {};
TYPED_TEST_SUITE(SearchAllocation, GameTypes, GameName);

template <Game G>
long allocations_of_a_game(Evaluates evaluates, std::uint32_t plies = 0, std::uint32_t leaves = 1) {
  SearchSettings settings;
  settings.leaves = leaves;
  settings.evaluates = evaluates;
  settings.plies.ply = plies;
  const std::uint32_t budget = leaves == 1 ? 50 : 300;  // enough for all leaves
  const TreeLimits limits = limits_for<G>(budget, evaluates);
  Search<G> search(settings, limits);
  auto spare = std::make_unique<Tree<G>>(limits);
  const auto evaluator = hash_evaluator<G>(32);
  Batch batch(32, row_size<G>());
  const long before = heap_allocations();
  std::uint64_t visits = 0;
  G state;
  for (std::uint32_t ply = 0; ply < 80 && state.turn() != Turn::kOver; ++ply) {
    if constexpr (StochasticGame<G>) {
      if (state.turn() == Turn::kChance) {
        std::array<float, kMaxChance<G>> probability;
        state.play(static_cast<Action>(ply % state.chance(probability)));
        continue;
      }
    }
    search.start(state, {budget, true}, Random(1, 0, ply, Purpose::kNoise), &spare);
    run_search(search, *evaluator, batch);
    const Decision<G> decision = search.decision();
    visits += decision.visits;
    static_cast<void>(search.outcomes_after(decision.best()));
    static_cast<void>(principal_variation(search, decision.best()));
    state.play(draw_choice(decision, 1.0f, Random(1, 0, ply, Purpose::kMove)));
  }
  EXPECT_GT(visits, 100u);
  return heap_allocations() - before;
}

TYPED_TEST(SearchAllocation, NoneWhileSearching) {
  EXPECT_GT(heap_allocations(), 0);  // the counter works
  EXPECT_EQ(allocations_of_a_game<TypeParam>(Evaluates::kPosition), 0);
  EXPECT_EQ(allocations_of_a_game<TypeParam>(Evaluates::kPosition, 0, 8), 0);
  EXPECT_EQ(allocations_of_a_game<TypeParam>(Evaluates::kPlayouts), 0);
  if constexpr (kHasFewMoves<TypeParam>) {
    EXPECT_EQ(allocations_of_a_game<TypeParam>(Evaluates::kMoves), 0);
    EXPECT_EQ(allocations_of_a_game<TypeParam>(Evaluates::kMoves, 0, 8), 0);
  }
  if constexpr (TypeParam::kHasAfterstates) {
    EXPECT_EQ(allocations_of_a_game<TypeParam>(Evaluates::kAfterstates), 0);
    EXPECT_EQ(allocations_of_a_game<TypeParam>(Evaluates::kAfterstates, 0, 8), 0);
    EXPECT_EQ(allocations_of_a_game<TypeParam>(Evaluates::kAfterstates, 2), 0);
  }
}

}  // namespace
}  // namespace senet
