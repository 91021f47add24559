// A bear-off database for tests, and positions in it.
#pragma once

#include <vector>

#include "games/backgammon/backgammon.hpp"
#include "games/random.hpp"
#include "tests/games/backgammon_positions.hpp"

namespace senet::backgammon {

/// The bytes of the database, built once.
inline std::span<const std::byte> bearoff_bytes() {
  static const std::vector<std::uint64_t> kNumbers = [] {
    std::vector<std::uint64_t> numbers(BearoffDatabase::kBytes / 8);
    static_assert(BearoffDatabase::kBytes % 8 == 0);
    BearoffDatabase::build(std::as_writable_bytes(std::span(numbers)));
    return numbers;
  }();
  return std::as_bytes(std::span(kNumbers));
}

inline BearoffDatabase bearoff() { return BearoffDatabase(bearoff_bytes()); }

/// Exactly `count` checkers on random points of the home board.
inline Checkers random_home(Random& random, std::size_t count) {
  Checkers checkers{};
  for (std::size_t i = 0; i < count; ++i) ++checkers[1 + random.below(6)];
  return *with_borne_off(checkers);
}

/// A board with 1 to `most` checkers of each player, all of them home.
inline Board random_bearoff(Random& random, std::uint32_t most) {
  const Checkers mine = random_home(random, 1 + random.below(most));
  return {mine, random_home(random, 1 + random.below(most))};
}

}  // namespace senet::backgammon
