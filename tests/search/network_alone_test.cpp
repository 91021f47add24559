// The network's own evaluation of a position.
#include "search/network_alone.hpp"

#include <gtest/gtest.h>

#include <array>

#include "nn/own_evaluators.hpp"
#include "tests/engine/small_network.hpp"

namespace senet {
namespace {

/// The answer to one row, for the player to move.
template <Game G>
Outcomes<G> answer_to(Evaluator& evaluator, const G& state) {
  Batch batch(1, G::kMaxActive);
  Outcomes<G> outcomes{};
  batch.add({outcomes, {}, nullptr}, [&](FeatureRow& row) { state.encode(row); });
  evaluator.forward(batch);
  return outcomes;
}

template <std::size_t kWays>
void expect_near(const std::array<float, kWays>& found, const std::array<float, kWays>& expected) {
  for (std::size_t i = 0; i < kWays; ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << i;
}

TEST(NetworkAlone, SeesAPosition) {
  const Weights weights(small_network<ConnectFour>(1));
  FusedEvaluator evaluator(weights);
  ConnectFour state;
  for (const int column : {3, 3, 4, 2}) state.play(static_cast<Action>(column));
  EXPECT_EQ(network_alone(state, Evaluates::kPosition, evaluator), answer_to(evaluator, state));
  // A finished game has its actual outcome, for the player who would be to move.
  const ConnectFour over = *ConnectFour::from_text("1122334");
  const float value = mean_value(over, network_alone(over, Evaluates::kPosition, evaluator));
  EXPECT_EQ(value, over.viewer() == 0 ? 1.0f : -1.0f);
}

// Before a roll, a network that was trained on positions evaluates every roll.
TEST(NetworkAlone, SeesAllRolls) {
  const Weights weights(small_network<Backgammon>(1));
  FusedEvaluator evaluator(weights);
  for (const Player player : {Player{0}, Player{1}}) {
    const Backgammon before = *Backgammon::from_position_id("4HPwATDgc/ABMA", player);
    std::array<float, Backgammon::kMaxChance> probabilities;
    const std::size_t rolls = before.chance(probabilities);
    Outcomes<Backgammon> mean{};
    for (std::size_t i = 0; i < rolls; ++i) {
      Backgammon rolled = before;
      rolled.play(static_cast<Action>(i));
      const auto outcomes = answer_to(evaluator, rolled);
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += probabilities[i] * outcomes[k];
    }
    expect_near(network_alone(before, Evaluates::kPosition, evaluator), mean);
  }
}

// A network of afterstates evaluates a position before a roll directly.
TEST(NetworkAlone, SeesAnAfterstate) {
  const Weights weights(small_network<Backgammon>(1, Evaluates::kAfterstates));
  FusedEvaluator evaluator(weights);
  const Backgammon before = *Backgammon::from_position_id("4HPwATDgc/ABMA", 1);
  EXPECT_EQ(network_alone(before, Evaluates::kAfterstates, evaluator),
            answer_to(evaluator, before));
}

}  // namespace
}  // namespace senet
