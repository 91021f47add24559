// Training targets computed by hand: the value of each position of a small game for its viewer.
#include <gtest/gtest.h>

#include "games/backgammon/backgammon.hpp"
#include "games/cube2/cube2.hpp"
#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "train_bridge/samples.hpp"

namespace senet {
namespace {

template <Game G>
struct KeptSample {
  G state;
  Outcomes<G> outcomes;
  std::vector<VisitCount> visits;
};

template <Game G>
GameRecord empty_record() {
  GameRecord record;
  record.game = std::string(G::kName);
  record.outcomes = kOutcomes<G>;
  record.game_number = 7;
  return record;
}

/// In the order of creation: last position first.
template <Game G>
std::vector<KeptSample<G>> samples_of(const GameRecord& record, const SampleSettings& settings) {
  std::vector<KeptSample<G>> kept;
  std::vector<G> scratch;
  const Result<void> done = for_each_sample<G>(record, settings, scratch, [&](const Sample<G>& s) {
    kept.push_back({s.state, s.outcomes, {s.visits.begin(), s.visits.end()}});
  });
  EXPECT_TRUE(done) << done.error().reason();
  return kept;
}

template <Game G>
std::string refusal(const GameRecord& record) {
  std::vector<G> scratch;
  std::size_t samples = 0;
  const Result<void> done =
      for_each_sample<G>(record, SampleSettings{}, scratch, [&](const Sample<G>&) { ++samples; });
  EXPECT_FALSE(done);
  EXPECT_EQ(samples, 0u);
  return done ? "" : done.error().reason();
}

// Records store probabilities in units of 1/65535.
template <Game G>
void expect_outcomes(const Outcomes<G>& actual, const Outcomes<G>& expected) {
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 5e-5) << i;
}

void add_move(GameRecord& record, Action action, Player player, TurnKind kind,
              std::vector<float> root = {}, std::vector<VisitCount> visits = {}) {
  record.add_decision(
      {.action = action, .player = player, .kind = kind, .root_outcomes = root, .visits = visits});
}

// X a1 (random), O a2 (full), X b1 (fast), O b2 (full), X c1 (full) and wins.
GameRecord small_game() {
  GameRecord record = empty_record<TicTacToe>();
  add_move(record, 0, 0, TurnKind::kRandom);
  add_move(record, 3, 1, TurnKind::kFullSearch, {0.2f, 0.3f, 0.5f}, {{3, 6}, {4, 3}});
  add_move(record, 1, 0, TurnKind::kFastSearch, {0.6f, 0.2f, 0.2f});
  add_move(record, 4, 1, TurnKind::kFullSearch, {0.1f, 0.1f, 0.8f}, {{2, 1}, {4, 9}});
  add_move(record, 2, 0, TurnKind::kFullSearch, {0.9f, 0.1f, 0.0f}, {{2, 10}});
  record.end_played(0);
  return record;
}

TicTacToe position(std::string_view text) { return *TicTacToe::from_text(text); }

TEST(Samples, PositionsOfASmallGame) {
  const auto samples = samples_of<TicTacToe>(small_game(), {.lambda = 1});
  ASSERT_EQ(samples.size(), 4u);  // no sample for the random move
  EXPECT_EQ(samples[0].state, position("a1a2b1b2"));
  EXPECT_EQ(samples[1].state, position("a1a2b1"));
  EXPECT_EQ(samples[2].state, position("a1a2"));
  EXPECT_EQ(samples[3].state, position("a1"));
  EXPECT_EQ(samples[0].visits, (std::vector<VisitCount>{{2, 10}}));
  EXPECT_EQ(samples[1].visits, (std::vector<VisitCount>{{2, 1}, {4, 9}}));
  EXPECT_TRUE(samples[2].visits.empty());  // a fast search
  EXPECT_EQ(samples[3].visits, (std::vector<VisitCount>{{3, 6}, {4, 3}}));
  // X won: a win for X, a loss for O.
  expect_outcomes<TicTacToe>(samples[0].outcomes, {1, 0, 0});
  expect_outcomes<TicTacToe>(samples[1].outcomes, {0, 0, 1});
  expect_outcomes<TicTacToe>(samples[2].outcomes, {1, 0, 0});
  expect_outcomes<TicTacToe>(samples[3].outcomes, {0, 0, 1});
}

// A dueling network learns what the move that was played leads to.
TEST(Samples, MovesOfASmallGame) {
  const auto samples =
      samples_of<TicTacToe>(small_game(), {.evaluates = Evaluates::kMoves, .lambda = 0});
  ASSERT_EQ(samples.size(), 4u);
  EXPECT_EQ(samples[0].state, position("a1a2b1b2"));
  EXPECT_EQ(samples[3].state, position("a1"));
  const std::vector<Action> played = {2, 4, 1, 3};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    EXPECT_EQ(samples[i].visits, (std::vector<VisitCount>{{played[i], 1}}));
  }
  // The result, then the estimate of the next decision, for the player who moved.
  expect_outcomes<TicTacToe>(samples[0].outcomes, {1, 0, 0});
  expect_outcomes<TicTacToe>(samples[1].outcomes, {0, 0.1f, 0.9f});
  expect_outcomes<TicTacToe>(samples[2].outcomes, {0.8f, 0.1f, 0.1f});
  expect_outcomes<TicTacToe>(samples[3].outcomes, {0.2f, 0.2f, 0.6f});
  // Two decisions on.
  const auto later =
      samples_of<TicTacToe>(small_game(), {.evaluates = Evaluates::kMoves, .n_step = 2});
  expect_outcomes<TicTacToe>(later[1].outcomes, {0, 0, 1});
  expect_outcomes<TicTacToe>(later[2].outcomes, {0.9f, 0.1f, 0});
  expect_outcomes<TicTacToe>(later[3].outcomes, {0.1f, 0.1f, 0.8f});
}

