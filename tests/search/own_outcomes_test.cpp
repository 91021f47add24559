// Games whose outcomes are known only at run time: the search reads them from the state.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "tests/search/search_driver.hpp"

namespace senet {
namespace {

// The properties of one game of the type below, as in a host's table.
struct Ends {
  std::vector<float> values;
  std::vector<std::uint8_t> mirror;
  float range;
  bool has_dice;
  std::uint8_t early_plies;  // a win within this many plies has the highest value
};
const Ends kPlain{{1, 0, -1}, {2, 1, 0}, 1, false, 0};
const Ends kWithGammons{{7, 1, 0, -1, -7}, {4, 3, 2, 1, 0}, 7, false, 5};
const Ends kWithDice{{1, 0, -1}, {2, 1, 0}, 1, true, 0};

// Tic-tac-toe with the outcomes that its state points to.
struct AnyEnds {
  static constexpr std::string_view kName = "any_ends";
  static constexpr std::size_t kMaxLegal = TicTacToe::kMaxLegal, kMaxPlies = TicTacToe::kMaxPlies;
  static constexpr std::size_t kFeatures = TicTacToe::kFeatures;
  static constexpr std::size_t kMaxActive = TicTacToe::kMaxActive;
  static constexpr std::size_t kPolicyLogits = TicTacToe::kPolicyLogits, kLogitsPerAction = 1;
  static constexpr std::size_t kMaxOutcomes = 8, kMaxChance = 2;
  static constexpr bool kHasAfterstates = true;

  AnyEnds() = default;
  explicit AnyEnds(const Ends& of, std::string_view moves = {})
      : board(*TicTacToe::from_text(moves)),
        plies(static_cast<std::uint8_t>(moves.size() / 2)),
        ends(&of) {}

  std::span<const float> outcome_values() const { return ends->values; }
  std::span<const std::uint8_t> outcome_mirror() const { return ends->mirror; }
  float value_range() const { return ends->range; }
  bool has_dice() const { return ends->has_dice; }

  Turn turn() const { return board.turn(); }
  Player viewer() const { return board.viewer(); }
  void legal(ActionList<kMaxLegal>& out) const { board.legal(out); }
  std::size_t chance(std::span<float>) const { return 0; }
  void play(Action action) {
    board.play(action);
    ++plies;
  }
  std::uint8_t outcome() const {
    const std::uint8_t plain = board.outcome();
    if (ends->values.size() == 3) return plain;
    const bool is_early = plies <= ends->early_plies;
    return static_cast<std::uint8_t>(plain == 1 ? 2 : plain == 0 ? !is_early : 3 + is_early);
  }
  std::uint64_t key() const { return board.key(); }
  void encode(FeatureRow& row) const { board.encode(row); }
  static std::array<std::uint16_t, 1> logits_of(Action action) { return {action}; }
  std::string text() const { return board.text(); }
  static Result<AnyEnds> from_text(std::string_view) { return fail("the game is unknown"); }
  std::string action_text(Action action) const { return board.action_text(action); }
  Result<Action> action_from_text(std::string_view text) const {
    return board.action_from_text(text);
  }

