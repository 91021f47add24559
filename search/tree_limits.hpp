// How much a tree can hold, and how much a search of so many visits needs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nn/evaluates.hpp"
#include "search/tree.hpp"

namespace senet {

/// Tree limits in which a search of `visits` visits fits for ordinary positions; a search of
/// unusually wide ones ends early and says so. `game` is any state of the game.
template <Game G>
TreeLimits limits_for(const G& game, std::uint32_t visits, Evaluates evaluates) {
  // A visit adds a node, with dice two: the turn of chance and the position behind it. Its edges: a
  // cold block of an ordinary width and one to two small hot blocks.
  const std::uint32_t nodes_per_visit = has_dice(game) ? 2 : 1;
  const std::uint32_t ordinary_width =
      most_legal(game) > 64 ? 48 : static_cast<std::uint32_t>(most_legal(game));
  const std::uint32_t words_per_visit =
      cold_words(ordinary_width, evaluates == Evaluates::kAfterstates) + 40 * nodes_per_visit;
  // The root may be as wide as the game allows, with all its edges opened for noise.
  const auto widest = static_cast<std::uint32_t>(most_edges(game));
  const auto dice = static_cast<std::uint32_t>(most_chance(game));
  return {(visits + 2) * nodes_per_visit + 2, (visits + 2) * words_per_visit +
                                                  cold_words(widest, true) + 2 * hot_words(widest) +
                                                  cold_words(dice, false) + hot_words(dice)};
}

/// The same for a game whose type says it all.
template <FixedOutcomesGame G>
TreeLimits limits_for(std::uint32_t visits, Evaluates evaluates) {
  return limits_for(G{}, visits, evaluates);
}

/// The largest number of 1 .. `most` for which fits(number) holds, 0 if there is none. What holds
/// for a number holds for all below it.
template <class Fits>
std::uint32_t largest_that_fits(std::uint32_t most, Fits&& fits) {
  std::uint32_t low = 0, high = most;
  while (low < high) {
    const std::uint32_t middle = low + (high - low + 1) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace senet
