// A tree's table finds exactly the keys that it contains.
#include "search/node_table.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "games/random.hpp"

namespace senet {
namespace {

// A table and the keys of its nodes, which a tree would store.
struct Keyed {
  explicit Keyed(std::uint32_t nodes) : table(nodes), keys(nodes) {}
  NodeId find(std::uint64_t key) {
    return table.find(key, [this](NodeId id) { return keys[id]; });
  }
  void insert(std::uint64_t key, NodeId id) {
    keys[id] = key;
    EXPECT_EQ(find_or_insert(key, id), id);
  }
  NodeId find_or_insert(std::uint64_t key, NodeId id) {
    return table.find_or_insert(key, id, [this](NodeId node) { return keys[node]; });
  }
  EpochTable table;
  std::vector<std::uint64_t> keys;
};

TEST(EpochTable, FindsWhatWasInsertedUntilCleared) {
  constexpr std::uint32_t kNodes = 5000;
  Keyed nodes(kNodes);
  for (std::uint64_t round = 0; round < 3; ++round) {
    for (NodeId id = 0; id < kNodes; ++id) {
      const std::uint64_t key = mix(id + 1000 * round);
      EXPECT_EQ(nodes.find(key), kNoNode);
      nodes.insert(key, id);
    }
    for (NodeId id = 0; id < kNodes; ++id) {
      EXPECT_EQ(nodes.find(mix(id + 1000 * round)), id);
      EXPECT_EQ(nodes.find_or_insert(mix(id + 1000 * round), kNodes), id);
    }
    nodes.table.clear();
    EXPECT_EQ(nodes.find(mix(1000 * round)), kNoNode);
  }
}

// The same slot, and the same tag or the next slot: only the whole key distinguishes them.
TEST(EpochTable, KeysThatAgreeInPartAreKeptApart) {
  for (const int shift : {12, 30, 32, 40, 57}) {
    Keyed nodes(64);
    const auto key = [&](std::uint64_t id) { return (id << shift) | 0xfff; };
    for (NodeId id = 0; id < 64; ++id) nodes.insert(key(id), id);
    for (NodeId id = 0; id < 64; ++id) EXPECT_EQ(nodes.find(key(id)), id);
    EXPECT_EQ(nodes.find(key(64)), kNoNode);
  }
}

// Epochs wrap around after 2^16.
TEST(EpochTable, OldKeysNeverComeBack) {
  Keyed nodes(8);
  for (std::uint64_t round = 0; round < 200'000; ++round) {
    const std::uint64_t key = mix(round % 1000 == 0 ? 1 : 2);
    EXPECT_EQ(nodes.find(mix(1)), kNoNode) << round;
    EXPECT_EQ(nodes.find(mix(2)), kNoNode) << round;
    if (round % 1000 < 2) nodes.insert(key, 0);
    nodes.table.clear();
  }
}

}  // namespace
}  // namespace senet
