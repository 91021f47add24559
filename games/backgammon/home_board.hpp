// The positions of one player's home board, numbered without gaps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "games/backgammon/board.hpp"

namespace senet::backgammon {

inline constexpr std::size_t kHomePoints = 6;

/// n choose k.
constexpr std::size_t binomial(std::size_t n, std::size_t k) {
  std::size_t product = 1;
  for (std::size_t i = 1; i <= k; ++i) product = product * (n - k + i) / i;
  return product;
}

/// Number of positions with at most `checkers` checkers, all of them home.
constexpr std::size_t home_positions(std::size_t checkers) {
  return binomial(checkers + kHomePoints, kHomePoints);
}
static_assert(home_positions(kCheckers) == 54264);

/// Number of a position, by the combinatorial number system (Knuth, TAOCP 7.2.1.3):
///
///   index = sum over k = 1..6 of C(t + k - 1, k),  t: checkers on the k highest points, 7 - k .. 6
///
/// Positions of at most n checkers have exactly the indices below home_positions(n). No checkers
/// left is 0. Every play leads to a lower index, so tables can be filled in ascending order.
using HomeIndex = std::uint16_t;

namespace home_board_detail {

using Terms = std::array<std::array<HomeIndex, kCheckers + 1>, kHomePoints + 1>;

/// [k][t]: C(t + k - 1, k).
inline constexpr Terms kTerms = [] {
  Terms terms{};
  for (std::size_t k = 1; k <= kHomePoints; ++k) {
    for (std::size_t t = 0; t <= kCheckers; ++t) {
      terms[k][t] = static_cast<HomeIndex>(binomial(t + k - 1, k));
    }
  }
  return terms;
}();

}  // namespace home_board_detail

/// The index of the checkers on points 1..6 of `points`, a Checkers or a HomePoints; other places
/// are ignored.
template <class Points>
HomeIndex home_index(const Points& points) {
  std::size_t index = 0, behind = 0;
  for (std::size_t k = 1; k <= kHomePoints; ++k) {
    behind += points[kHomePoints + 1 - k];
    index += home_board_detail::kTerms[k][behind];
  }
  return static_cast<HomeIndex>(index);
}

/// The checkers on points 1..6; [0] is unused.
using HomePoints = std::array<std::uint8_t, kHomePoints + 1>;

/// All positions with at most `checkers` checkers, by index.
std::vector<HomePoints> list_home_positions(std::size_t checkers);

/// Whether all checkers are home or borne off.
inline bool are_home(const Checkers& checkers) {
  return (occupied_places(checkers) & kOutsideHome) == 0;
}

}  // namespace senet::backgammon
