// Searches that ask a tablebase: bear-offs of backgammon.
#include "search/tablebase.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/game_types.hpp"
#include "tests/games/backgammon_bearoff.hpp"
#include "tests/search/search_driver.hpp"

namespace senet {
namespace {

using backgammon::Board;
using backgammon::Checkers;

constexpr std::size_t kRows = 64;

Tablebase<Backgammon> bearoffs() { return Tablebase<Backgammon>(backgammon::bearoff_bytes()); }

Checkers on_points(std::initializer_list<int> points) {
  Checkers checkers{};
  for (const int point : points) ++checkers[static_cast<std::size_t>(point)];
  return *backgammon::with_borne_off(checkers);
}

/// The value of a position before a roll for `player`, by the tablebase.
float value_of(const Backgammon& state, Player player) {
  if (state.turn() == Turn::kOver) return final_value(state, player);
  Outcomes<Backgammon> known{};
  EXPECT_TRUE(bearoffs().find(state, known));
  const float value = mean_value(state, known);
  return state.viewer() == player ? value : -value;
}

class TablebaseTest : public testing::TestWithParam<Evaluates> {
 protected:
  Search<Backgammon> search_with(const Tablebase<Backgammon>& tablebase, std::uint32_t visits) {
    Search<Backgammon> search({.evaluates = GetParam()},
                              limits_for<Backgammon>(visits, GetParam()));
    search.set_tablebase(tablebase);
    return search;
  }
  Decision<Backgammon> run(Search<Backgammon>& search, const Backgammon& state,
                           std::uint32_t visits,
                           std::unique_ptr<Tree<Backgammon>>* spare = nullptr) {
    search.start(state, {.visits = visits}, kNoNoise, spare);
    run_search(search, *evaluator_, batch_);
    return search.decision();
  }

