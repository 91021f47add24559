// The folder of saved networks: the first and the newest are always kept, those between are thinned
// out.
#include "train_bridge/checkpoint.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "tests/temporary_folder.hpp"

namespace senet {
namespace {

Network network(std::uint64_t seed) {
  NetworkSpec spec = reference_spec<TicTacToe>();
  spec.width = 8;
  spec.blocks = 0;
  return initial_network(spec, seed);
}

std::set<std::string> names(const std::filesystem::path& folder) {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    found.insert(entry.path().filename().string());
  }
  return found;
}

TEST(WeightsFolder, KeepsTheEndsAndASparserMiddle) {
  const TemporaryFolder folder;
  std::ofstream(folder / "123456.txt") << "not a network";
  std::ofstream(folder / "best.safetensors") << "a user's file";
  for (std::uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(save_to_weights_folder(network(i), i, folder.path(), 8));
    const auto all = names(folder.path());
    EXPECT_LE(all.size(), 3u + 8u);
    for (const char* name :
         {"000000.safetensors", "latest.safetensors", "123456.txt", "best.safetensors"}) {
      EXPECT_TRUE(all.contains(name)) << name << " after " << i;
    }
    const auto newest = load_network(folder / "latest.safetensors");
    ASSERT_TRUE(newest);
    EXPECT_EQ(newest->id(), network(i).id());
  }
  // The last four are all there; older ones are at growing distances.
  const auto all = names(folder.path());
  for (const char* name :
       {"000096.safetensors", "000097.safetensors", "000098.safetensors", "000099.safetensors"}) {
    EXPECT_TRUE(all.contains(name)) << name;
  }
  EXPECT_GE(all.size(), 3u + 6u);
}

TEST(WeightsFolder, WithoutALimitAllStay) {
  const TemporaryFolder folder;
  for (std::uint64_t i = 0; i < 30; ++i) {
    ASSERT_TRUE(save_to_weights_folder(network(i), i, folder.path(), 0));
  }
  EXPECT_EQ(names(folder.path()).size(), 31u);
}

TEST(WeightsFolder, AFolderThatIsNotThereIsNamed) {
  const TemporaryFolder folder;
  const auto saved = save_to_weights_folder(network(1), 1, folder / "missing", 8);
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.error().reason().find("missing"), std::string::npos);
}

}  // namespace
}  // namespace senet
