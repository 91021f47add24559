// The backup: updates every node on the path of a visit.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

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
  if (turn_of(node) == Turn::kChance) {
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
/// (KataGo, GraphSearch.md).
template <class AnyTree>
void back_up(AnyTree& tree, std::span<const Hop> path, NodeId leaf) {
  const float range = value_range(tree.game());
  NodeId child = leaf;
  for (std::size_t depth = path.size(); depth > 0;) {
    const Hop hop = path[--depth];
    Node& node = tree[hop.node];
    const Node& below = tree[child];
    const HotEdges edges = tree.hot(node);
    const float value = value_for(below.q, turn_of(below), perspective(turn_of(node)));
    if (bounds_of(below) != tree.unknown_bounds()) {
      edges.q(hop.edge) = value;
      update_bounds(tree, node);
    }
    // Sum the other edges before storing this edge's new value, so that the sums do not wait for
    // the child.
    const bool chance = turn_of(node) == Turn::kChance;
    const EdgeSums others = chance ? sum_of_outcomes(edges, node.opened, hop.edge)
                                   : sum_of_actions(edges, node.opened, hop.edge, -range);
    const auto n = static_cast<float>(edges.n(hop.edge));
    edges.q(hop.edge) = value;
    const float p = edges.p(hop.edge);
    const float own = unpack_value(node.own, range);
    if (chance) {
      node.q = others.value + p * value + (1 - (others.weight + p)) * own;
    } else {
      // A move proven to have the worst value will not be played: the visits spent on it count, but
      // its value does not.
      const float weight = p == 0 && value == -range ? 0 : n;
      node.q = std::max((others.value + value * weight + own) / (others.weight + weight + 1),
                        static_cast<float>(bounds_of(node).lower));
    }
    if (proven(node)) node.q = static_cast<float>(bounds_of(node).lower);
    child = hop.node;
  }
}

}  // namespace senet
