#include "tests/cuda_on_host/fiber.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace senet::cuda_on_host {
namespace {

TEST(Fiber, RunsInTurnsWithItsOwner) {
  std::vector<int> order;
  Fiber* self = nullptr;
  Fiber fiber([&] {
    for (int i = 0; i < 3; ++i) {
      order.push_back(10 + i);
      self->suspend();
    }
  });
  self = &fiber;
  for (int i = 0; i < 4; ++i) {
    ASSERT_FALSE(fiber.finished());
    order.push_back(i);
    fiber.resume();
  }
  EXPECT_TRUE(fiber.finished());
  EXPECT_EQ(order, (std::vector<int>{0, 10, 1, 11, 2, 12, 3}));
}

TEST(Fiber, AStoryThatHasNotEndedIsUnwound) {
  const auto watched = std::make_shared<int>(1);
  {
    std::unique_ptr<Fiber> fiber;
    fiber = std::make_unique<Fiber>([&fiber, watched] {
      const std::shared_ptr<int> on_its_stack = watched;
      for (;;) fiber->suspend();
    });
    fiber->resume();
    fiber->resume();
    EXPECT_EQ(watched.use_count(), 3);
  }
  EXPECT_EQ(watched.use_count(), 1);
}

TEST(Fiber, AStoryThatNeverBeganIsDestroyed) {
  const auto watched = std::make_shared<int>(1);
  {
    const Fiber fiber([watched] { FAIL(); });
  }
  EXPECT_EQ(watched.use_count(), 1);
}

}  // namespace
}  // namespace senet::cuda_on_host