// X played a move that lost half of its value: the result says little about the position.
TEST(Samples, LittleComesThroughABlunder) {
  const std::vector<float> root = {0.6f, 0.2f, 0.2f};  // worth 0.4
  const auto targets = [&](std::vector<float> chosen, float blunder) {
    GameRecord record = empty_record<TicTacToe>();
    record.add_decision({.action = 0,
                         .player = 0,
                         .kind = TurnKind::kFastSearch,
                         .root_outcomes = root,
                         .chosen_outcomes = chosen});
    for (const Action action : {Action{1}, Action{3}, Action{2}, Action{6}}) {
      add_move(record, action, static_cast<Player>(record.turns().size() % 2), TurnKind::kForced);
    }
    record.end_resigned(0, 2);
    return samples_of<TicTacToe>(record, {.lambda = 0.5f, .blunder = blunder}).back().outcomes;
  };
  const std::vector<float> better = {0.7f, 0.2f, 0.1f}, worse = {0.5f, 0.2f, 0.3f},
                           lost = {0.1f, 0.2f, 0.7f};  // worth 0.6, 0.2 and -0.6
  const Outcomes<TicTacToe> half = {0.3f, 0.1f, 0.6f}, quarter = {0.45f, 0.15f, 0.4f},
                            none = {0.6f, 0.2f, 0.2f};
  expect_outcomes<TicTacToe>(targets(better, 0.4f), half);
  expect_outcomes<TicTacToe>(targets(worse, 0.4f), quarter);
  expect_outcomes<TicTacToe>(targets(lost, 0.4f), none);
  expect_outcomes<TicTacToe>(targets(lost, 0), half);
  expect_outcomes<TicTacToe>(targets({}, 0.4f), half);
}

TEST(Samples, LambdaZeroIsTheSearchItself) {
  const auto samples = samples_of<TicTacToe>(small_game(), {.lambda = 0});
  ASSERT_EQ(samples.size(), 4u);
  expect_outcomes<TicTacToe>(samples[0].outcomes, {0.9f, 0.1f, 0.0f});
  expect_outcomes<TicTacToe>(samples[1].outcomes, {0.1f, 0.1f, 0.8f});
  expect_outcomes<TicTacToe>(samples[2].outcomes, {0.6f, 0.2f, 0.2f});
  expect_outcomes<TicTacToe>(samples[3].outcomes, {0.2f, 0.3f, 0.5f});
}

