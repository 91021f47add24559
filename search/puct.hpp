// PUCT, the default rule of searches: selects edges by value, prior and visit count, and mixes
// noise into the priors of the root.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "search/hot_edges.hpp"
#include "search/rule.hpp"

namespace senet {

/// The first unopened edge as selection sees it. It has the highest prior of the unopened edges, so
/// no other can win.
///
///   q - reduction * sqrt(sum of the opened edges' p)    its assumed value
struct Candidate {
  float p;
  float q;
  float reduction;
};

/// PUCT (Rosin 2011, as in AlphaZero): argmax q + c sqrt(N) p / (1 + n) over the opened edges and
/// the candidate.
///
///   c           exploration constant times the square root of the node's visits
///   candidate   null if all edges are open
inline std::uint32_t select_action(HotEdges edges, std::uint32_t opened, float c,
                                   const Candidate* candidate) {
  if (opened == 0) return 0;
  const auto scores = [c](const EdgeBlock& block) {
    return block.q + c * (block.p / as_floats(block.n + 1));
  };
  HighestScore highest(scores(edges.block(0)));
  FloatLanes seen = edges.block(0).p;
  for (std::uint32_t i = kLanes; i < opened; i += kLanes) {
    highest.see(scores(edges.block(i)), i);
    seen += edges.block(i).p;
  }
  const HighestScore::Edge best = highest.edge();
  if (candidate == nullptr) return best.index;
  const float q = candidate->q - candidate->reduction * std::sqrt(sum_of(seen));
  // Whether an edge is opened can hardly be predicted either.
  const std::uint32_t opens = q + c * candidate->p > best.score ? 1 : 0;
  return best.index + opens * (opened - best.index);
}

/// The move to play need not have the most visits: a better move that was found late may not have
/// caught up. It is the move with the highest lower confidence bound, value - kChoiceRadius * value
/// range / sqrt(visits), among those with at least kChoiceShare of the maximum visits. Proven
/// values are certain (as in KataGo).
inline constexpr float kChoiceRadius = 0.5f, kChoiceShare = 0.1f;

/// See SearchRule.
class Puct {
 public:
  static constexpr bool kSelectsByNode = true;

  explicit Puct(const SearchSettings& settings) : settings_(settings.puct) {}

  /// Mixes noise into the priors of the root's hot edges only; the cold edges keep the network's.
  /// Opens all edges first, because the noisy priors are not sorted and any edge can be the next.
  template <class AnyTree>
  void open_root(AnyTree& tree, Node& root, const SearchBudget& budget, Random& random,
                 std::span<float> noise) const {
    if (!budget.noise) return;
    while (root.opened < root.edges) {
      if (!tree.fits(0, hot_words(root.opened + 1u))) return;
      tree.open_edge(root, tree.edge_value(root, root.opened));
    }
    const HotEdges edges = tree.hot(root);
    const ColdEdge* const cold = tree.cold(root);
    random.dirichlet(settings_.noise_total / static_cast<float>(root.edges), noise);
    for (std::uint32_t i = 0; i < root.edges; ++i) {
      const Bounds bounds = tree.edge_bounds(root, i);
      const bool is_won = bounds.lower == tree.unknown_bounds().upper;
      if (bounds.proven() && !is_won) continue;  // more visits add nothing
      edges.p(i) = (1 - settings_.noise_share) * unpack_share(cold[i].prior) +
                   settings_.noise_share * noise[i];
    }
  }

  template <class AnyTree>
  std::uint32_t select(const AnyTree& tree, const Node& node, std::uint32_t) const {
    const HotEdges edges = tree.hot(node);
    const float c = settings_.c_puct * std::sqrt(static_cast<float>(node.n));
    if (node.opened >= node.edges) return select_action(edges, node.opened, c, nullptr);
    const float p = unpack_share(tree.cold(node)[node.opened].prior);
    const Candidate candidate = node.flags & kValuedEdges
                                    ? Candidate{p, tree.edge_value(node, node.opened), 0}
                                    : Candidate{p, node.q, settings_.fpu_reduction};
    return select_action(edges, node.opened, c, &candidate);
  }

  /// The visits are the policy target.
  template <class AnyTree>
  void decide(const AnyTree& tree, const Node& root, std::span<const Proof> proofs,
              std::span<std::uint16_t> order, std::span<std::uint32_t> targets) const {
    for (std::uint32_t i = 0; i < root.edges; ++i) targets[i] = tree.edge_visits(root, i);
    if (root.opened > 0 && !proven(root)) put_surest_first(tree, root, proofs, order);
  }

 private:
  // Requires that no edge is proven to be the best.
  template <class AnyTree>
  static void put_surest_first(const AnyTree& tree, const Node& root, std::span<const Proof> proofs,
                               std::span<std::uint16_t> order) {
    const auto visits = [&](std::uint16_t edge) {
      return static_cast<float>(tree.edge_visits(root, edge));
    };
    const auto lower_bound = [&](std::uint16_t edge) {
      const float value = tree.edge_value(root, edge);
      if (tree.edge_bounds(root, edge).proven()) return value;
      return value - kChoiceRadius * value_range(tree.game()) / std::sqrt(visits(edge));
    };
    const float enough = std::max(1.0f, kChoiceShare * visits(order.front()));
    auto surest = order.begin();
    for (auto at = surest; at != order.end(); ++at) {
      if (proofs[*at] != proofs[*surest]) break;
      const bool counts = visits(*at) >= enough || tree.edge_bounds(root, *at).proven();
      if (counts && lower_bound(*at) > lower_bound(*surest)) surest = at;
    }
    std::rotate(order.begin(), surest, surest + 1);
  }

  PuctSettings settings_;
};

}  // namespace senet
