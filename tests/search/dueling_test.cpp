// Searches of moves: a dueling network answers for all moves of a position at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "games/connect_four/connect_four.hpp"
#include "games/cube2/cube2.hpp"
#include "games/random_moves.hpp"
#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "tests/search/search_driver.hpp"

namespace senet {
namespace {

template <Game G>
Weights dueling_weights(std::uint64_t seed) {
  NetworkSpec spec = reference_spec<G>();
  spec.width = 16;
  spec.blocks = 1;
  spec.dueling = true;
  const Network drawn = initial_network(spec, seed);
  // The last layers of a new network are small, so that all moves would look alike.
  std::vector<float> parameters(drawn.parameters().begin(), drawn.parameters().end());
  for (const TensorPlace& place : parameter_layout(spec)) {
    if (place.name.find(".out.") == std::string::npos) continue;
    Random random(seed, place.offset, 0, Purpose::kTest);
    for (std::size_t i = 0; i < place.size(); ++i) parameters[place.offset + i] = random.normal();
  }
  return Weights(Network(spec, parameters));
}

template <Game G>
std::unique_ptr<Evaluator> evaluator_of(const Weights& weights, std::size_t rows = 64) {
  return std::move(*make_evaluator(EvaluatorKind::kReference, weights, rows));
}

/// What the network expects after each move that a search considers, by the formula of NetworkSpec:
/// in double, from all of its advantages.
template <Game G>
std::vector<std::vector<double>> expected_after(const G& state, Evaluator& evaluator) {
  constexpr std::size_t kWays = kOutcomes<G>, kAll = G::kPolicyLogits * kWays;
  std::vector<std::uint16_t> wanted(kAll);
  for (std::size_t i = 0; i < kAll; ++i) wanted[i] = static_cast<std::uint16_t>(i);
  std::vector<float> advantages(kAll);
  Outcomes<G> value{};
  Batch batch(1, row_size<G>());
  batch.add({value, wanted, advantages.data()}, state);
  evaluator.forward(batch);
  ActionList<G::kMaxLegal> moves;
  moves_to_consider(state, moves);
  const auto advantage = [&](Action move, std::size_t i) {
    double sum = 0;
    for (const std::uint16_t logit : state.logits_of(move)) {
      if (logit != kNoLogit) sum += advantages[logit * kWays + i];
    }
    return sum;
  };
  std::vector<std::vector<double>> all;
  for (const Action move : moves) {
    std::vector<double> after(kWays);
    double sum = 0;
    for (std::size_t i = 0; i < kWays; ++i) {
      double mean = 0;
      for (const Action other : moves)
        mean += advantage(other, i) / static_cast<double>(moves.size());
      sum += after[i] = value[i] * std::exp(advantage(move, i) - mean);
    }
    for (double& share : after) share /= sum;
    all.push_back(after);
  }
  return all;
}

template <Game G>
G after(const G& state, Action move) {
  G next = state;
  next.play(move);
  return next;
}

template <Game G>
double mean_of(const std::vector<double>& outcomes) {
  double mean = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) mean += outcomes[i] * outcome_values(G{})[i];
  return mean;
}

template <class G>
class DuelingTest : public testing::Test {};
using DuelingGames = testing::Types<TicTacToe, ConnectFour, Cube2>;
TYPED_TEST_SUITE(DuelingTest, DuelingGames);

// One visit: the moves by their values, which cost one row. The network alone expects the best.
TYPED_TEST(DuelingTest, OneRowValuesAllMoves) {
  using G = TypeParam;
  const Weights weights = dueling_weights<G>(3);
  const auto evaluator = evaluator_of<G>(weights);
  std::size_t ends = 0, positions = 0;
  for (std::uint64_t game = 0; game < 20; ++game) {
    G state;
    if constexpr (ScrambledGame<G>)
      state = after(G::solved(), static_cast<Action>(game % 9)).as_start();
    for (std::uint32_t ply = 0; ply < 30 && state.turn() != Turn::kOver; ++ply) {
      Search<G> search({.evaluates = Evaluates::kMoves}, limits_for<G>(1, Evaluates::kMoves));
      Batch batch(64, row_size<G>());
      search.start(state, {.visits = 1}, kNoNoise);
      run_search(search, *evaluator, batch);
      const Decision<G> decision = search.decision();
      EXPECT_EQ(decision.evaluations, 1u);
      const auto expected = expected_after(state, *evaluator);
      ActionList<G::kMaxLegal> moves;
      moves_to_consider(state, moves);
      double best = -1e9;
      for (std::size_t i = 0; i < moves.size(); ++i) {
        const G next = after(state, moves[i]);
        double value = mean_of<G>(expected[i]);
        if (next.turn() == Turn::kOver) {
          ++ends;
          Outcomes<G> end = certain_end(next);
          if (state.viewer() == 1) end = mirrored(next, end);
          value = mean_value(next, moves_before(next, end));
        }
        best = std::max(best, value);
        const auto choice = std::ranges::find(decision.choices, moves[i], &Choice::action);
        ASSERT_NE(choice, decision.choices.end());
        EXPECT_NEAR(choice->value, value, 1e-3) << state.action_text(moves[i]);
      }
      EXPECT_NEAR(decision.choices.front().value, best, 1e-3);
      // A forced move is played first.
      const auto alone = expected_alone(state, Evaluates::kMoves, *evaluator);
      if (moves.size() > 1) {
        EXPECT_NEAR(mean_value(state, alone), best, 1e-4);
      }
      ++positions;
      Random draw(5, game, ply, Purpose::kTest);
      state.play(moves[draw.below(static_cast<std::uint32_t>(moves.size()))]);
    }
  }
  EXPECT_GT(positions, 100u);
  EXPECT_GE(ends, 10u);
}

// A search of some moves values them as one of all.
TYPED_TEST(DuelingTest, AMoveIsValuedTheSameAlone) {
  using G = TypeParam;
  const Weights weights = dueling_weights<G>(7);
  const auto evaluator = evaluator_of<G>(weights);
  const G state = first_decision<G>();
  const auto choices = [&](std::span<const Action> only) {
    Search<G> search({.evaluates = Evaluates::kMoves}, limits_for<G>(1, Evaluates::kMoves));
    Batch batch(64, row_size<G>());
    search.start(state, {.visits = 1, .only = only}, kNoNoise);
    run_search(search, *evaluator, batch);
    const auto found = search.decision().choices;
    return std::vector<Choice>(found.begin(), found.end());
  };
  const std::vector<Choice> all = choices({});
  EXPECT_GT(all.front().value - all.back().value, 0.1f);
  for (const Choice& choice : all) {
    const std::vector<Choice> alone = choices({&choice.action, 1});
    ASSERT_EQ(alone.size(), 1u);
    EXPECT_EQ(alone.front().value, choice.value);
  }
}

// Each visit that reaches a new position asks for one row.
TYPED_TEST(DuelingTest, ATreeAsksForOneRowPerNode) {
  using G = TypeParam;
  const Weights weights = dueling_weights<G>(4);
  const auto evaluator = evaluator_of<G>(weights);
  for (const std::uint32_t leaves : {1u, 8u}) {
    Search<G> search({.evaluates = Evaluates::kMoves, .leaves = leaves},
                     limits_for<G>(200, Evaluates::kMoves));
    Batch batch(64, row_size<G>());
    search.start(first_decision<G>(), {.visits = 200}, kNoNoise);
    run_search(search, *evaluator, batch);
    const Decision<G> decision = search.decision();
    EXPECT_EQ(decision.visits, 200u);
    EXPECT_LE(decision.evaluations, 200u);
    EXPECT_GT(decision.evaluations, 50u);  // tic-tac-toe has few positions
    EXPECT_FALSE(decision.full);
    EXPECT_NEAR(mean_value(G{}, decision.outcomes), decision.value, 1e-3);
  }
}

TEST(Dueling, ASearchFindsTheMoveThatEndsTheGame) {
  const Weights weights = dueling_weights<Cube2>(5);
  const auto evaluator = evaluator_of<Cube2>(weights);
  for (const std::uint32_t visits : {1u, 400u}) {
    Search<Cube2> search({.evaluates = Evaluates::kMoves},
                         limits_for<Cube2>(visits, Evaluates::kMoves));
    Batch batch(64, row_size<Cube2>());
    search.start(Cube2::from_text("R").value(), {.visits = visits}, kNoNoise);
    run_search(search, *evaluator, batch);
    const Choice best = search.decision().choices.front();
    EXPECT_EQ(Cube2::action_text(best.action), "R'");
    EXPECT_NEAR(best.value, -1, 1e-3);  // values in a tree are rounded
  }
}

// Many positions that share small batches.
TEST(Dueling, TheNetworkAloneDoesNotDependOnTheBatch) {
  const Weights weights = dueling_weights<ConnectFour>(6);
  const auto evaluator = evaluator_of<ConnectFour>(weights);
  std::vector<ConnectFour> states;
  ConnectFour state;
  for (std::uint32_t ply = 0; state.turn() != Turn::kOver; ++ply) {
    states.push_back(state);
    ActionList<ConnectFour::kMaxLegal> moves;
    state.legal(moves);
    Random draw(6, 0, ply, Purpose::kTest);
    state.play(moves[draw.below(static_cast<std::uint32_t>(moves.size()))]);
  }
  states.push_back(state);
  const auto all =
      expected_alone(std::span<const ConnectFour>(states), Evaluates::kMoves, *evaluator, 64);
  const auto some =
      expected_alone(std::span<const ConnectFour>(states), Evaluates::kMoves, *evaluator, 3);
  EXPECT_EQ(all, some);
}

TEST(Dueling, ModesAndNetworksBelongTogether) {
  NetworkSpec spec = reference_spec<Cube2>();
  const GameModes cube = modes_of(Cube2());
  EXPECT_EQ(resolve_evaluates(spec, cube, Evaluates::kMoves).error().reason(),
            "mode: only a dueling network values moves");
  spec.dueling = true;
  EXPECT_EQ(*resolve_evaluates(spec, cube), Evaluates::kMoves);
  for (const Evaluates other : {Evaluates::kPosition, Evaluates::kAfterstates}) {
    EXPECT_EQ(resolve_evaluates(spec, cube, other).error().reason(),
              "mode: a dueling network only values moves");
  }
  EXPECT_EQ(resolve_evaluates(spec, {.afterstates = true, .moves = false}).error().reason(),
            "mode: the moves of cube2 cannot be valued all at once");
  EXPECT_TRUE(check_spec(spec));
  spec.policy_head = false;
  EXPECT_NE(check_spec(spec).error().reason().find("policy head"), std::string::npos);
  spec.policy_head = true;
  spec.policy_logits = 5000;
  EXPECT_EQ(check_spec(spec).error().reason(),
            "dueling: 5000 policy logits for each of 16 outcomes are more than 65535");
}

}  // namespace
}  // namespace senet