TEST(Samples, LambdaMixesBackwardsThroughBothPlayers) {
  const auto samples = samples_of<TicTacToe>(small_game(), {.lambda = 0.5f});
  ASSERT_EQ(samples.size(), 4u);
  // For X: 0.5 (0.9 0.1 0) + 0.5 (1 0 0); then O's (0.1 0.1 0.8), which is (0.8 0.1 0.1) for X; ...
  expect_outcomes<TicTacToe>(samples[0].outcomes, {0.95f, 0.05f, 0.0f});
  expect_outcomes<TicTacToe>(samples[1].outcomes, {0.05f, 0.075f, 0.875f});
  expect_outcomes<TicTacToe>(samples[2].outcomes, {0.7375f, 0.1375f, 0.125f});
  expect_outcomes<TicTacToe>(samples[3].outcomes, {0.1625f, 0.21875f, 0.61875f});
}

TEST(Samples, LambdaIsReadAtTheProgressOfTheRun) {
  SampleSettings settings{.lambda = *Schedule::parse("1@0.2,0@0.4")};
  for (const auto& [progress, lambda] : {std::pair(0.1, 1.0f), {0.3, 0.5f}, {0.5, 0.0f}}) {
    settings.progress = progress;
    const auto samples = samples_of<TicTacToe>(small_game(), settings);
    const auto expected = samples_of<TicTacToe>(small_game(), {.lambda = lambda});
    ASSERT_EQ(samples.size(), expected.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      for (std::size_t k = 0; k < samples[i].outcomes.size(); ++k) {
        EXPECT_NEAR(samples[i].outcomes[k], expected[i].outcomes[k], 1e-6);
      }
    }
  }
}

TEST(Samples, NStepsAreTheEstimateOfTheNthDecision) {
  const auto targets = [](std::uint32_t n_step) {
    return samples_of<TicTacToe>(small_game(), {.lambda = 1, .n_step = n_step, .blunder = 2});
  };
  const auto one = targets(1), lambda_0 = samples_of<TicTacToe>(small_game(), {.lambda = 0});
  ASSERT_EQ(one.size(), lambda_0.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].outcomes, lambda_0[i].outcomes);
  // The estimates, the last first: for X (0.9 0.1 0), for O (0.1 0.1 0.8), for X (0.6 0.2 0.2).
  const auto two = targets(2);
  expect_outcomes<TicTacToe>(two[0].outcomes, {1, 0, 0});  // X won before there was a second one
  expect_outcomes<TicTacToe>(two[1].outcomes, {0.0f, 0.1f, 0.9f});
  expect_outcomes<TicTacToe>(two[2].outcomes, {0.8f, 0.1f, 0.1f});
  expect_outcomes<TicTacToe>(two[3].outcomes, {0.2f, 0.2f, 0.6f});
  const auto three = targets(3);
  expect_outcomes<TicTacToe>(three[1].outcomes, {0, 0, 1});
  expect_outcomes<TicTacToe>(three[2].outcomes, {0.9f, 0.1f, 0.0f});
  expect_outcomes<TicTacToe>(three[3].outcomes, {0.1f, 0.1f, 0.8f});
  const auto many = targets(1000), result = samples_of<TicTacToe>(small_game(), {.lambda = 1});
  for (std::size_t i = 0; i < many.size(); ++i) EXPECT_EQ(many[i].outcomes, result[i].outcomes);
}

TEST(Samples, ACutGameEndsWithTheNetworksWord) {
  GameRecord record = empty_record<TicTacToe>();
  add_move(record, 0, 0, TurnKind::kFullSearch, {0.5f, 0.5f, 0}, {{0, 2}});
  add_move(record, 1, 1, TurnKind::kFullSearch, {0.5f, 0.5f, 0}, {{1, 2}});
  record.end_cut(std::vector<float>{0.7f, 0.2f, 0.1f});
  const auto samples = samples_of<TicTacToe>(record, {.lambda = 1});
  ASSERT_EQ(samples.size(), 2u);
  expect_outcomes<TicTacToe>(samples[0].outcomes, {0.1f, 0.2f, 0.7f});
  expect_outcomes<TicTacToe>(samples[1].outcomes, {0.7f, 0.2f, 0.1f});
}

