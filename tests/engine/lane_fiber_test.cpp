// Fibers run in the order in which their driver resumes them, and end when they are abandoned.
#include "engine/lanes/lane_fiber.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace senet {
namespace {

// Runs `test` on a new thread, which frees all its fibers when it ends.
template <class Test>
void on_lanes(Test&& test) {
  std::thread([&] { test(); }).join();
}

TEST(LaneFiber, GoesOnWhenItIsResumed) {
  std::vector<int> order;
  on_lanes([&] {
    const auto body = [&](int lane) {
      return [&order, lane](LaneFiber& fiber) {
        for (int turn = 0; turn < 2; ++turn) {
          order.push_back(10 * turn + lane);
          if (!fiber.wait(turn == 0 ? LaneState::kWantsSearch : LaneState::kBlocked)) FAIL();
        }
      };
    };
    std::vector<std::unique_ptr<LaneFiber>> lanes;
    for (int lane = 0; lane < 3; ++lane) {
      lanes.push_back(std::make_unique<LaneFiber>(body(lane)));
    }
    EXPECT_TRUE(order.empty());
    for (const auto& lane : lanes) EXPECT_EQ(lane->resume(), LaneState::kWantsSearch);
    for (const int lane : {2, 0, 1}) EXPECT_EQ(lanes[lane]->resume(), LaneState::kBlocked);
    for (const auto& lane : lanes) EXPECT_EQ(lane->resume(), LaneState::kFinished);
  });
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 12, 10, 11}));
}

TEST(LaneFiber, AnAbandonedStoryEnds) {
  const auto watched = std::make_shared<int>(1);
  on_lanes([&] {
    int waits = 0;
    {
      LaneFiber fiber([&waits, watched](LaneFiber& own) {
        const std::shared_ptr<int> on_its_stack = watched;
        while (own.wait(LaneState::kWantsSearch)) ++waits;
      });
      fiber.resume();
      fiber.resume();
      EXPECT_GT(watched.use_count(), 2);
    }
    EXPECT_EQ(waits, 1);
  });
  EXPECT_EQ(watched.use_count(), 1);
}

TEST(LaneFiber, AStoryThatNeverBeganIsDestroyed) {
  const auto watched = std::make_shared<int>(1);
  on_lanes([&] { const LaneFiber fiber([watched](LaneFiber&) { FAIL(); }); });
  EXPECT_EQ(watched.use_count(), 1);
}

}  // namespace
}  // namespace senet
