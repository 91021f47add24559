// The games of the list as test types: a new game is tested by being in it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "games/list.hpp"
#include "tests/all_games.hpp"

namespace senet {
namespace game_types_detail {

template <class List>
struct AsTestTypes;
template <class... G>
struct AsTestTypes<GameList<G...>> {
  using type = testing::Types<G...>;
};

}  // namespace game_types_detail

/// For TYPED_TEST_SUITE(Suite, GameTypes, GameName).
using GameTypes = game_types_detail::AsTestTypes<AllGames>::type;

/// Names the cases by their games.
struct GameName {
  template <class G>
  static std::string GetName(int) {
    return std::string(G::kName);
  }
};

}  // namespace senet
