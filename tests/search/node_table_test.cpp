#include "search/node_table.hpp"

#include <gtest/gtest.h>

#include "games/random.hpp"

namespace senet {
namespace {

template <class T>
class EveryTable : public testing::Test {};
using Tables = testing::Types<EpochTable, FlatTable>;
TYPED_TEST_SUITE(EveryTable, Tables);

TYPED_TEST(EveryTable, FindsWhatWasInsertedUntilCleared) {
  constexpr std::uint32_t kNodes = 5000;
  TypeParam table(kNodes);
  for (int round = 0; round < 3; ++round) {
    for (NodeId id = 0; id < kNodes; ++id) {
      const std::uint64_t key = mix(id + 1000u * static_cast<unsigned>(round));
      EXPECT_EQ(table.find(key), kNoNode);
      table.insert(key, id);
    }
    for (NodeId id = 0; id < kNodes; ++id) {
      EXPECT_EQ(table.find(mix(id + 1000u * static_cast<unsigned>(round))), id);
    }
    table.clear();
    EXPECT_EQ(table.find(mix(1000u * static_cast<unsigned>(round))), kNoNode);
  }
}

TYPED_TEST(EveryTable, KeysThatShareTheirLowBitsAreKeptApart) {
  TypeParam table(64);
  for (NodeId id = 0; id < 64; ++id) table.insert(std::uint64_t{id} << 40, id);
  for (NodeId id = 0; id < 64; ++id) EXPECT_EQ(table.find(std::uint64_t{id} << 40), id);
  EXPECT_EQ(table.find(std::uint64_t{64} << 40), kNoNode);
}

}  // namespace
}  // namespace senet
