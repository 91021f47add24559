#include "games/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace senet {
namespace {

TEST(Registry, VisitsEveryGameByItsName) {
  std::set<std::string_view> names;
  for (const std::string_view name : game_names()) {
    names.insert(name);
    const Result<std::string_view> visited =
        visit_game(name, []<class G>(std::type_identity<G>) { return G::kName; });
    ASSERT_TRUE(visited.has_value());
    EXPECT_EQ(*visited, name);
  }
  EXPECT_EQ(names.size(), game_names().size());
  EXPECT_TRUE(names.contains("tic_tac_toe"));
  EXPECT_TRUE(names.contains("connect_four"));
  EXPECT_TRUE(names.contains("backgammon"));
}

TEST(Registry, UnknownNameListsTheKnownOnes) {
  for (const std::string_view name : {"", "chess", "connect_fou", "connect_four "}) {
    bool called = false;
    const Result<void> visited =
        visit_game(name, [&called]<class G>(std::type_identity<G>) { called = true; });
    ASSERT_FALSE(visited.has_value());
    EXPECT_FALSE(called);
    for (const std::string_view known : game_names()) {
      EXPECT_NE(visited.error().reason().find(known), std::string::npos)
          << visited.error().reason();
    }
  }
}

TEST(Registry, PassesOnTheFunctionsOwnFailure) {
  const Result<int> visited = visit_game(
      "connect_four", []<class G>(std::type_identity<G>) -> Result<int> { return fail("no"); });
  ASSERT_FALSE(visited.has_value());
  EXPECT_EQ(visited.error().reason(), "no");
}

}  // namespace
}  // namespace senet
