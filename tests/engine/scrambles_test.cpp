// A thousand scrambles of the cube, searched side by side through the public interface with the
// built-in network, and the lengths of the solutions against the exact distances.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "games/cube2/cube2.hpp"
#include "games/random.hpp"
#include "senet/senet.hpp"
#include "tests/effort.hpp"
#include "tests/games/cube2_distances.hpp"

namespace senet {
namespace {

// Random moves, enough to reach any state.
Cube2 scrambled(std::uint64_t number) {
  Random random(5, number, 0, Purpose::kTest);
  Cube2 cube = Cube2::solved();
  for (int move = 0; move < 30; ++move) {
    cube.play(static_cast<Action>(random.below(Cube2::kMaxLegal)));
    cube = cube.as_start();
  }
  return cube;
}

TEST(Scrambles, AThousandAreSolvedSideBySide) {
  constexpr std::size_t kScrambles = effort(std::size_t{1000});
  const Cube2Distances distances(CubeMetric::kHalfTurns);
  senet_config config = api::default_config();
  config.sessions = kScrambles;
  config.visits = 100;
  api::Engine engine(config);
  engine.use(engine.builtin(Cube2::kName));
  struct Task {
    std::size_t distance;
    api::Session session;
    std::size_t moves = 0;
    bool is_open() const { return session.turn() != SENET_OVER; }
  };
  std::vector<Task> tasks;
  for (std::uint64_t number = 0; number < kScrambles; ++number) {
    const Cube2 cube = scrambled(number);
    tasks.push_back({distances.of(cube), engine.open_session(Cube2::kName)});
    tasks.back().session.set(cube.text());
  }
  for (;;) {
    std::vector<Task*> open;
    for (Task& task : tasks) {
      if (task.is_open()) open.push_back(&task);
    }
    if (open.empty()) break;
    for (Task* const task : open) {
      // As in senet solve.
      task->session.begin_search({.visits = 100, .search = "c-puct=5 afterstate-temperature=1"});
    }
    for (Task* const task : open) {
      task->session.wait();
      task->session.play(task->session.result().action);
      ++task->moves;
    }
  }
  std::size_t shortest = 0;
  for (const Task& task : tasks) {
    EXPECT_EQ(task.session.outcome(), 0u);
    EXPECT_GE(task.moves, task.distance);
    shortest += task.moves == task.distance ? 1 : 0;
  }
  EXPECT_GE(shortest, kScrambles * 9 / 10);
}

}  // namespace
}  // namespace senet