TEST(Samples, AResignedGameCountsAsConceded) {
  for (const Player loser : {Player{0}, Player{1}}) {
    GameRecord record = empty_record<TicTacToe>();
    add_move(record, 0, 0, TurnKind::kFullSearch, {0.5f, 0.5f, 0}, {{0, 2}});
    add_move(record, 1, 1, TurnKind::kFullSearch, {0.5f, 0.5f, 0}, {{1, 2}});
    record.end_resigned(loser, loser == 0 ? 2 : 0);
    const auto samples = samples_of<TicTacToe>(record, {.lambda = 1});
    ASSERT_EQ(samples.size(), 2u);
    EXPECT_EQ(samples[0].outcomes[0], loser == 0 ? 1.0f : 0.0f);
    EXPECT_EQ(samples[1].outcomes[0], loser == 0 ? 0.0f : 1.0f);
  }
}

TEST(Samples, AGameMayBeginAnywhere) {
  GameRecord record = empty_record<TicTacToe>();
  record.start = position("a1a2b1b2").text();
  add_move(record, 2, 0, TurnKind::kFullSearch, {1, 0, 0}, {{2, 1}});
  record.end_played(0);
  const auto samples = samples_of<TicTacToe>(record, {});
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].state, position("a1a2b1b2"));
}

// Two turns of backgammon, then cut: the network gives player 0 a certain gammon. Player 0 is on
// roll first, whatever the opening roll.
struct BackgammonGame {
  BackgammonGame() : record(empty_record<Backgammon>()) {
    for (const Player player : {Player{0}, Player{1}}) {
      Backgammon state = states.back();
      record.add_chance(0);
      state.play(0);
      states.push_back(state);
      ActionList<Backgammon::kMaxLegal> legal;
      state.legal(legal);
      const std::vector<float> root = player == 0
                                          ? std::vector<float>{0.4f, 0.2f, 0, 0.3f, 0.1f, 0}
                                          : std::vector<float>{0.1f, 0, 0, 0.5f, 0.3f, 0.1f};
      add_move(record, legal[0], player,
               player == 0 ? TurnKind::kFullSearch : TurnKind::kFastSearch, root,
               player == 0 ? std::vector<VisitCount>{{legal[0], 3}} : std::vector<VisitCount>{});
      state.play(legal[0]);
      states.push_back(state);
    }
    record.end_cut(std::vector<float>{0, 1, 0, 0, 0, 0});
  }
  GameRecord record;
  std::vector<Backgammon> states{Backgammon{}};  // before each turn and after the last
};

TEST(Samples, BackgammonPositions) {
  const BackgammonGame game;
  const auto samples = samples_of<Backgammon>(game.record, {.lambda = 0.5f});
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].state, game.states[3]);
  EXPECT_EQ(samples[1].state, game.states[1]);
  EXPECT_TRUE(samples[0].visits.empty());
  EXPECT_EQ(samples[1].visits.size(), 1u);
  // For player 1, who loses a gammon.
  expect_outcomes<Backgammon>(samples[0].outcomes, {0.05f, 0, 0, 0.25f, 0.65f, 0.05f});
  // For player 0: half its own root, half the above from its perspective.
  expect_outcomes<Backgammon>(samples[1].outcomes, {0.325f, 0.425f, 0.025f, 0.175f, 0.05f, 0});
}

