// What the leaves below each root action looked like, as distributions over the ways the game can
// end.
#pragma once

#include "nn/heap.hpp"
#include "search/outcomes.hpp"

namespace senet {

/// Sums of outcome distributions per root edge, all told for the player to move at the root.
/// Training targets need more than a mean value: TD and n-step targets are distributions.
template <Game G>
class RootStatistics {
 public:
  /// For roots of so many edges at most.
  explicit RootStatistics(std::size_t edges = kMaxEdges<G>, Heap& heap = default_heap())
      : sums_(edges, heap), counts_(edges, heap) {}
  /// Memory of one, beside itself.
  static std::size_t bytes(std::size_t edges) { return edges * (sizeof(Outcomes<G>) + 4); }

  /// Starts over for a root with this many edges.
  void clear(std::size_t edges) {
    std::fill_n(sums_.get(), edges, Outcomes<G>{});
    std::fill_n(counts_.get(), edges, 0u);
    total_ = {};
    count_ = 0;
  }
  /// A leaf that is the root itself.
  void add(const Outcomes<G>& leaf) {
    accumulate(total_, leaf);
    ++count_;
  }
  /// A leaf below a root edge.
  void add(std::size_t edge, const Outcomes<G>& leaf) {
    add(leaf);
    note(edge, leaf);
  }
  /// An edge's own distribution, which does not count as a leaf of the root.
  void note(std::size_t edge, const Outcomes<G>& own) {
    accumulate(sums_[edge], own);
    ++counts_[edge];
  }
  /// Mean over the root's leaves; `value` spread over the ways to end when there were none. `game`
  /// is any state of the game.
  Outcomes<G> root(const G& game, float value) const { return mean(game, total_, count_, value); }
  /// The same for one edge.
  Outcomes<G> edge(const G& game, std::size_t edge, float value) const {
    return mean(game, sums_[edge], counts_[edge], value);
  }

 private:
  static void accumulate(Outcomes<G>& sum, const Outcomes<G>& leaf) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += leaf[i];
  }
  static Outcomes<G> mean(const G& game, const Outcomes<G>& sum, std::uint32_t count, float value) {
    if (count == 0) return spread_value(game, value);
    Outcomes<G> mean = sum;
    for (float& share : mean) share /= static_cast<float>(count);
    return mean;
  }

  Block<Outcomes<G>> sums_;
  Block<std::uint32_t> counts_;
  Outcomes<G> total_{};
  std::uint32_t count_ = 0;
};

}  // namespace senet