  const std::unique_ptr<Evaluator> evaluator_ = hash_evaluator<Backgammon>(kRows);
  Batch batch_{kRows, row_size<Backgammon>()};
};

INSTANTIATE_TEST_SUITE_P(Modes, TablebaseTest,
                         testing::Values(Evaluates::kPosition, Evaluates::kAfterstates),
                         [](const auto& each) { return std::string(name_of(each.param)); });

TEST_P(TablebaseTest, ChoosesTheBestKnownMoveWithoutTheNetwork) {
  Random random(21, 0, 0, Purpose::kTest);
  Search<Backgammon> search = search_with(bearoffs(), 100);
  for (int i = 0; i < 300; ++i) {
    const Board board = backgammon::random_bearoff(random, i % 2 == 0 ? 6 : 15);
    const auto player = static_cast<Player>(random.below(2));
    const Backgammon state =
        *Backgammon::from_board(board, player, backgammon::random_dice(random));
    const Decision<Backgammon> decision = run(search, state, i % 3 == 0 ? 1 : 100);
    EXPECT_EQ(decision.evaluations, 0u);
    EXPECT_EQ(decision.visits, 1u);
    EXPECT_FALSE(decision.full);
    EXPECT_TRUE(search.is_settled());
    float best = -9;
    ActionList<Backgammon::kMaxLegal> legal;
    state.legal(legal);
    ASSERT_EQ(decision.choices.size(), legal.size());
    for (const Action action : legal) {
      Backgammon after = state;
      after.play(action);
      best = std::max(best, value_of(after, player));
    }
    Backgammon after = state;
    after.play(decision.best());
    ASSERT_EQ(value_of(after, player), best) << state.text();
    // A node's own value has 16 bits.
    ASSERT_NEAR(decision.value, best, 1e-4);
    ASSERT_NEAR(mean_value(state, decision.outcomes), best, 1e-4);
  }
}

// A checker that bears in: some moves lead into the tablebase, the others do not.
TEST_P(TablebaseTest, MixesKnownMovesWithOthers) {
  const Board board{on_points({7, 4, 2, 1}), on_points({6, 5, 3, 1, 1})};
  const Backgammon state = *Backgammon::from_board(board, 1, backgammon::make_dice(2, 1));
  Search<Backgammon> with = search_with(bearoffs(), 200);
  Search<Backgammon> without = search_with({}, 200);
  const Decision<Backgammon> decision = run(with, state, 200);
  const auto plain = run(without, state, 200);
  EXPECT_EQ(decision.visits, 200u);
  EXPECT_LT(decision.evaluations, plain.evaluations);
  EXPECT_GT(decision.evaluations, 0u);
  EXPECT_FALSE(with.is_settled());
  std::size_t known = 0;
  for (const Choice& choice : decision.choices) {
    Backgammon after = state;
    after.play(choice.action);
    Outcomes<Backgammon> outcomes{};
    if (choice.visits == 0 || !bearoffs().find(after, outcomes)) continue;
    ++known;
    EXPECT_FLOAT_EQ(choice.value, value_of(after, 1));
    EXPECT_NEAR(mean_value(state, with.outcomes_after(choice.action)), choice.value, 1e-5);
  }
  EXPECT_GT(known, 0u);
}

// Nothing is searched below a position that the tablebase knows, or a decision between such
// positions.
TEST_P(TablebaseTest, EndsVisitsWhereItKnowsTheResult) {
  const Board board{on_points({12, 1}), on_points({6, 5, 3, 1, 1})};
  const Backgammon state = *Backgammon::from_board(board, 0, backgammon::make_dice(3, 2));
  Search<Backgammon> search = search_with(bearoffs(), 3000);
  const Decision<Backgammon> decision = run(search, state, 3000);
  EXPECT_EQ(decision.visits, 3000u);
  const Tree<Backgammon>& tree = search.tree();
  std::size_t known = 0, choices = 0;
  for (NodeId id = 0; id < tree.size(); ++id) {
    const Node& node = tree[id];
    Outcomes<Backgammon> outcomes{};
    const bool is_known =
        tree.state(id).turn() != Turn::kOver && bearoffs().find(tree.state(id), outcomes);
    const bool is_flagged = (node.flags & kInTablebase) != 0;
    known += is_known;
    choices += is_flagged && !is_known;
    EXPECT_TRUE(is_flagged || !is_known);
    EXPECT_TRUE(node.opened == 0 || !is_flagged);
    EXPECT_TRUE(node.edges == 0 || !is_known);
  }
  EXPECT_GT(known + choices, 100u);
}

TEST_P(TablebaseTest, WorksWithKeptTrees) {
  const TreeLimits limits = limits_for<Backgammon>(100, GetParam());
  auto spare = std::make_unique<Tree<Backgammon>>(limits);
  Search<Backgammon> search = search_with(bearoffs(), 100);
  for (std::uint64_t game = 0; game < 20; ++game) {
    Random random(23, game, 0, Purpose::kTest);
    Backgammon state = *Backgammon::from_board(
        {on_points({9, 8, 7, 5, 4, 4, 2}), on_points({8, 7, 6, 5, 3, 1, 1})}, 0);
    search.forget();
    while (state.turn() != Turn::kOver) {
      if (state.turn() == Turn::kChance) {
        state.play(draw_action(state, random));
        continue;
      }
      const Decision<Backgammon> decision = run(search, state, 100, &spare);
      ASSERT_TRUE(decision.visits == 100 || decision.proven || search.is_settled());
      ASSERT_FALSE(decision.full);
      state.play(decision.best());
    }
  }
}

// A search that begins before a roll.
TEST_P(TablebaseTest, SearchesAChanceTurn) {
  const Backgammon state = *Backgammon::from_board({on_points({6, 5, 2}), on_points({4, 4, 3})}, 1);
  Search<Backgammon> search = search_with(bearoffs(), 400);
  const Decision<Backgammon> decision = run(search, state, 400);
  EXPECT_EQ(decision.evaluations, 0u);
  EXPECT_NEAR(-decision.value, value_of(state, 1), 0.02);
}

TEST_P(TablebaseTest, ChangesNothingElsewhere) {
  const Tablebase<Backgammon> none;
  EXPECT_FALSE(none);
  EXPECT_FALSE(Tablebase<Backgammon>(std::span<const std::byte>()));
  Random random(24, 0, 0, Purpose::kTest);
  Search<Backgammon> with = search_with(bearoffs(), 60), without = search_with(none, 60);
  for (int i = 0; i < 10; ++i) {
    Backgammon state;
    while (state.turn() != Turn::kPlayer1) state.play(draw_action(state, random));
    EXPECT_EQ(signature(run(with, state, 60)), signature(run(without, state, 60)));
  }
}

// Known moves keep their exact values at every ply; a decision among known moves is settled at
// once.
TEST(Tablebase, SearchesByPliesAskItToo) {
  SearchSettings settings{.evaluates = Evaluates::kAfterstates};
  settings.plies.ply = 2;
  const auto evaluator = hash_evaluator<Backgammon>(kRows);
  Batch batch(kRows, row_size<Backgammon>());
  const auto search = [&](const Tablebase<Backgammon>& tablebase, const Backgammon& state) {
    Search<Backgammon> by_plies(settings, limits_for<Backgammon>(1, settings.evaluates));
    by_plies.set_tablebase(tablebase);
    by_plies.start(state, {}, kNoNoise);
    run_search(by_plies, *evaluator, batch);
    return by_plies;
  };
  const Board mixed{on_points({7, 4, 2, 1}), on_points({6, 5, 3, 1, 1})};
  const Backgammon some = *Backgammon::from_board(mixed, 1, backgammon::make_dice(2, 1));
  auto with = search(bearoffs(), some);
  auto without = search({}, some);
  const Decision<Backgammon> decision = with.decision();
  EXPECT_FALSE(with.is_settled());
  EXPECT_EQ(decision.visits, 3u);
  EXPECT_LT(decision.evaluations, without.decision().evaluations);
  std::size_t known = 0;
  for (const Choice& choice : decision.choices) {
    Backgammon after = some;
    after.play(choice.action);
    Outcomes<Backgammon> outcomes{};
    if (!bearoffs().find(after, outcomes)) continue;
    ++known;
    EXPECT_FLOAT_EQ(choice.value, value_of(after, 1));
  }
  EXPECT_GT(known, 0u);
  EXPECT_LT(known, decision.choices.size());

  Random random(22, 0, 0, Purpose::kTest);
  for (int i = 0; i < 50; ++i) {
    const Board board = backgammon::random_bearoff(random, 15);
    const Backgammon all = *Backgammon::from_board(board, 0, backgammon::random_dice(random));
    auto settled = search(bearoffs(), all);
    EXPECT_TRUE(settled.is_settled());
    EXPECT_EQ(settled.decision().visits, 1u);
    EXPECT_EQ(settled.decision().evaluations, 0u);
    Backgammon after = all;
    after.play(settled.decision().best());
    EXPECT_FLOAT_EQ(settled.decision().value, value_of(after, 0));
  }
}

TEST(Tablebase, AnswersForTheNetworkAlone) {
  const auto evaluator = hash_evaluator<Backgammon>(kRows);
  for (const Evaluates evaluates : {Evaluates::kPosition, Evaluates::kAfterstates}) {
    for (const Player player : {Player{0}, Player{1}}) {
      const Backgammon known = *Backgammon::from_board({on_points({3}), on_points({1})}, player);
      Outcomes<Backgammon> outcomes{};
      ASSERT_TRUE(bearoffs().find(known, outcomes));
      EXPECT_EQ(expected_alone(known, evaluates, *evaluator, bearoffs()), outcomes);
      EXPECT_NE(expected_alone(known, evaluates, *evaluator), outcomes);
    }
  }
}

}  // namespace
}  // namespace senet
