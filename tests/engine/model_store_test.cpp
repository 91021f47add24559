// The store of the newest weights: generations, lifetime, and packing once for all workers.
#include "engine/lanes/model_store.hpp"

#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <set>
#include <thread>
#include <vector>

#include "tests/all_games.hpp"

namespace senet {
namespace {

TEST(ModelStore, ServesTheNewestAndCounts) {
  const NetworkSpec spec = reference_spec<TicTacToe>();
  ModelStore store;
  EXPECT_EQ(store.generation(), 0u);
  EXPECT_EQ(store.newest().weights, nullptr);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Network network = initial_network(spec, seed);
    const std::uint64_t id = network.id();
    store.publish(std::move(network));
    const ModelStore::Newest newest = store.newest();
    EXPECT_EQ(newest.weights->id(), id);
    EXPECT_EQ(newest.generation, seed);
    EXPECT_EQ(store.generation(), seed);
  }
}

TEST(ModelStore, WeightsLiveAsLongAsTheyAreHeld) {
  const NetworkSpec spec = reference_spec<TicTacToe>();
  ModelStore store(initial_network(spec, 1));
  SharedWeights held = store.newest().weights;
  const std::weak_ptr<const Weights> first = held;
  store.publish(initial_network(spec, 2));
  EXPECT_FALSE(first.expired());
  held = nullptr;
  EXPECT_TRUE(first.expired());
}

// All workers find newer weights at about the same time.
TEST(ModelStore, AllWorkersRunTheSamePackedNetwork) {
  constexpr int kWorkers = 4;
  ModelStore store(initial_network(reference_spec<TicTacToe>(), 1));
  EXPECT_FALSE(store.newest().weights->is_packed());
  std::barrier at_once(kWorkers);
  std::array<const PackedNetwork*, kWorkers> packed{};
  std::vector<std::jthread> workers;
  for (int i = 0; i < kWorkers; ++i) {
    workers.emplace_back([&, i] {
      at_once.arrive_and_wait();
      packed[static_cast<std::size_t>(i)] = &store.newest().weights->packed();
    });
  }
  workers.clear();
  EXPECT_EQ(std::set(packed.begin(), packed.end()).size(), 1u);
  EXPECT_TRUE(store.newest().weights->is_packed());
}

}  // namespace
}  // namespace senet
