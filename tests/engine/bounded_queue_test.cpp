// The queue between threads: order, capacity, closing, and no lost or duplicated values.
#include "engine/lanes/bounded_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace senet {
namespace {

using Item = std::unique_ptr<int>;  // move-only, and empty once moved from

Item item(int value) { return std::make_unique<int>(value); }

TEST(BoundedQueue, KeepsOrderAroundTheRing) {
  BoundedQueue<Item> queue(3);
  int pushed = 0, popped = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 1 + round % 3; ++i) ASSERT_TRUE(queue.push(item(pushed++)));
    EXPECT_EQ(queue.size(), static_cast<std::size_t>(1 + round % 3));
    for (int i = 0; i < 1 + round % 3; ++i) {
      const auto value = queue.pop();
      ASSERT_TRUE(value);
      EXPECT_EQ(**value, popped++);
    }
  }
  EXPECT_EQ(queue.size(), 0u);
}

TEST(BoundedQueue, AFullQueueLeavesTheValueUntouched) {
  BoundedQueue<Item> queue(1);
  ASSERT_TRUE(queue.try_push(item(1)));
  Item second = item(2);
  EXPECT_FALSE(queue.try_push(std::move(second)));
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(**queue.try_pop(), 1);
  EXPECT_TRUE(queue.try_push(std::move(second)));
  EXPECT_EQ(**queue.try_pop(), 2);
  EXPECT_FALSE(queue.try_pop());
}

TEST(BoundedQueue, AClosedQueueTakesNothingAndGivesTheRest) {
  BoundedQueue<Item> queue(4);
  ASSERT_TRUE(queue.push(item(1)));
  ASSERT_TRUE(queue.push(item(2)));
  EXPECT_FALSE(queue.closed());
  queue.close();
  queue.close();
  EXPECT_TRUE(queue.closed());
  Item late = item(3);
  EXPECT_FALSE(queue.push(std::move(late)));
  EXPECT_FALSE(queue.try_push(std::move(late)));
  ASSERT_NE(late, nullptr);
  EXPECT_EQ(**queue.pop(), 1);
  EXPECT_EQ(**queue.try_pop(), 2);
  EXPECT_FALSE(queue.pop());
  EXPECT_FALSE(queue.try_pop());
}

TEST(BoundedQueue, ReleasesValuesWhenTheyLeaveAndWhenItEnds) {
  const auto shared = std::make_shared<int>(1);
  {
    BoundedQueue<std::shared_ptr<int>> queue(2);
    ASSERT_TRUE(queue.push(std::shared_ptr<int>(shared)));
    ASSERT_TRUE(queue.push(std::shared_ptr<int>(shared)));
    EXPECT_EQ(shared.use_count(), 3);
    static_cast<void>(queue.pop());
    EXPECT_EQ(shared.use_count(), 2);
  }
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(BoundedQueue, CloseWakesThoseWhoWait) {
  BoundedQueue<Item> empty(1), full(1);
  ASSERT_TRUE(full.push(item(1)));
  std::atomic<int> woken = 0;
  std::vector<std::thread> waiting;
  for (int i = 0; i < 3; ++i) {
    waiting.emplace_back([&] {
      EXPECT_FALSE(empty.pop());
      ++woken;
    });
    waiting.emplace_back([&] {
      Item refused = item(2);
      EXPECT_FALSE(full.push(std::move(refused)));
      EXPECT_NE(refused, nullptr);
      ++woken;
    });
  }
  empty.close();
  full.close();
  for (std::thread& thread : waiting) thread.join();
  EXPECT_EQ(woken, 6);
  EXPECT_EQ(full.size(), 1u);
}

// Producers that wait and producers that retry, several consumers, a small ring: every value
// arrives exactly once, and each consumer gets the values of one producer in order.
TEST(BoundedQueue, LosesAndDoublesNothingBetweenThreads) {
  constexpr int kProducers = 4, kConsumers = 3, kEach = 5000;
  struct Message {
    int producer;
    Item number;
  };
  BoundedQueue<Message> queue(5);
  std::vector<std::thread> producers, consumers;
  std::vector<std::vector<int>> seen(kProducers, std::vector<int>(kEach, 0));
  std::vector<std::vector<std::pair<int, int>>> taken(kConsumers);
  for (int p = 0; p < kProducers; ++p) {
    producers.emplace_back([&queue, p] {
      for (int i = 0; i < kEach; ++i) {
        Message message{p, item(i)};
        if (p % 2 == 0) {
          ASSERT_TRUE(queue.push(std::move(message)));
        } else {
          while (!queue.try_push(std::move(message))) std::this_thread::yield();
        }
      }
    });
  }
  for (int c = 0; c < kConsumers; ++c) {
    consumers.emplace_back([&queue, &mine = taken[static_cast<std::size_t>(c)]] {
      while (const auto message = queue.pop()) {
        mine.emplace_back(message->producer, *message->number);
      }
    });
  }
  for (std::thread& thread : producers) thread.join();
  queue.close();
  for (std::thread& thread : consumers) thread.join();
  for (const auto& mine : taken) {
    std::vector<int> last(kProducers, -1);
    for (const auto& [producer, number] : mine) {
      EXPECT_GT(number, last[static_cast<std::size_t>(producer)]);
      last[static_cast<std::size_t>(producer)] = number;
      ++seen[static_cast<std::size_t>(producer)][static_cast<std::size_t>(number)];
    }
  }
  for (const auto& counts : seen) EXPECT_EQ(counts, std::vector<int>(kEach, 1));
}

}  // namespace
}  // namespace senet