TEST(Samples, BackgammonAfterstates) {
  const BackgammonGame game;
  const auto samples =
      samples_of<Backgammon>(game.record, {.evaluates = Evaluates::kAfterstates, .lambda = 0.5f});
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].state, game.states[4]);
  EXPECT_EQ(samples[1].state, game.states[2]);
  for (const auto& sample : samples) {
    EXPECT_EQ(sample.state.turn(), Turn::kChance);
    EXPECT_TRUE(sample.visits.empty());
  }
  // After player 1's move, player 0 is about to roll; only the end of the game follows.
  EXPECT_EQ(samples[0].state.viewer(), 0);
  expect_outcomes<Backgammon>(samples[0].outcomes, {0, 1, 0, 0, 0, 0});
  // After player 0's move, player 1 is about to roll: the target of its decision.
  EXPECT_EQ(samples[1].state.viewer(), 1);
  expect_outcomes<Backgammon>(samples[1].outcomes, {0.05f, 0, 0, 0.25f, 0.65f, 0.05f});
}

TEST(Samples, AfterstatesOfForcedMovesAreLearntFromThoseOfBlindOnesAndOfTheEndAreNot) {
  GameRecord record = empty_record<TicTacToe>();
  add_move(record, 0, 0, TurnKind::kRandom);
  add_move(record, 3, 1, TurnKind::kForced);
  add_move(record, 1, 0, TurnKind::kFullSearch, {1, 0, 0}, {{1, 1}});
  add_move(record, 4, 1, TurnKind::kFastSearch, {1, 0, 0});
  add_move(record, 2, 0, TurnKind::kFullSearch, {1, 0, 0}, {{2, 1}});
  record.end_played(0);
  const auto samples =
      samples_of<TicTacToe>(record, {.evaluates = Evaluates::kAfterstates, .lambda = 1});
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[0].state, position("a1a2b1b2"));
  EXPECT_EQ(samples[1].state, position("a1a2b1"));
  EXPECT_EQ(samples[2].state, position("a1a2"));
}

// A search by plies valued two moves of the second turn: both are samples, with their own values,
// whatever lambda is. Nothing else of that game is, because other targets are noisier.
TEST(Samples, ValuedMovesAreTheOnlySamplesOfTheirGame) {
  const BackgammonGame game;
  GameRecord record = empty_record<Backgammon>();
  add_move(record, game.record.turns()[1].action, 0, TurnKind::kForced);
  record.start = game.states[1].text();
  record.add_chance(0);
  ActionList<Backgammon::kMaxLegal> legal;
  game.states[3].legal(legal);
  const VisitCount moves[] = {{legal[0], 2}, {legal[1], 2}};
  const float visited[] = {0.4f, 0.2f, 0, 0.3f, 0.1f, 0, 0.1f, 0, 0, 0.5f, 0.3f, 0.1f};
  record.add_decision({.action = legal[0],
                       .player = 1,
                       .root_outcomes = {visited, 6},
                       .visits = moves,
                       .visited_outcomes = visited});
  record.end_cut(std::vector<float>{0, 1, 0, 0, 0, 0});
  const auto samples =
      samples_of<Backgammon>(record, {.evaluates = Evaluates::kAfterstates, .lambda = 0.5f});
  ASSERT_EQ(samples.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    Backgammon after = game.states[3];
    after.play(legal[i]);
    EXPECT_EQ(samples[i].state, after);
    EXPECT_EQ(after.viewer(), 0);
  }
  // For player 0, who is about to roll.
  expect_outcomes<Backgammon>(samples[0].outcomes, {0.3f, 0.1f, 0, 0.4f, 0.2f, 0});
  expect_outcomes<Backgammon>(samples[1].outcomes, {0.5f, 0.3f, 0.1f, 0.1f, 0, 0});
}

