// Distributions over the outcomes of a game, and their sums for each root action.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "nn/heap.hpp"
#include "senet/game.hpp"

namespace senet {

/// Distribution over the outcomes of the game, from the perspective of a stated player;
/// [kOutcomes<G>] f32, sums to 1. Entries beyond outcome_values(game).size() are zero.
template <Game G>
using Outcomes = std::array<float, kOutcomes<G>>;

// In all functions here `game` is any state of the game.

/// The mean value of a distribution, for the player from whose perspective it is given.
template <Game G>
float mean_value(const G& game, const Outcomes<G>& outcomes) {
  const auto values = outcome_values(game);
  float value = 0;
  for (std::size_t i = 0; i < values.size(); ++i) value += outcomes[i] * values[i];
  return value;
}

/// The same distribution from the other player's perspective, or unchanged. Searches ask for either
/// at random, so nothing branches on it.
template <Game G>
Outcomes<G> mirrored_if(bool mirrors, const G& game, const Outcomes<G>& outcomes) {
  static constexpr auto kSame = [] {
    std::array<std::uint8_t, kOutcomes<G>> same{};
    for (std::size_t i = 0; i < same.size(); ++i) same[i] = static_cast<std::uint8_t>(i);
    return same;
  }();
  const auto mirror = outcome_mirror(game);
  const std::uint8_t* const order = mirrors ? mirror.data() : kSame.data();
  Outcomes<G> seen{};
  for (std::size_t i = 0; i < mirror.size(); ++i) seen[i] = outcomes[order[i]];
  return seen;
}
template <Game G>
Outcomes<G> mirrored(const G& game, const Outcomes<G>& outcomes) {
  return mirrored_if(true, game, outcomes);
}

/// What a move costs: 1 in a game of one player, whose values count the moves left, else 0.
template <Game G>
constexpr float move_cost(const G& game) {
  if constexpr (!kMayHaveOnePlayer<G>) return 0;
  return player_count(game) == 1 ? 1.0f : 0.0f;
}

/// A distribution over the moves left as it is `moves` moves before. The last outcome keeps its
/// share: so many moves or more. In a game of two players the distribution is unchanged.
template <Game G>
Outcomes<G> moves_before([[maybe_unused]] const G& game, const Outcomes<G>& outcomes,
                         [[maybe_unused]] std::size_t moves = 1) {
  if constexpr (kMayHaveOnePlayer<G>) {
    if (player_count(game) == 1) {
      const std::size_t last = outcome_values(game).size() - 1;
      Outcomes<G> before{};
      for (std::size_t i = 0; i <= last; ++i) before[std::min(i + moves, last)] += outcomes[i];
      return before;
    }
  }
  return outcomes;
}

/// The distribution of a finished game, from player 0's perspective.
template <Game G>
Outcomes<G> certain_end(const G& finished) {
  Outcomes<G> outcomes{};
  outcomes[finished.outcome()] = 1;
  return outcomes;
}

/// A distribution with a given mean and no other information: a mixture of the two outcomes with
/// the nearest values.
template <Game G>
Outcomes<G> spread_value(const G& game, float value) {
  const auto values = outcome_values(game);
  std::size_t below = 0, above = 0;
  float below_value = -1e9f, above_value = 1e9f;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float end = values[i];
    if (end <= value && end > below_value) below = i, below_value = end;
    if (end >= value && end < above_value) above = i, above_value = end;
  }
  Outcomes<G> outcomes{};
  if (below_value < -1e8f) below = above, below_value = above_value;
  if (above_value > 1e8f) above = below, above_value = below_value;
  const float width = above_value - below_value;
  const float share = width > 0 ? (value - below_value) / width : 1.0f;
  outcomes[above] += share;
  outcomes[below] += 1 - share;
  return outcomes;
}

/// Changes `outcomes` to the given mean: moves the same fraction of every entry to the best or the
/// worst outcome. Kept visits and proofs change a node's value without counting a leaf; this makes
/// the distribution agree with the value.
template <Game G>
Outcomes<G> with_mean(const G& game, Outcomes<G> outcomes, float value) {
  const auto values = outcome_values(game);
  const float mean = mean_value(game, outcomes);
  const auto [worst, best] = std::minmax_element(values.begin(), values.end());
  const auto end = value > mean ? best : worst;
  const float distance = *end - mean;
  if (distance == 0) return outcomes;
  const float share = std::clamp((value - mean) / distance, 0.0f, 1.0f);
  for (float& outcome : outcomes) outcome *= 1 - share;
  outcomes[static_cast<std::size_t>(end - values.begin())] += share;
  return outcomes;
}

/// Sums of outcome distributions for each root edge, all for the player to move at the root.
/// Training needs more than a mean value: TD and n-step targets are distributions.
template <Game G>
class RootStatistics {
 public:
  /// For roots with at most this many edges.
  explicit RootStatistics(std::size_t edges = kMaxEdges<G>, Heap& heap = default_heap())
      : edges_(edges, heap) {}
  /// Bytes that an object of this size allocates.
  static std::size_t bytes(std::size_t edges) { return edges * sizeof(Sum); }

  /// Resets everything for a root with this many edges.
  void clear(std::size_t edges) {
    std::fill_n(edges_.get(), edges, Sum{});
    root_ = {};
  }
  /// Adds a leaf that is the root itself.
  void add(const Outcomes<G>& leaf) { root_.add(leaf); }
  /// Adds a leaf below a root edge.
  void add(std::size_t edge, const Outcomes<G>& leaf) {
    add(leaf);
    note(edge, leaf);
  }
  /// Adds an edge's own distribution, which does not count as a leaf of the root.
  void note(std::size_t edge, const Outcomes<G>& own) { edges_[edge].add(own); }
  /// Mean over the root's leaves; without leaves, spread_value() of `value`. `game` is any state of
  /// the game.
  Outcomes<G> root(const G& game, float value) const { return root_.mean(game, value); }
  /// The same for one edge.
  Outcomes<G> edge(const G& game, std::size_t edge, float value) const {
    return edges_[edge].mean(game, value);
  }

 private:
  struct Sum {
    Outcomes<G> shares{};
    std::uint32_t count = 0;

    void add(const Outcomes<G>& leaf) {
      for (std::size_t i = 0; i < shares.size(); ++i) shares[i] += leaf[i];
      ++count;
    }
    Outcomes<G> mean(const G& game, float value) const {
      if (count == 0) return spread_value(game, value);
      Outcomes<G> mean = shares;
      for (float& share : mean) share /= static_cast<float>(count);
      return mean;
    }
  };

  Block<Sum> edges_;
  Sum root_;
};

}  // namespace senet
