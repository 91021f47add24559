// Matches: fair sides, the same games for the same seed, and sums that are right.
#include "selfplay/match.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "games/backgammon.hpp"
#include "games/connect_four.hpp"
#include "games/tic_tac_toe.hpp"
#include "nn/fused_evaluator.hpp"
#include "nn/network.hpp"
#include "tests/game_types.hpp"

namespace senet {
namespace {

/// Always the first or always the last legal action.
template <Game G>
class EdgePlayer final : public MatchPlayer<G> {
 public:
  explicit EdgePlayer(bool last) : last_(last) {}
  void choose(std::span<const G> states, std::span<Action> actions, Random) override {
    for (std::size_t i = 0; i < states.size(); ++i) {
      ASSERT_TRUE(is_decision(states[i].turn()));
      ActionList<G::kMaxLegal> legal;
      states[i].legal(legal);
      EXPECT_GT(legal.size(), 1u) << "forced moves need no player";
      actions[i] = last_ ? legal.back() : legal.front();
    }
  }

 private:
  bool last_;
};

void ignore(std::size_t) {}

template <class G>
class MatchOf : public testing::Test {};
TYPED_TEST_SUITE(MatchOf, GameTypes, GameName);

TYPED_TEST(MatchOf, SwappedPlayersGiveTheMirroredResult) {
  using G = TypeParam;
  EdgePlayer<G> first(false), second(true);
  const MatchSettings settings{.pairs = 40, .random_plies = 3, .ply_cap = 3000, .seed = 9};
  const MatchResult ab = play_match<G>(first, second, settings, ignore);
  const MatchResult ba = play_match<G>(second, first, settings, ignore);
  EXPECT_EQ(ab.games, 80u);
  EXPECT_EQ(ab.wins, ba.losses);
  EXPECT_EQ(ab.losses, ba.wins);
  EXPECT_EQ(ab.draws, ba.draws);
  EXPECT_EQ(ab.cut, ba.cut);
  EXPECT_NEAR(ab.points, -ba.points, 1e-12);
  EXPECT_NEAR(ab.score, 1 - ba.score, 1e-12);
  EXPECT_NEAR(ab.points_error, ba.points_error, 1e-9);
  for (std::size_t i = 0; i < kOutcomes<G>; ++i) {
    EXPECT_EQ(ab.outcomes[i], ba.outcomes[G::kOutcomeMirror[i]]);
  }
}

// In both games of a pair the same positions arise, with the roles exchanged.
TYPED_TEST(MatchOf, OneDeterministicPlayerAgainstItselfIsExactlyEven) {
  using G = TypeParam;
  EdgePlayer<G> first(true), second(true);
  const MatchResult result =
      play_match<G>(first, second, {.pairs = 20, .random_plies = 2, .ply_cap = 3000}, ignore);
  EXPECT_EQ(result.wins, result.losses);
  EXPECT_EQ(result.points, 0);
  EXPECT_EQ(result.points_error, 0);
  EXPECT_EQ(result.score, 0.5);
  EXPECT_EQ(result.score_error, 0);
}

TYPED_TEST(MatchOf, TheSeedDecides) {
  using G = TypeParam;
  RandomPlayer<G> first, second;
  const auto play = [&](std::uint64_t seed) {
    return play_match<G>(first, second, {.pairs = 100, .seed = seed}, ignore).outcomes;
  };
  EXPECT_EQ(play(1), play(1));
  EXPECT_NE(play(1), play(2));
}

TYPED_TEST(MatchOf, LongGamesAreCut) {
  using G = TypeParam;
  RandomPlayer<G> first, second;
  const MatchResult result = play_match<G>(first, second, {.pairs = 5, .ply_cap = 4}, ignore);
  EXPECT_EQ(result.cut, 10u);
  EXPECT_EQ(result.draws, 10u);
  EXPECT_EQ(result.points, 0);
  EXPECT_EQ(result.score, 0.5);
}

TEST(Match, ProgressGrowsUpToAllGames) {
  RandomPlayer<ConnectFour> first, second;
  std::size_t before = 0;
  play_match<ConnectFour>(first, second, {.pairs = 30}, [&](std::size_t finished) {
    EXPECT_GE(finished, before);
    before = finished;
  });
  EXPECT_EQ(before, 60u);
}

// Searched to the end, tic-tac-toe is never lost, and a random player loses most of the time.
TEST(Match, PerfectTicTacToeBeatsRandom) {
  // Untrained, so its priors are nearly even: no move is overlooked for long, and with so many
  // visits the best move of every position is right.
  constexpr std::uint32_t kVisits = 6'000;
  constexpr std::size_t kLanes = 8;
  NetworkSpec spec = reference_spec<TicTacToe>();
  spec.width = 16;  // small: it is asked very often, and has nothing to say
  spec.blocks = 0;
  FusedEvaluator evaluator(initial_network(spec, 1));
  SearchPlayer<TicTacToe> perfect(evaluator, SearchSettings{}, kVisits, kLanes, kLanes);
  RandomPlayer<TicTacToe> random;
  const MatchSettings settings{.pairs = 30, .random_plies = 0};
  const MatchResult first = play_match<TicTacToe>(perfect, random, settings, ignore);
  EXPECT_EQ(first.losses, 0u);
  EXPECT_GT(first.wins, 45u);
  EXPECT_GT(first.score, 0.8);
  const MatchResult second = play_match<TicTacToe>(random, perfect, settings, ignore);
  EXPECT_EQ(second.wins, 0u);
  EXPECT_LT(second.score, 0.2);
  const MatchResult itself = play_match<TicTacToe>(perfect, perfect, settings, ignore);
  EXPECT_EQ(itself.draws, itself.games);
}

TEST(MatchResult, Sums) {
  // Pairs: won and won, won and lost, drawn and cut. Backgammon's values, a gammon among them.
  const std::vector<MatchGame> games = {0, 1, 0, 3, std::nullopt, std::nullopt};
  const MatchResult result = sum_up(games, Backgammon::kOutcomeValues);
  EXPECT_EQ(result.games, 6u);
  EXPECT_EQ(result.wins, 3u);
  EXPECT_EQ(result.losses, 1u);
  EXPECT_EQ(result.draws, 2u);
  EXPECT_EQ(result.cut, 2u);
  EXPECT_EQ(result.outcomes, (std::vector<std::size_t>{2, 1, 0, 1, 0, 0}));
  // Means of the pairs: points 1.5, 0, 0; score 1, 0.5, 0.5.
  EXPECT_NEAR(result.points, 0.5, 1e-12);
  EXPECT_NEAR(result.points_error, 0.5, 1e-12);
  EXPECT_NEAR(result.score, 2 / 3.0, 1e-12);
  EXPECT_NEAR(result.score_error, 1 / 6.0, 1e-12);
}

TEST(MatchResult, OnePairHasNoError) {
  const std::vector<MatchGame> games = {0, 0};
  const MatchResult result = sum_up(games, ConnectFour::kOutcomeValues);
  EXPECT_EQ(result.score, 1);
  EXPECT_EQ(result.score_error, 0);
}

TEST(MatchResult, EloDifference) {
  EXPECT_EQ(elo_difference(0.5), 0);
  EXPECT_NEAR(elo_difference(0.75), 190.8485, 1e-3);
  EXPECT_NEAR(elo_difference(0.25), -190.8485, 1e-3);
  EXPECT_EQ(elo_difference(1), std::numeric_limits<double>::infinity());
  EXPECT_EQ(elo_difference(0), -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace senet