TEST(Samples, WhatIsNoGameIsRefusedWithAReason) {
  EXPECT_NE(refusal<Backgammon>(small_game()).find("game 7: it is a game of tic_tac_toe, not of"),
            std::string::npos);
  GameRecord record = small_game();
  record.outcomes = 6;
  EXPECT_NE(refusal<TicTacToe>(record).find("wrong width"), std::string::npos);
  record = small_game();
  record.start = "nonsense";
  EXPECT_NE(refusal<TicTacToe>(record).find("its start: "), std::string::npos);

  const auto with = [](Action action, Player player, TurnKind kind,
                       std::vector<VisitCount> visits = {}) {
    GameRecord changed = empty_record<TicTacToe>();
    add_move(changed, 0, 0, TurnKind::kForced);
    add_move(changed, action, player, kind, {}, std::move(visits));
    changed.end_cut(std::vector<float>{0, 1, 0});
    return changed;
  };
  EXPECT_TRUE(samples_of<TicTacToe>(with(1, 1, TurnKind::kForced), {}).empty());
  EXPECT_NE(refusal<TicTacToe>(with(0, 1, TurnKind::kForced)).find("turn 2: it has a move that"),
            std::string::npos);
  EXPECT_NE(refusal<TicTacToe>(with(999, 1, TurnKind::kForced)).find("it has a move that"),
            std::string::npos);
  EXPECT_NE(refusal<TicTacToe>(with(1, 0, TurnKind::kForced)).find("who is not to move"),
            std::string::npos);
  EXPECT_NE(refusal<TicTacToe>(with(1, 1, TurnKind::kFullSearch, {{0, 3}, {1, 4}}))
                .find("visits of a move"),
            std::string::npos);
  EXPECT_NE(
      refusal<TicTacToe>(with(1, 1, TurnKind::kFullSearch, {{1, 0}})).find("without any visits"),
      std::string::npos);
  record = with(1, 1, TurnKind::kForced);
  record.add_chance(3);
  EXPECT_NE(refusal<TicTacToe>(record).find("turn 3: it has a chance outcome"), std::string::npos);

  record = small_game();
  record.end_played(1);
  EXPECT_NE(refusal<TicTacToe>(record).find("does not follow from its moves"), std::string::npos);
  record.end_cut(std::vector<float>{0, 1, 0});
  EXPECT_NE(refusal<TicTacToe>(record).find("it was cut, but its moves end it"), std::string::npos);
  record = small_game();
  add_move(record, 8, 1, TurnKind::kForced);
  record.end_played(0);
  EXPECT_NE(refusal<TicTacToe>(record).find("turn 6"), std::string::npos);
  record = empty_record<TicTacToe>();
  EXPECT_NE(refusal<TicTacToe>(record).find("it has no end"), std::string::npos);
}

TEST(Samples, DiceAndMovesCannotChangePlaces) {
  GameRecord record = empty_record<Backgammon>();
  add_move(record, 0, 0, TurnKind::kForced);
  record.end_cut(std::vector<float>(6, 0));
  EXPECT_NE(refusal<Backgammon>(record).find("turn 1: it has a move of the player"),
            std::string::npos);
  record = empty_record<Backgammon>();
  record.add_chance(21);
  record.end_cut(std::vector<float>(6, 0));
  EXPECT_NE(refusal<Backgammon>(record).find("turn 1: it has a chance outcome"), std::string::npos);
  record = empty_record<Backgammon>();
  record.add_chance(0);
  record.add_chance(0);
  record.end_cut(std::vector<float>(6, 0));
  EXPECT_NE(refusal<Backgammon>(record).find("turn 2: it has a chance outcome"), std::string::npos);
}

