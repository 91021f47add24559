// The budget of a search, and the principal variation.
#include <gtest/gtest.h>

#include <algorithm>

#include "search/search.hpp"
#include "tests/all_games.hpp"
#include "tests/search/search_driver.hpp"

namespace senet {
namespace {

// A search with the hash evaluator and a batch.
template <Game G>
struct HashSearch {
  explicit HashSearch(std::uint32_t visits)
      : search({}, limits_for<G>(visits, Evaluates::kPosition)),
        evaluator(hash_evaluator<G>(1)),
        batch(1, row_size<G>()) {}

  void run() { run_search(search, *evaluator, batch); }

  Search<G> search;
  std::unique_ptr<Evaluator> evaluator;
  Batch batch;
};

// gather() returns regularly even if no visit needs the network, and loses nothing by it.
TEST(SearchBudget, GatherPausesWhereNoNetworkIsAsked) {
  constexpr std::uint32_t kVisits = 50'000;
  HashSearch<TicTacToe> player(kVisits);
  player.search.start({}, {.visits = kVisits}, kNoNoise);
  const auto visits = [&] { return player.search.tree()[player.search.root()].n; };
  std::uint32_t pauses = 0;
  for (;;) {
    const std::uint32_t before = player.search.tree().size() > 0 ? visits() : 0;
    const Step step = player.search.gather(player.batch);
    ASSERT_NE(step, Step::kBatchFull);
    ASSERT_LE(visits() - before, kPause);
    if (step == Step::kDone) break;
    if (step == Step::kPaused) {
      ++pauses;
      EXPECT_EQ(visits() - before, kPause);
      EXPECT_EQ(player.batch.size(), 0u);
      EXPECT_FALSE(player.search.has_leaf());
      continue;
    }
    player.evaluator->forward(player.batch);
    player.batch.clear();
    player.search.absorb();
  }
  EXPECT_GT(pauses, 10u);
  const Decision<TicTacToe> decision = player.search.decision();
  EXPECT_TRUE(decision.proven || decision.visits == kVisits);
}

TEST(SearchBudget, TheFirstVisitIsAlwaysMade) {
  HashSearch<ConnectFour> player(10);
  player.search.start(ConnectFour{}, {.visits = 0}, kNoNoise);
  player.run();
  EXPECT_EQ(player.search.decision().visits, 1u);
}

TEST(PrincipalVariation, IsALegalLineThatBeginsAsAsked) {
  HashSearch<ConnectFour> player(5000);
  player.search.start(ConnectFour{}, {.visits = 5000}, kNoNoise);
  player.run();
  const Decision<ConnectFour> decision = player.search.decision();
  for (const Choice& choice : decision.choices) {
    const auto line = principal_variation(player.search, choice.action);
    ASSERT_FALSE(line.empty());
    EXPECT_EQ(line.front(), choice.action);
    ConnectFour state;
    std::uint32_t unforced = 0;
    for (const Action action : line) {
      ActionList<ConnectFour::kMaxLegal> legal, sound;
      ASSERT_NE(state.turn(), Turn::kOver);
      state.legal(legal);
      EXPECT_TRUE(std::ranges::binary_search(legal, action));
      state.sound(sound);
      unforced += sound.size() > 1;
      state.play(action);
    }
    EXPECT_LE(unforced, std::max(choice.visits, 1u));
  }
  EXPECT_GT(principal_variation(player.search, decision.best()).size(), 2u);
}

// The tree has no nodes for forced replies, but the line includes them.
TEST(PrincipalVariation, TellsForcedReplies) {
  const ConnectFour state = *ConnectFour::from_text("1727");
  HashSearch<ConnectFour> player(500);
  player.search.start(state, {.visits = 500}, kNoNoise);
  player.run();
  const auto line = principal_variation(player.search, 2);  // three in the bottom row
  ASSERT_GE(line.size(), 3u);
  EXPECT_EQ(line[1], 3);

  // For a move that loses at once, the line is the refutation.
  const ConnectFour threatened = *ConnectFour::from_text("217161");
  player.search.start(threatened, {.visits = 20}, kNoNoise);
  player.run();
  EXPECT_EQ(principal_variation(player.search, 6), (ActionList<kLongestVariation>{6, 0}));
}

// The winner's moves are the proven ones, however few visits they have.
TEST(PrincipalVariation, FollowsProofs) {
  HashSearch<TicTacToe> player(20000);
  const TicTacToe state = *TicTacToe::from_text("a1c3a3");  // X has two corners: O blocks, X forks
  player.search.start(state, {.visits = 20000}, kNoNoise);
  player.run();
  const Decision<TicTacToe> decision = player.search.decision();
  ASSERT_TRUE(decision.proven);
  EXPECT_EQ(decision.value, -1.0f);
  TicTacToe end = state;
  for (const Action action : principal_variation(player.search, decision.best())) end.play(action);
  ASSERT_EQ(end.turn(), Turn::kOver);
  EXPECT_EQ(final_value(end, 0), 1.0f);
}

// After a turn the dice decide.
TEST(PrincipalVariation, EndsAtChance) {
  HashSearch<Backgammon> player(300);
  player.search.start(*Backgammon::from_text("4HPwATDgc/ABMA:0:31"), {.visits = 300}, kNoNoise);
  player.run();
  EXPECT_EQ(principal_variation(player.search, player.search.decision().best()).size(), 1u);
}

}  // namespace
}  // namespace senet
