// Positions analysed in parallel get the same results as each one alone.
#include "engine/lanes/analyse.hpp"

#include <gtest/gtest.h>

#include "games/random_moves.hpp"
#include "tests/all_games.hpp"
#include "tests/search/search_driver.hpp"

namespace senet {
namespace {

template <Game G>
std::vector<G> some_decisions(std::size_t count) {
  std::vector<G> states;
  for (std::uint64_t game = 0; states.size() < count; ++game) {
    Random draw(11, game, 0, Purpose::kTest);
    G state;
    for (int ply = 0; ply < 12 && state.turn() != Turn::kOver; ++ply) {
      if (ply > 2 && is_decision(state.turn())) states.push_back(state);
      state.play(draw_action(state, draw));
    }
  }
  states.resize(count);
  return states;
}

template <Game G>
std::vector<std::uint64_t> answers(std::span<const G> states, Evaluates evaluates,
                                   std::size_t lanes, std::size_t batch_rows) {
  SearchSettings settings;
  settings.evaluates = evaluates;
  const auto evaluator = hash_evaluator<G>(batch_rows);
  Analysis<G> analysis(*evaluator, settings, 20, lanes, batch_rows);
  std::vector<std::uint64_t> answers(states.size(), 0);
  std::size_t reported = 0;
  analysis.run(states, {.visits = 20}, 1,
               [&](std::size_t i, const Decision<G>& decision, Search<G>&) {
                 answers[i] = signature(decision);
                 ++reported;
               });
  EXPECT_EQ(reported, states.size());
  return answers;
}

template <Game G>
void expect_the_same_answers(Evaluates evaluates) {
  const std::vector<G> states = some_decisions<G>(40);
  const auto alone = answers<G>(states, evaluates, 1, 1);
  for (const std::size_t lanes : {1, 7, 64}) {
    for (const std::size_t rows : {1, 3, 64}) {
      EXPECT_EQ(answers<G>(states, evaluates, lanes, rows), alone) << lanes << ' ' << rows;
    }
  }
}

TEST(Analysis, TheSameForAnyLanesAndRows) {
  expect_the_same_answers<ConnectFour>(Evaluates::kPosition);
  expect_the_same_answers<Backgammon>(Evaluates::kPosition);
  expect_the_same_answers<Backgammon>(Evaluates::kAfterstates);
}

TEST(Analysis, NoPositionsNoAnswers) {
  EXPECT_TRUE(answers<ConnectFour>({}, Evaluates::kPosition, 4, 8).empty());
}

}  // namespace
}  // namespace senet
