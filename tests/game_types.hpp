// All games as test types: typed tests cover every game in the list automatically.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/all_games.hpp"

namespace senet {
/// For TYPED_TEST_SUITE(Suite, GameTypes, GameName).
using GameTypes = AllGames;

/// Names test cases after their game.
struct GameName {
  template <class G>
  static std::string GetName(int) {
    return std::string(G::kName);
  }
};

}  // namespace senet