// In a game of one player each decision is one move further from the end.
TEST(Samples, OnePlayerCountsTheMovesLeft) {
  GameRecord record = empty_record<Cube2>();
  record.start = Cube2::from_text("R U F")->text();
  const Cube2 start = *Cube2::from_text(record.start);
  for (const char* move : {"F'", "U'", "R'"}) {
    std::vector<float> root(16);
    root[5] = 1;  // the search expects 5 more moves
    add_move(record, *start.action_from_text(move), 0, TurnKind::kFullSearch, root, {{0, 1}});
  }
  record.end_played(Cube2::kSolved);
  const auto outcomes = [](std::vector<std::pair<std::size_t, float>> shares) {
    Outcomes<Cube2> all{};
    for (const auto& [moves, share] : shares) all[moves] += share;
    return all;
  };
  const auto results =
      samples_of<Cube2>(record, {.evaluates = Evaluates::kPosition, .lambda = 1.0f});
  ASSERT_EQ(results.size(), 3u);
  for (std::size_t left = 1; left <= 3; ++left) {
    expect_outcomes<Cube2>(results[left - 1].outcomes, outcomes({{left, 1.0f}}));
  }
  const auto half = samples_of<Cube2>(record, {.evaluates = Evaluates::kPosition, .lambda = 0.5f});
  expect_outcomes<Cube2>(half[0].outcomes, outcomes({{5, 0.5f}, {1, 0.5f}}));
  expect_outcomes<Cube2>(half[1].outcomes, outcomes({{5, 0.5f}, {6, 0.25f}, {2, 0.25f}}));
  expect_outcomes<Cube2>(half[2].outcomes,
                         outcomes({{5, 0.5f}, {6, 0.25f}, {7, 0.125f}, {3, 0.125f}}));
  // The same states after moves, and the start, to which none led.
  const auto after =
      samples_of<Cube2>(record, {.evaluates = Evaluates::kAfterstates, .lambda = 0.5f});
  ASSERT_EQ(after.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(after[i].state, half[i].state);
    EXPECT_EQ(after[i].outcomes, half[i].outcomes);
    EXPECT_TRUE(after[i].visits.empty());
  }
  // Two estimates on: 5 moves after the next one, or the result.
  const auto two =
      samples_of<Cube2>(record, {.evaluates = Evaluates::kPosition, .lambda = 0.5f, .n_step = 2});
  expect_outcomes<Cube2>(two[0].outcomes, outcomes({{1, 1.0f}}));
  expect_outcomes<Cube2>(two[1].outcomes, outcomes({{6, 1.0f}}));
  expect_outcomes<Cube2>(two[2].outcomes, outcomes({{6, 1.0f}}));
}

TEST(Samples, MovesOfOnePlayerCostOne) {
  GameRecord record = empty_record<Cube2>();
  record.start = Cube2::from_text("R U")->text();
  const auto left = [](std::size_t moves) {
    std::vector<float> root(kOutcomes<Cube2>);
    root[moves] = 1;
    return root;
  };
  add_move(record, *Cube2().action_from_text("U'"), 0, TurnKind::kFastSearch, left(5));
  add_move(record, *Cube2().action_from_text("R'"), 0, TurnKind::kFastSearch, left(3));
  record.end_played(Cube2::kSolved);
  const auto samples = samples_of<Cube2>(record, {.evaluates = Evaluates::kMoves, .lambda = 0});
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].outcomes[1], 1);  // the move that solves it
  EXPECT_EQ(samples[1].outcomes[4], 1);  // a move and what the next decision expected
}

TEST(Samples, AfterstatesOfOnePlayerBeginAfterRandomMoves) {
  GameRecord record = empty_record<Cube2>();
  record.start = "0123456/1010211 20";
  for (const TurnKind kind : {TurnKind::kRandom, TurnKind::kFullSearch, TurnKind::kFastSearch,
                              TurnKind::kRandom, TurnKind::kRandom, TurnKind::kFullSearch}) {
    std::vector<float> root(kind == TurnKind::kRandom ? 0 : 16);
    if (!root.empty()) root[9] = 1;
    add_move(record, static_cast<Action>(record.turns().size()), 0, kind, root);
  }
  record.end_cut(std::vector<float>(16));
  const auto samples = samples_of<Cube2>(record, {.evaluates = Evaluates::kAfterstates});
  std::vector<std::uint32_t> moves_left;
  for (const auto& sample : samples) moves_left.push_back(sample.state.moves_left());
  EXPECT_EQ(moves_left, (std::vector<std::uint32_t>{15, 17, 18, 19}));
}