  TicTacToe board;
  std::uint8_t plies = 0;
  const Ends* ends = nullptr;
};
static_assert(StochasticGame<AnyEnds> && OwnOutcomesGame<AnyEnds> && !FixedOutcomesGame<AnyEnds>);
static_assert(kOutcomes<AnyEnds> == 8 && kOutcomes<TicTacToe> == 3);

constexpr std::uint32_t kFewVisits = 300, kManyVisits = 10'000;

template <Game G>
Decision<G> searched(Search<G>& search, const G& state, std::uint32_t visits = kFewVisits) {
  const auto evaluator = hash_evaluator<G>(5);
  Batch batch(5, row_size(state));
  search.start(state, {.visits = visits, .noise = true}, Random(4, 0, 0, Purpose::kNoise));
  run_search(search, *evaluator, batch);
  return search.decision();
}

// A whole game: every decision has the same visits, values and outcomes.
TEST(OwnOutcomes, TheSameEndsGiveTheSameSearches) {
  Search<TicTacToe> fixed({}, limits_for<TicTacToe>(kFewVisits, Evaluates::kPosition));
  Search<AnyEnds> own({}, limits_for(AnyEnds(kPlain), kFewVisits, Evaluates::kPosition));
  TicTacToe state;
  AnyEnds same(kPlain);
  while (state.turn() != Turn::kOver) {
    const Decision<TicTacToe> first = searched(fixed, state);
    const Decision<AnyEnds> second = searched(own, same);
    EXPECT_EQ(signature(first), signature(second));
    EXPECT_EQ(first.value, second.value);
    EXPECT_EQ(first.proven, second.proven);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(first.outcomes[i], second.outcomes[i]);
    for (std::size_t i = 3; i < 8; ++i) EXPECT_EQ(second.outcomes[i], 0.0f);
    const auto after = fixed.outcomes_after(first.best());
    const auto same_after = own.outcomes_after(first.best());
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(after[i], same_after[i]);
    state.play(first.best());
    same.play(first.best());
  }
  EXPECT_EQ(final_value(state, 0), final_value(same, 0));
}

// Outcome values, the value range and proofs come from the game, for both players and in both
// modes.
TEST(OwnOutcomes, ValuesRangeAndProofsAreTheGames) {
  for (const Evaluates evaluates : {Evaluates::kPosition, Evaluates::kAfterstates}) {
    struct Case {
      const char* moves;
      float value;
      std::size_t end;
    };
    // X wins early, which has the highest value; O wins, but too late for that.
    for (const auto& [moves, value, end] :
         {Case{"a1b1a2b2", 7, 0}, Case{"a1b1a2c1", 7, 0}, Case{"a1b1a2a3c2b2c3", 1, 1}}) {
      const AnyEnds state(kWithGammons, moves);
      const TreeLimits limits = limits_for(state, kManyVisits, evaluates);
      Search<AnyEnds> search({.evaluates = evaluates}, limits);
      const Decision<AnyEnds> decision = searched(search, state, kManyVisits);
      EXPECT_TRUE(decision.proven) << moves;
      EXPECT_EQ(decision.value, value) << moves;
      EXPECT_NEAR(search.outcomes_after(decision.best())[end], 1, 1e-6f) << moves;
      EXPECT_NEAR(mean_value(state, decision.outcomes), value, 1e-5f) << moves;
      EXPECT_NEAR(mean_value(state, mirrored(state, decision.outcomes)), -value, 1e-5f) << moves;
    }
    const AnyEnds start(kWithGammons);
    Search<AnyEnds> search({.evaluates = evaluates}, limits_for(start, kFewVisits, evaluates));
    const Decision<AnyEnds> decision = searched(search, start, 50);
    EXPECT_LT(std::abs(decision.value), 7.0f);
    EXPECT_EQ(bounds_of(search.tree()[search.root()]), (Bounds{-7, 7}));
    float sum = 0;
    for (const float share : decision.outcomes) sum += share;
    EXPECT_NEAR(sum, 1, 1e-5f);
    EXPECT_NEAR(mean_value(start, decision.outcomes), decision.value, 1e-4f);
  }
}

TEST(OwnOutcomes, DistributionsKeepToTheGamesOwnEnds) {
  const AnyEnds game(kWithGammons);
  for (const float value : {-7.0f, -6.5f, -1.0f, -0.25f, 0.0f, 0.5f, 1.0f, 3.0f, 7.0f}) {
    const Outcomes<AnyEnds> spread = spread_value(game, value);
    EXPECT_NEAR(mean_value(game, spread), value, 1e-5f);
    EXPECT_NEAR(mean_value(game, with_mean(game, spread_value(game, 0.5f), value)), value, 1e-5f);
    for (std::size_t i = 5; i < 8; ++i) EXPECT_EQ(spread[i], 0.0f);
  }
}

// Only a game with dice needs two nodes per visit.
TEST(OwnOutcomes, DiceAreTheGamesToo) {
  EXPECT_FALSE(has_dice(AnyEnds(kPlain)));
  EXPECT_TRUE(has_dice(AnyEnds(kWithDice)));
  EXPECT_FALSE(has_dice(TicTacToe{}));
  const TreeLimits without = limits_for(AnyEnds(kPlain), 1000, Evaluates::kPosition);
  const TreeLimits with = limits_for(AnyEnds(kWithDice), 1000, Evaluates::kPosition);
  EXPECT_EQ(without.nodes, 1004u);
  EXPECT_EQ(with.nodes, 2006u);
  EXPECT_GT(with.words, without.words);
}

}  // namespace
}  // namespace senet
