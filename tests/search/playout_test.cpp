// Random games in place of a network.
#include "search/playout.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "nn/own_evaluators.hpp"
#include "tests/engine/small_network.hpp"
#include "tests/game_types.hpp"
#include "tests/search/search_driver.hpp"

namespace senet {
namespace {

template <class G>
class Playout : public testing::Test {};
TYPED_TEST_SUITE(Playout, GameTypes, GameName);

// A search needs no evaluator, and the number of leaves in flight does not matter, because no leaf
// waits.
TYPED_TEST(Playout, SearchesNeedNoRows) {
  using G = TypeParam;
  constexpr std::uint32_t kVisits = 60;
  const auto found = [&](std::uint32_t leaves) {
    const SearchSettings settings{.evaluates = Evaluates::kPlayouts, .leaves = leaves};
    Search<G> search(settings, limits_for<G>(kVisits, Evaluates::kPlayouts));
    Batch batch(4, row_size<G>());
    search.start(first_decision<G>(), {kVisits, false}, kNoNoise);
    while (search.gather(batch) != Step::kDone) EXPECT_EQ(batch.size(), 0u);
    const Decision<G> decision = search.decision();
    EXPECT_EQ(decision.visits, kVisits);
    EXPECT_EQ(decision.evaluations, 0u);
    for (const Choice& choice : decision.choices) {
      EXPECT_NEAR(choice.prior, 1.0f / static_cast<float>(decision.choices.size()), 1e-4f);
    }
    std::vector<std::uint32_t> visits;
    for (const Choice& choice : decision.choices) visits.push_back(choice.visits);
    return visits;
  };
  EXPECT_EQ(found(1), found(8));
}

// The value is for the player who views the position.
TEST(PlayoutEnds, AreForTheViewer) {
  // One empty cell is left, which wins for the first player, and draws for the second.
  const TicTacToe wins = *TicTacToe::from_text("XOX/OOX/OX1"),
                  draws = *TicTacToe::from_text("XOX/XOO/OX1");
  EXPECT_EQ(mean_value(wins, play_out(wins)), wins.viewer() == 0 ? 1.0f : -1.0f);
  EXPECT_EQ(mean_value(draws, play_out(draws)), 0.0f);
}

/// Moves change nothing.
struct Endless : TicTacToe {
  void play(Action) {}
  static Result<Endless> from_text(std::string_view) { return Endless(); }
};

TEST(PlayoutEnds, GamesWithoutAnEndAreStopped) {
  const Outcomes<Endless> any = play_out(Endless());
  EXPECT_EQ(mean_value(Endless(), any), 0.0f);
  EXPECT_FLOAT_EQ(any[0] + any[1] + any[2], 1.0f);
}

// From a roll too, and for either player, who both have the same chances at the start.
TEST(PlayoutEnds, MeansAreThoseOfRandomGames) {
  const Weights unused(small_network<Backgammon>(1));
  FusedEvaluator evaluator(unused);
  for (const Player player : {Player{0}, Player{1}}) {
    const Backgammon before = *Backgammon::from_position_id("4HPwATDgc/ABMA", player);
    const auto mean = mean_playout(before);
    EXPECT_NEAR(std::accumulate(mean.begin(), mean.end(), 0.0f), 1.0f, 1e-5f);
    EXPECT_NEAR(mean_value(before, mean), 0.0f, 0.5f);
    EXPECT_EQ(expected_alone(before, Evaluates::kPlayouts, evaluator), mean);
  }
}

}  // namespace
}  // namespace senet
