// All games as test types: typed tests cover every game in the list automatically.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "tests/all_games.hpp"

namespace senet {
/// For TYPED_TEST_SUITE(Suite, GameTypes, GameName).
using GameTypes = AllGames;

/// The games of two players among these.
template <class Games, class... Two>
struct TwoPlayersAmong;
template <class... Two>
struct TwoPlayersAmong<::testing::Types<>, Two...> {
  using Games = ::testing::Types<Two...>;
};
template <class G, class... More, class... Two>
struct TwoPlayersAmong<::testing::Types<G, More...>, Two...>
    : std::conditional_t<kMayHaveOnePlayer<G>, TwoPlayersAmong<::testing::Types<More...>, Two...>,
                         TwoPlayersAmong<::testing::Types<More...>, Two..., G>> {};
using TwoPlayerGames = TwoPlayersAmong<AllGames>::Games;

/// Names test cases after their game.
struct GameName {
  template <class G>
  static std::string GetName(int) {
    return std::string(G::kName);
  }
};

}  // namespace senet
