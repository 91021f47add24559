#include "games/registry.hpp"

#include <gtest/gtest.h>

#include <set>

#include "games/any_game.hpp"
#include "tests/game_types.hpp"

namespace senet {
namespace {

TEST(Registry, FindsEveryGameByItsName) {
  const auto tables = all_games<AnyGame>();
  ASSERT_EQ(tables.size(), game_names().size());
  std::set<const AnyGame*> found;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const Result<const AnyGame*> game = find_game<AnyGame>(game_names()[i]);
    ASSERT_TRUE(game.has_value()) << game.error().reason();
    EXPECT_EQ(*game, tables[i]);
    EXPECT_EQ((*game)->name, game_names()[i]);
    found.insert(*game);
  }
  EXPECT_EQ(found.size(), tables.size());
}

TEST(Registry, UnknownNameListsTheKnownOnes) {
  for (const std::string_view name : {"", "chess", "connect_fou", "connect_four "}) {
    const Result<const AnyGame*> game = find_game<AnyGame>(name);
    ASSERT_FALSE(game.has_value());
    const std::string& reason = game.error().reason();
    EXPECT_TRUE(reason.starts_with("unknown game \"" + std::string(name) + "\"; known games: "));
    for (const std::string_view known : game_names()) {
      EXPECT_NE(reason.find(known), std::string::npos) << reason;
    }
  }
}

template <class G>
class RegistryOf : public testing::Test {};
TYPED_TEST_SUITE(RegistryOf, GameTypes, GameName);

TYPED_TEST(RegistryOf, TheTableOfATypeIsThatOfItsName) {
  EXPECT_EQ(*find_game<AnyGame>(TypeParam::kName), &(game_table<AnyGame, TypeParam>()));
}

}  // namespace
}  // namespace senet