// How far the last position of a cut game is from the end is unknown: the last estimates count.
TEST(Samples, TheEndOfACutGameOfOnePlayerIsUnknown) {
  GameRecord record = empty_record<Cube2>();
  record.start = "0123456/1010211 20";
  std::vector<float> root(16);
  root[7] = 1;
  for (int i = 0; i < 3; ++i) add_move(record, 0, 0, TurnKind::kFullSearch, root, {{0, 1}});
  std::vector<float> unsolved(16);
  unsolved[15] = 1;
  record.end_cut(unsolved);
  const auto moves_left = [&](const SampleSettings& settings) {
    std::vector<std::size_t> moves;
    for (const auto& sample : samples_of<Cube2>(record, settings)) {
      const auto most = std::ranges::max_element(sample.outcomes);
      EXPECT_NEAR(*most, 1, 1e-6);
      moves.push_back(static_cast<std::size_t>(most - sample.outcomes.begin()));
    }
    return moves;
  };
  using Moves = std::vector<std::size_t>;
  constexpr Evaluates kPosition = Evaluates::kPosition, kAfterstates = Evaluates::kAfterstates;
  EXPECT_EQ(moves_left({.evaluates = kAfterstates, .lambda = 0}), (Moves{7, 7, 7}));
  EXPECT_EQ(moves_left({.evaluates = kAfterstates, .lambda = 1}), (Moves{7, 8, 9}));
  EXPECT_EQ(moves_left({.evaluates = kAfterstates, .n_step = 2}), (Moves{7, 8, 8}));
  EXPECT_EQ(moves_left({.evaluates = kPosition, .lambda = 0}), (Moves{7, 7, 7}));
  EXPECT_EQ(moves_left({.evaluates = kPosition, .n_step = 9}), (Moves{7, 8, 9}));
}

TEST(Samples, SurpriseIsTheDistanceFromEstimateToTarget) {
  GameRecord record = empty_record<Cube2>();
  record.start = Cube2::from_text("R U")->text();
  const auto certain = [](std::size_t moves) {
    std::vector<float> outcomes(16);
    outcomes[moves] = 1;
    return outcomes;
  };
  for (const std::size_t expected : {5u, 1u}) {
    add_move(record, 0, 0, TurnKind::kFullSearch, certain(expected));
  }
  record.end_cut(certain(3));
  std::vector<float> surprises;
  std::vector<Cube2> scratch;
  ASSERT_TRUE(for_each_sample<Cube2>(
      record, {.evaluates = Evaluates::kPosition, .lambda = 0}, scratch,
      [&](const Sample<Cube2>& sample) { surprises.push_back(sample.surprise); }));
  // What came of the last decision is unknown; at the first one 5 were expected, and 1 + 1 came.
  ASSERT_EQ(surprises.size(), 2u);
  EXPECT_FLOAT_EQ(surprises[0], 0);
  EXPECT_FLOAT_EQ(surprises[1], 3.0f / 15);
}

TEST(Samples, AForcedMoveIsNoSurprise) {
  GameRecord record = empty_record<Cube2>();
  record.start = Cube2::from_text("R U")->text();
  std::vector<float> far(16), near(16);
  far[5] = near[1] = 1;
  add_move(record, 0, 0, TurnKind::kForced, {});
  add_move(record, 0, 0, TurnKind::kFullSearch, far);
  add_move(record, 0, 0, TurnKind::kFullSearch, near);
  record.end_cut(near);
  std::vector<float> surprises;  // of the second move, then of the first
  std::vector<Cube2> scratch;
  ASSERT_TRUE(for_each_sample<Cube2>(
      record, {.evaluates = Evaluates::kAfterstates, .lambda = 0}, scratch,
      [&](const Sample<Cube2>& sample) { surprises.push_back(sample.surprise); }));
  ASSERT_EQ(surprises.size(), 2u);
  EXPECT_FLOAT_EQ(surprises[0], 3.0f / 15);
  EXPECT_FLOAT_EQ(surprises[1], 0);
}

TEST(Samples, OnePlayerMayNotReachTheEnd) {
  GameRecord record = empty_record<Cube2>();
  record.start = "0123456/1010211 2";
  add_move(record, 0, 0, TurnKind::kFullSearch, {}, {{0, 1}});
  add_move(record, 1, 0, TurnKind::kFullSearch, {}, {{0, 1}});
  record.end_played(Cube2::kUnsolved);
  for (const auto& sample : samples_of<Cube2>(record, {.evaluates = Evaluates::kPosition})) {
    EXPECT_EQ(sample.outcomes[15], 1);
  }
}

}  // namespace
}  // namespace senet
