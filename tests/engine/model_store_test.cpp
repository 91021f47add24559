// The store of weights: the newest, counted, and for all workers at once.
#include "engine/lanes/model_store.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <thread>
#include <vector>

#include "tests/all_games.hpp"

namespace senet {
namespace {

TEST(ModelStore, ServesTheNewestAndCounts) {
  const NetworkSpec spec = reference_spec<TicTacToe>();
  Network first = initial_network(spec, 1), second = initial_network(spec, 2);
  const std::uint64_t first_id = first.id(), second_id = second.id();
  ModelStore store(std::move(first));
  const std::uint64_t generation = store.generation();
  const auto newest = [&] {
    std::uint64_t id = 0;
    store.with_newest([&](const Network& network, std::uint64_t at) {
      id = network.id();
      EXPECT_EQ(at, store.generation());
    });
    return id;
  };
  EXPECT_EQ(newest(), first_id);
  store.publish(std::move(second));
  EXPECT_EQ(newest(), second_id);
  EXPECT_EQ(store.generation(), generation + 1);
}

// All workers find newer weights at about the same time: none has to wait until another has copied
// them.
TEST(ModelStore, LetsAllWorkersCopyAtOnce) {
  constexpr int kWorkers = 4;
  ModelStore store(initial_network(reference_spec<TicTacToe>(), 1));
  std::barrier all_inside(kWorkers);  // waits for ever if one is kept out
  std::vector<std::jthread> workers;
  std::atomic<int> copied{0};
  for (int i = 0; i < kWorkers; ++i) {
    workers.emplace_back([&] {
      store.with_newest([&](const Network&, std::uint64_t) {
        all_inside.arrive_and_wait();
        ++copied;
      });
    });
  }
  workers.clear();
  EXPECT_EQ(copied, kWorkers);
  EXPECT_EQ(store.held_ns(), 0u);
}

}  // namespace
}  // namespace senet
