// The backup: updates every node on the path of a visit.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "search/outcomes.hpp"
#include "search/select.hpp"
#include "search/tree.hpp"

namespace senet {

/// One step of a descent: a node and the edge taken there.
struct Hop {
  NodeId node;
  std::uint32_t edge;
};

/// Updates a node's proven bounds from its children's. A player can reach the maximum of the lower
/// bounds and nothing above the maximum of the upper bounds; chance averages them.
template <class AnyTree>
void update_bounds(AnyTree& tree, Node& node) {
  const HotEdges edges = tree.hot(node);
  if (tree.is_chance(node)) {
    if (node.opened < node.edges) return;
    float lower = 0, upper = 0, total = 0;
    for (std::uint32_t i = 0; i < node.opened; ++i) {
      const Bounds bounds = tree.edge_bounds(node, i);
      lower += edges.p(i) * static_cast<float>(bounds.lower);
      upper += edges.p(i) * static_cast<float>(bounds.upper);
      total += edges.p(i);
    }
    // The packed probabilities do not sum to exactly 1; this tolerance keeps exact bounds tight.
    constexpr float kRounding = 1e-3f;
    set_bounds(node, {static_cast<int>(std::floor(lower / total + kRounding)),
                      static_cast<int>(std::ceil(upper / total - kRounding))});
    return;
  }
  const auto [lost, won] = tree.unknown_bounds();
  Bounds best{lost, node.opened < node.edges ? won : lost};
  for (std::uint32_t i = 0; i < node.opened; ++i) {
    const Bounds bounds = tree.edge_bounds(node, i);
    best.lower = std::max(best.lower, bounds.lower);
    best.upper = std::max(best.upper, bounds.upper);
    if (!bounds.proven()) continue;
    // The value is exact and more visits add nothing, so only q may attract visits.
    edges.q(i) = static_cast<float>(bounds.lower);
    if (bounds.lower < won) edges.p(i) = 0;
  }
  set_bounds(node, best);
}

/// Updates the values on `path`, which starts at the root, after a visit that ended at `leaf` and
/// that descend() has counted. A node's value is recomputed from its edges rather than accumulated,
/// so that a visit through one parent also corrects the value that the other parents will use
/// (KataGo, GraphSearch.md). Selects each node's next edge if the rule allows it: here the edges
/// are at hand, and no other node waits for the choice.
template <class AnyTree, class Rule>
void back_up(AnyTree& tree, Rule& rule, std::span<const Hop> path, NodeId leaf) {
  const float range = value_range(tree.game());
  [[maybe_unused]] const float cost = move_cost(tree.game());
  const std::uint8_t unknown = packed(tree.unknown_bounds());
  const Node* below = &tree[leaf];
  float q = below->q;  // in a register: the next node waits for it
  for (std::size_t depth = path.size(); depth > 0;) {
    const Hop hop = path[--depth];
    Node& node = tree[hop.node];
    const HotEdges edges = tree.hot(node);
    float value = value_for(q, perspective(*below), perspective(node));
    if constexpr (kMayHaveOnePlayer<typename AnyTree::State>) {
      value = std::max(value - cost, -range);
    }
    if (below->bounds != unknown) {
      edges.q(hop.edge) = value;
      update_bounds(tree, node);
    }
    // Sum the other edges before storing this edge's new value, so that the sums do not wait for
    // the child.
    const bool chance = tree.is_chance(node);
    const EdgeSums others = chance ? sum_of_outcomes(edges, node.opened, hop.edge)
                                   : sum_of_actions(edges, node.opened, hop.edge, -range);
    const auto n = static_cast<float>(edges.n(hop.edge));
    edges.set_q(hop.edge, value);
    const float p = edges.p(hop.edge);
    below = &node;
    if (chance) {
      q = others.value + p * value + (1 - (others.weight + p)) * node.own;
    } else {
      // A move proven to have the worst value will not be played: the visits spent on it count, but
      // its value does not.
      const float weight = p > 0 || value != -range ? n : 0;
      q = std::max((others.value + value * weight + node.own) / (others.weight + weight + 1),
                   -range);
    }
    if (node.bounds != unknown) {
      const Bounds bounds = bounds_of(node);
      const auto lower = static_cast<float>(bounds.lower);
      if (bounds.proven() || (!chance && q < lower)) q = lower;
    }
    node.q = q;
    if constexpr (kSelectsByNode<Rule>) {
      proven(node) ? node.forget_next() : select_next(tree, rule, node);
    }
  }
}

}  // namespace senet
