// The network's own evaluation of a position.
#include "search/network_alone.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "nn/own_evaluators.hpp"
#include "tests/engine/small_network.hpp"
#include "tests/games/backgammon_positions.hpp"
#include "tests/search/search_driver.hpp"

namespace senet {
namespace {

/// The answer to one row, for the player to move.
template <Game G>
Outcomes<G> answer_to(Evaluator& evaluator, const G& state) {
  Batch batch(1, row_size<G>());
  Outcomes<G> outcomes{};
  batch.add({outcomes, {}, nullptr}, [&](FeatureRow& row) { state.encode(row); });
  evaluator.forward(batch);
  return outcomes;
}

template <std::size_t kWays>
void expect_near(const std::array<float, kWays>& found, const std::array<float, kWays>& expected,
                 double most = 1e-6) {
  for (std::size_t i = 0; i < kWays; ++i) EXPECT_NEAR(found[i], expected[i], most) << i;
}

TEST(NetworkAlone, SeesAPosition) {
  const Weights weights(small_network<ConnectFour>(1));
  FusedEvaluator evaluator(weights);
  ConnectFour state;
  for (const int column : {3, 3, 4, 2}) state.play(static_cast<Action>(column));
  EXPECT_EQ(expected_alone(state, Evaluates::kPosition, evaluator), answer_to(evaluator, state));
  // A finished game has its actual outcome, for the player who would be to move.
  const ConnectFour over = *ConnectFour::from_text("1122334");
  const float value = mean_value(over, expected_alone(over, Evaluates::kPosition, evaluator));
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
    expect_near(expected_alone(before, Evaluates::kPosition, evaluator), mean);
  }
}

// A network of afterstates evaluates a position before a roll directly.
TEST(NetworkAlone, SeesAnAfterstate) {
  const Weights weights(small_network<Backgammon>(1, Evaluates::kAfterstates));
  FusedEvaluator evaluator(weights);
  const Backgammon before = *Backgammon::from_position_id("4HPwATDgc/ABMA", 1);
  EXPECT_EQ(expected_alone(before, Evaluates::kAfterstates, evaluator),
            answer_to(evaluator, before));
}

/// Decisions, rolls and ends.
std::vector<Backgammon> positions_of_games() {
  std::vector<Backgammon> positions;
  backgammon::visit_random_games(11, 2,
                                 [&](const Backgammon& state) { positions.push_back(state); });
  return positions;
}

// With a move to make, a network of afterstates expects what it expects after the best move, as a
// search with one visit does.
TEST(NetworkAlone, ChoosesTheBestAfterstate) {
  constexpr auto kMode = Evaluates::kAfterstates;
  constexpr std::size_t kRows = 512;
  const Weights weights(small_network<Backgammon>(1, kMode));
  FusedEvaluator evaluator(weights);
  Batch batch(kRows, row_size<Backgammon>());
  Search<Backgammon> search({.evaluates = kMode}, limits_for<Backgammon>(1, kMode));
  int decisions = 0;
  for (const Backgammon& state : positions_of_games()) {
    if (!is_decision(state.turn())) continue;
    ++decisions;
    search.forget();
    search.start(state, {1, false}, kNoNoise);
    run_search(search, evaluator, batch);
    const Action best = search.decision().best();
    const Outcomes<Backgammon> expected = expected_alone(state, kMode, evaluator);
    expect_near(expected, search.outcomes_after(best), 1e-4);  // kept in 16 bits
    EXPECT_NEAR(mean_value(state, expected), search.decision().choices.front().value, 1e-3);
  }
  EXPECT_GT(decisions, 50);
}

// The capacity of the batch changes no bit, although the rows of a position may be in several.
TEST(NetworkAlone, BatchesDoNotMatter) {
  const std::vector<Backgammon> positions = positions_of_games();
  for (const Evaluates mode : {Evaluates::kPosition, Evaluates::kAfterstates}) {
    const Weights weights(small_network<Backgammon>(1, mode));
    FusedEvaluator evaluator(weights);
    const auto expected = [&](std::size_t rows) {
      return expected_alone(std::span(positions), mode, evaluator, rows);
    };
    const auto one_by_one = expected(1);
    for (const std::size_t rows : {7u, 512u}) EXPECT_EQ(expected(rows), one_by_one);
  }
}

}  // namespace
}  // namespace senet
