// The way up: what a visit found changes every node on its path.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "search/tree.hpp"

namespace senet {

/// One step of a descent: the node and which of its edges was taken.
struct Hop {
  NodeId node;
  std::uint32_t edge;
};

/// What is proven of a node by what is proven of its children. A player can reach the best of the
/// lower bounds and nothing above the best upper one; chance averages.
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
    // The packed probabilities do not quite sum to 1; what is exact must not become loose by that.
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
    // Exact and nothing left to learn: only its value may attract further visits.
    edges.q(i) = static_cast<float>(bounds.lower);
    if (bounds.lower < won) edges.p(i) = 0;
  }
  set_bounds(node, best);
}

/// Counts a visit on every node of `path`, the root's first, which ended at `leaf`. Values are
/// recomputed from a node's own edges, never summed up along the way: so a visit through one parent
/// also corrects what the others will see (KataGo, GraphSearch.md).
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
    // The other edges are summed up before this one's new value is stored, so that the sums need
    // not wait for the node below.
    const bool chance = turn_of(node) == Turn::kChance;
    const EdgeSums others = chance ? sum_of_outcomes(edges, node.opened, hop.edge)
                                   : sum_of_actions(edges, node.opened, hop.edge, -range);
    const auto n = static_cast<float>(++edges.n(hop.edge));
    edges.q(hop.edge) = value;
    const float p = edges.p(hop.edge);
    const float own = unpack_value(node.own, range);
    ++node.n;
    if (chance) {
      node.q = others.value + p * value + (1 - (others.weight + p)) * own;
    } else {
      // What is proven to be the worst there is will not be played: the visits spent on finding out
      // count, its value does not.
      const float weight = p == 0 && value == -range ? 0 : n;
      node.q = std::max((others.value + value * weight + own) / (others.weight + weight + 1),
                        static_cast<float>(bounds_of(node).lower));
    }
    if (proven(node)) node.q = static_cast<float>(bounds_of(node).lower);
    node.flags &= static_cast<std::uint8_t>(~kOnPath);
    child = hop.node;
  }
}

}  // namespace senet
