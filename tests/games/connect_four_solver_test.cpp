// Tests the solver against labels of other solvers, and against itself.
#include "games/connect_four/kit/solver.hpp"

#include <gtest/gtest.h>

#include "games/connect_four/kit/exam.hpp"
#include "tests/repository.hpp"

namespace senet {
namespace {

// The minimum number of stones of the labelled positions that are solved. Earlier positions take
// too long under sanitizers.
constexpr std::size_t kFewestStones = 18;

int sign(int score) { return (score > 0) - (score < 0); }

TEST(ConnectFourSolver, AgreesWithTheLabels) {
  const auto labels =
      connect_four::read_labels(repository_path("tests/data/connect_four/labels_A.csv"));
  ASSERT_TRUE(labels);
  connect_four::Solver solver(std::size_t{16} << 20);
  std::size_t columns = 0;
  for (const connect_four::Label& label : *labels) {
    if (label.moves.size() < kFewestStones) continue;
    ASSERT_EQ(solver.score(label.state), label.value) << label.moves;
    ASSERT_EQ(sign(solver.score(label.state, -1, 1)), sign(label.value)) << label.moves;
    ActionList<ConnectFour::kMaxLegal> legal;
    label.state.legal(legal);
    for (const Action action : legal) {
      ConnectFour after = label.state;
      after.play(action);
      if (after.turn() == Turn::kOver) continue;
      const int score = (*label.scores)[action];
      ASSERT_EQ(solver.score(after), -score) << label.moves << ' ' << int{action};
      for (const int result : {0, 1}) {
        ASSERT_EQ(solver.score(after, result - 1, result) >= result, sign(-score) >= result)
            << label.moves;
      }
      ++columns;
    }
  }
  EXPECT_GT(columns, 1500u);
}

// A score does not depend on earlier searches, and is the same for the mirror image.
TEST(ConnectFourSolver, AnswersDoNotDependOnTheTable) {
  connect_four::Solver used(std::size_t{1} << 20);  // so small that entries are often overwritten
  for (const char* moves : {"5554224333234511", "444444221155", "445335226267"}) {
    const auto state = ConnectFour::from_text(moves);
    ASSERT_TRUE(state);
    connect_four::Solver fresh(std::size_t{1} << 20);
    const int score = fresh.score(*state);
    EXPECT_EQ(used.score(*state), score) << moves;
    EXPECT_EQ(used.score(state->mirrored()), score) << moves;
    EXPECT_EQ(sign(used.score(*state, -1, 1)), sign(score)) << moves;
  }
}

TEST(ConnectFourSolver, TellsHowSoonItEnds) {
  connect_four::Solver solver(std::size_t{1} << 20);
  // X has three in column 1 and is to move: the fourth stone wins.
  EXPECT_EQ(solver.score(ConnectFour::from_text("121212").value()), 18);
  // X has three in the middle of the bottom row, and O cannot block both ends.
  EXPECT_EQ(solver.score(ConnectFour::from_text("33445").value()), -18);
  EXPECT_EQ(sign(solver.score(ConnectFour::from_text("33445").value(), -1, 1)), -1);
}

}  // namespace
}  // namespace senet
