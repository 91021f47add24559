// The games of the list as test types: a new game is tested by being in it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/all_games.hpp"

namespace senet {
/// For TYPED_TEST_SUITE(Suite, GameTypes, GameName).
using GameTypes = AllGames;

/// Names the cases by their games.
struct GameName {
  template <class G>
  static std::string GetName(int) {
    return std::string(G::kName);
  }
};

}  // namespace senet
