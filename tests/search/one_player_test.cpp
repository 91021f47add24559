// Games of one player: values count the moves left, nothing changes its sign, nothing is proven.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <vector>

#include "games/cube2/cube2.hpp"
#include "games/random_moves.hpp"
#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "search/network_alone.hpp"
#include "search/playout.hpp"
#include "search/search.hpp"
#include "tests/search/search_driver.hpp"

namespace senet {
namespace {

constexpr float kMost = 15;  // moves left at most, as far as values distinguish them

Cube2 cube(std::string_view text) { return Cube2::from_text(text).value(); }

// The policy is nearly even: the hash network's is arbitrary.
SearchSettings settings(Evaluates evaluates, std::uint32_t leaves = 1) {
  return {.evaluates = evaluates, .policy_temperature = 10, .leaves = leaves};
}

struct Found {
  std::vector<Choice> choices;
  Outcomes<Cube2> outcomes;
  float value;
  bool proven;
};
Found find(const Cube2& state, const SearchSettings& settings, std::uint32_t visits) {
  Search<Cube2> search(settings, limits_for<Cube2>(visits, settings.evaluates));
  Batch batch(64, row_size<Cube2>());
  search.start(state, {.visits = visits}, kNoNoise);
  run_search(search, *hash_evaluator<Cube2>(64), batch);
  const Tree<Cube2>& tree = search.tree();
  for (NodeId id = 0; id < tree.size(); ++id) {
    EXPECT_EQ(perspective(tree[id]), 0);
    EXPECT_LE(tree[id].q, 0);
    EXPECT_GE(tree[id].q, -kMost);
    EXPECT_FALSE(proven(tree[id]));
  }
  const Decision<Cube2> decision = search.decision();
  return {{decision.choices.begin(), decision.choices.end()},
          decision.outcomes,
          decision.value,
          decision.proven};
}

TEST(OnePlayer, MovesAreAddedToADistribution) {
  Outcomes<Cube2> left{};
  left[0] = 0.25f;
  left[3] = 0.5f;
  left[14] = left[15] = 0.125f;
  Outcomes<Cube2> before{};
  before[2] = 0.25f;
  before[5] = 0.5f;
  before[15] = 0.25f;
  EXPECT_EQ(moves_before(Cube2(), left, 2), before);
  EXPECT_EQ(moves_before(Cube2(), left, 0), left);
  EXPECT_EQ(moves_before(Cube2(), left, 100)[15], 1);
  // Two players: a move changes nothing.
  EXPECT_EQ(moves_before(TicTacToe(), {0.5f, 0.25f, 0.25f}),
            (Outcomes<TicTacToe>{0.5f, 0.25f, 0.25f}));
}

TEST(OnePlayer, ASearchFindsTheMoveThatEndsTheGame) {
  for (const Evaluates evaluates : {Evaluates::kPosition, Evaluates::kAfterstates}) {
    for (const std::uint32_t leaves : {1u, 8u}) {
      const Found found = find(cube("R"), settings(evaluates, leaves), 400);
      EXPECT_EQ(Cube2::action_text(found.choices.front().action), "R'");
      EXPECT_EQ(found.choices.front().value, -1);
      EXPECT_FALSE(found.proven);
      EXPECT_GT(found.value, -1.5f);
      EXPECT_LT(found.value, -0.999f);
      EXPECT_GT(found.outcomes[1], 0.8f);
      EXPECT_LT(found.outcomes[0], 1e-3f);  // values in a tree are rounded
    }
  }
}

// Each move further away is worth one less.
TEST(OnePlayer, AMoveCostsOne) {
  const Found two = find(cube("R U"), settings(Evaluates::kAfterstates), 2000);
  EXPECT_EQ(Cube2::action_text(two.choices.front().action), "U'");
  EXPECT_NEAR(two.choices.front().value, -2, 0.3);
  EXPECT_GT(two.outcomes[2], 0.6f);
  const Found three = find(cube("R U F"), settings(Evaluates::kAfterstates), 20'000);
  EXPECT_EQ(Cube2::action_text(three.choices.front().action), "F'");
  EXPECT_NEAR(three.choices.front().value, -3, 0.3);
  // The distribution has the value as its mean.
  for (const Found& found : {two, three}) {
    EXPECT_NEAR(mean_value(Cube2(), found.outcomes), found.value, 1e-3);
  }
}

// One visit values the moves by the network alone: the move itself and what is left after it.
TEST(OnePlayer, AnAfterstateIsOneMoveNearer) {
  const Cube2 state = cube("R U F R2 U'");
  const auto evaluator = hash_evaluator<Cube2>(64);
  const Found found = find(state, settings(Evaluates::kAfterstates), 1);
  for (const Choice& choice : found.choices) {
    Cube2 after = state;
    after.play(choice.action);
    const auto left = expected_alone(after, Evaluates::kPosition, *evaluator);
    EXPECT_NEAR(choice.value, mean_value(after, moves_before(after, left)), 1e-3);
  }
  // The network of afterstates expects the best of them.
  const auto expected = expected_alone(state, Evaluates::kAfterstates, *evaluator);
  EXPECT_NEAR(mean_value(state, expected), found.choices.front().value, 1e-3);
  EXPECT_NEAR(std::accumulate(expected.begin(), expected.end(), 0.0f), 1, 1e-5);
}

// A search by plies: the value of ply 1 is that of the best second move, two moves nearer.
TEST(OnePlayer, PliesCountTheirMoves) {
  SearchSettings by_plies = settings(Evaluates::kAfterstates);
  by_plies.plies = {.ply = 1, .moves = 9, .window = 100};
  const Cube2 state = cube("R U F R2 U' F");
  Search<Cube2> search(by_plies, limits_for<Cube2>(1, Evaluates::kAfterstates));
  Batch batch(64, row_size<Cube2>());
  const auto evaluator = hash_evaluator<Cube2>(64);
  search.start(state, {.visits = 1}, kNoNoise);
  run_search(search, *evaluator, batch);
  for (const Choice& choice : search.decision().choices) {
    Cube2 after = state;
    after.play(choice.action);
    const auto left = expected_alone(after, Evaluates::kAfterstates, *evaluator);
    EXPECT_NEAR(choice.value, mean_value(after, moves_before(after, left)), 1e-3)
        << Cube2::action_text(choice.action);
  }
}

TEST(OnePlayer, PlayoutsCountTheirMoves) {
  Cube2 last = cube("0123456/1010211 1");
  EXPECT_EQ(play_out(last)[15], 1);
  std::array<std::size_t, 16> ends{};
  for (std::uint32_t number = 0; number < 2000; ++number) {
    const Outcomes<Cube2> end = play_out(cube("R"), number);
    ++ends[static_cast<std::size_t>(std::ranges::max_element(end) - end.begin())];
  }
  EXPECT_EQ(ends[0], 0u);
  EXPECT_NEAR(static_cast<double>(ends[1]), 2000.0 / 9, 60);
  EXPECT_GT(ends[2], 10u);  // R2 R', say
  EXPECT_GT(ends[15], 1000u);
}

// Turning a face back and forth is lost time, and no more: the value stays that of the way out.
TEST(OnePlayer, ARepetitionIsLostTime) {
  Search<Cube2> search(settings(Evaluates::kPosition),
                       limits_for<Cube2>(3000, Evaluates::kPosition));
  Batch batch(64, row_size<Cube2>());
  search.start(cube("R U"), {.visits = 3000}, kNoNoise);
  run_search(search, *hash_evaluator<Cube2>(64), batch);
  const Tree<Cube2>& tree = search.tree();
  std::size_t repeated = 0;
  for (NodeId id = 0; id < tree.size(); ++id) {
    const Cube2& state = tree.state(id);
    if (state.as_start() != cube("R U") || id == search.root()) continue;
    ++repeated;
    EXPECT_LT(state.moves_left(), Cube2::kMaxPlies - 1);
  }
  EXPECT_GT(repeated, 0u);
  EXPECT_EQ(Cube2::action_text(search.decision().best()), "U'");
}

}  // namespace
}  // namespace senet
