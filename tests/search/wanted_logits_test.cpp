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

}  // namespace
}  // namespace senet
