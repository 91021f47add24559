// The logits that a search requests from the policy head: no repeats, no kNoLogit, and each
// action's sum.
#include "search/scratch.hpp"

#include <gtest/gtest.h>

#include <set>

#include "games/random.hpp"
#include "games/random_moves.hpp"
#include "tests/all_games.hpp"
#include "tests/game_types.hpp"

namespace senet {
namespace {

float answer_to(std::uint16_t logit) { return 0.25f * static_cast<float>(logit) - 30; }

template <class G>
class WantedLogitsTest : public testing::Test {};
TYPED_TEST_SUITE(WantedLogitsTest, GameTypes, GameName);

TYPED_TEST(WantedLogitsTest, EachActionFindsItsOwn) {
  using G = TypeParam;
  WantedLogits<G> wanted;
  const float* const answers = wanted.answers();
  std::size_t positions = 0;
  for (std::uint64_t game = 0; game < 50; ++game) {
    G state;
    for (std::uint32_t ply = 0; state.turn() != Turn::kOver; ++ply) {
      Random draw(3, game, ply, Purpose::kTest);
      if (state.turn() == Turn::kChance) {
        state.play(draw_roll(state, draw));
        continue;
      }
      ActionList<G::kMaxLegal> legal;
      state.legal(legal);
      wanted.list(state, {legal.data(), legal.size()});
      ASSERT_EQ(wanted.answers(), answers);
      std::set<std::uint16_t> distinct;
      for (std::size_t i = 0; i < wanted.wanted().size(); ++i) {
        const std::uint16_t logit = wanted.wanted()[i];
        EXPECT_LT(logit, G::kPolicyLogits);
        EXPECT_TRUE(distinct.insert(logit).second) << logit << " repeats";
        wanted.answers()[i] = answer_to(logit);
      }
      for (std::size_t i = 0; i < legal.size(); ++i) {
        float sum = 0;
        for (const std::uint16_t logit : state.logits_of(legal[i])) {
          if (logit != kNoLogit) sum += answer_to(logit);
        }
        ASSERT_EQ(wanted.sum(i), sum);
      }
      ++positions;
      state.play(legal[draw.below(static_cast<std::uint32_t>(legal.size()))]);
    }
  }
  EXPECT_GT(positions, 200u);
}

// Of a dueling network: the sums of the advantages of each action's logits, for each outcome.
TYPED_TEST(WantedLogitsTest, EachActionFindsItsAdvantages) {
  using G = TypeParam;
  EXPECT_EQ(kHasFewMoves<G>, G::kMaxLegal < 1000);
  if constexpr (kHasFewMoves<G>) {
    WantedLogits<G> wanted;
    const std::size_t outcomes = outcome_values(G{}).size();
    for (std::uint64_t game = 0; game < 20; ++game) {
      G state;
      for (std::uint32_t ply = 0; state.turn() != Turn::kOver; ++ply) {
        Random draw(3, game, ply, Purpose::kTest);
        ActionList<G::kMaxLegal> legal;
        state.legal(legal);
        wanted.list_advantages(state, {legal.data(), legal.size()});
        for (std::size_t i = 0; i < wanted.wanted().size(); ++i) {
          EXPECT_LT(wanted.wanted()[i], G::kPolicyLogits * outcomes);
          wanted.answers()[i] = answer_to(wanted.wanted()[i]);
        }
        for (std::size_t i = 0; i < legal.size() * outcomes; ++i) {
          float sum = 0;
          for (const std::uint16_t logit : state.logits_of(legal[i / outcomes])) {
            const std::size_t number = logit * outcomes + i % outcomes;
            if (logit != kNoLogit) sum += answer_to(static_cast<std::uint16_t>(number));
          }
          ASSERT_EQ(wanted.advantage(i / outcomes, i % outcomes), sum);
        }
        state.play(legal[draw.below(static_cast<std::uint32_t>(legal.size()))]);
      }
    }
  }
}

}  // namespace
}  // namespace senet
