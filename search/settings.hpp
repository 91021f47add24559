// What a search can be told: how it weighs what it sees, and when it stops.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nn/evaluates.hpp"
#include "search/node_table.hpp"
#include "search/tree.hpp"
#include "senet/game.hpp"

namespace senet {

/// How a search weighs what it sees. The same for every move of a game.
struct SearchSettings {
  Evaluates evaluates = Evaluates::kPosition;
  /// Exploration constant of PUCT (Rosin 2011; Silver et al. 2017), in units of the game's values.
  float c_puct = 1.5f;
  /// An unvisited action is taken to be worth its parent's value less this times the root of the
  /// visited priors' sum (first-play urgency reduction, as in Leela Zero and KataGo). kPosition
  /// only.
  float fpu_reduction = 0.2f;
  /// kPosition: priors are softmax(logit / temperature).
  float policy_temperature = 1.0f;
  /// kAfterstates: priors are softmax(value / temperature) over the family, in the game's value
  /// units.
  float afterstate_temperature = 0.1f;
  /// Dirichlet noise at the root when a budget asks for it: concentration per action is noise_total
  /// / edges of the root, noise_share of the prior is noise (Silver et al. 2017; KataGo's scaling
  /// by the number of actions).
  float noise_total = 10.0f;
  float noise_share = 0.25f;
  /// Keeps the part of the tree that the next root can reach.
  bool reuse_tree = true;
};

/// The policy temperature of whoever plays to win. A network learns to be as sure as the searches
/// that it was shown, and to overlook what they overlooked: flatter priors look at more (as in
/// Leela Chess Zero). Self-play keeps 1, for its visits are what is learnt.
inline constexpr float kPlayersPolicyTemperature = 1.5f;

/// The least temperature of priors that can be set: what lies below overflows.
inline constexpr float kLeastTemperature = 1e-4f;

/// The move to play need not be the one with the most visits, which may have lost its lead to one
/// that was found late. It is the one with the highest lower confidence bound, value less
/// kChoiceRadius * kValueRange / sqrt(visits), among those with at least kChoiceShare of the most
/// visits; what is proven is certain (as in KataGo).
inline constexpr float kChoiceRadius = 0.5f, kChoiceShare = 0.1f;

/// When one search stops: at `visits` visits of the root (those kept from the move before count),
/// earlier when the root's value is proven or the tree is full. 1 = expand the root only.
struct SearchBudget {
  std::uint32_t visits = 100;
  bool noise = false;
};

/// Tree limits in which a search of `visits` visits fits for ordinary positions; a search of
/// unusually wide ones ends early and says so.
template <Game G>
TreeLimits limits_for(std::uint32_t visits, Evaluates evaluates) {
  // A visit adds a node, with dice two: the turn of chance and the position behind it. Its edges: a
  // cold block of an ordinary width and one to two small hot blocks.
  const std::uint32_t nodes_per_visit = kMaxChance<G> > 0 ? 2 : 1;
  const std::uint32_t ordinary_width =
      G::kMaxLegal > 64 ? 48 : static_cast<std::uint32_t>(G::kMaxLegal);
  const std::uint32_t words_per_visit =
      cold_words(ordinary_width, evaluates == Evaluates::kAfterstates) + 40 * nodes_per_visit;
  // The root may be as wide as the game allows, with all its edges opened for noise.
  constexpr auto widest = static_cast<std::uint32_t>(kMaxEdges<G>);
  return {(visits + 2) * nodes_per_visit + 2,
          (visits + 2) * words_per_visit + cold_words(widest, true) + 2 * hot_words(widest) +
              cold_words(kMaxChance<G>, false) + hot_words(kMaxChance<G>)};
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

/// The most visits a search fits into `bytes`; 0 when not even one does.
template <Game G, NodeTable Table = EpochTable>
std::uint32_t visits_that_fit(std::size_t bytes, Evaluates evaluates) {
  return largest_that_fits(std::uint32_t{1} << 24, [&](std::uint32_t visits) {
    return tree_bytes<G, Table>(limits_for<G>(visits, evaluates)) <= bytes;
  });
}

}  // namespace senet
