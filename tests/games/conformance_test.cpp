// Runs check_game(), which hosts' games must pass too, on every listed game, with more games than
// its defaults and with checks of the coverage.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "games/backgammon/backgammon.hpp"
#include "games/random.hpp"
#include "games/random_moves.hpp"
#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "senet/check_game.hpp"
#include "tests/effort.hpp"
#include "tests/game_types.hpp"

namespace senet {
namespace {

template <class G>
class Conformance : public ::testing::Test {};
TYPED_TEST_SUITE(Conformance, GameTypes, GameName);

// Complete games: many with a sample of the actions of each state, fewer with all actions.
template <class G>
constexpr GameCheck kManyGames{.games = StochasticGame<G> ? effort(2'000u) : 2'000u,
                               .plies = 20'000,
                               .actions = 2,
                               .nonsense = 20'000,
                               .seed = 1};
template <class G>
constexpr GameCheck kAllActions{.games = StochasticGame<G> ? 40 : 500,
                                .plies = 20'000,
                                .actions = kMaxEdges<G>,
                                .nonsense = 0,
                                .seed = 2};

TYPED_TEST(Conformance, KeepsItsPromises) {
  using G = TypeParam;
  GameCoverage seen;
  const Result<void> checked = check_game<G>(kManyGames<G>, G{}, &seen);
  ASSERT_TRUE(checked) << checked.error().reason();
  // Every game ended, and every outcome occurred; of a game of one player, who does not win at
  // random, the last.
  EXPECT_EQ(std::accumulate(seen.outcomes.begin(), seen.outcomes.end(), std::size_t{0}),
            kManyGames<G>.games);
  ASSERT_EQ(seen.outcomes.size(), kOutcomes<G>);
  for (const std::size_t ended : seen.outcomes) {
    EXPECT_TRUE(ended > 0 || (player_count(G{}) == 1 && &ended != &seen.outcomes.back()));
  }
  // Random play sets almost every feature, or most where an image of the state has them.
  EXPECT_LE(static_cast<std::size_t>(std::ranges::count(seen.features, false)),
            G::kFeatures / (kEncodesAnImage<G> ? 3 : 8));
  EXPECT_EQ(seen.chance_turns > 0, StochasticGame<G>);
  EXPECT_GT(seen.distinct_states, 1'000u);
}

TYPED_TEST(Conformance, KeepsItsPromisesForEachAction) {
  using G = TypeParam;
  GameCoverage seen;
  const Result<void> checked = check_game<G>(kAllActions<G>, G{}, &seen);
  ASSERT_TRUE(checked) << checked.error().reason();
  if (StochasticGame<G>) {
    EXPECT_GT(seen.chance_turns, 1'000u);
  }
  if (SoundMovesGame<G>) {
    EXPECT_GT(seen.unsound, 1'000u);
  }
}

// A slow test: among a million different states, keys and texts correspond one to one. It ends
// earlier when many games bring no new state, as in a small game. Texts are compared by a hash that
// is unrelated to the keys.
TYPED_TEST(Conformance, DifferentStatesHaveDifferentKeys) {
  using G = TypeParam;
  constexpr std::size_t kStates = effort(1'000'000);
  constexpr std::uint64_t kMaxGames = 200'000, kGamesWithoutNews = 20'000;
  std::unordered_map<std::size_t, std::uint64_t> key_of;
  std::uint64_t games = 0, without_news = 0;
  while (games < kMaxGames && key_of.size() < kStates && without_news < kGamesWithoutNews) {
    const std::size_t known = key_of.size();
    Random random(1, games++, 0, Purpose::kTest);
    for (G state;; state.play(draw_action(state, random))) {
      const auto [entry, is_new] =
          key_of.try_emplace(std::hash<std::string>{}(state.text()), state.key());
      ASSERT_TRUE(is_new || entry->second == state.key())
          << "one state, two keys: " << state.text();
      if (state.turn() == Turn::kOver) break;
    }
    without_news = key_of.size() > known ? 0 : without_news + 1;
  }
  EXPECT_TRUE(key_of.size() >= kStates || without_news >= kGamesWithoutNews)
      << "only " << key_of.size() << " states in " << games << " games";
  if constexpr (std::is_same_v<G, TicTacToe>) {
    EXPECT_EQ(key_of.size(), 5'478u);
  }
  std::unordered_set<std::uint64_t> keys;
  for (const auto& [text, key] : key_of) keys.insert(key);
  EXPECT_EQ(keys.size(), key_of.size()) << "two states share a key";
}

}  // namespace
}  // namespace senet
