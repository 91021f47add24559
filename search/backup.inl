// The way up: what a visit found changes every node on its path.
#pragma once

#include <algorithm>

#include "search/search.hpp"

namespace senet {

/// Counts a leaf's distribution (told for player 0) below the root edge that the descent took.
template <Game G, NodeTable Table>
void Search<G, Table>::count_leaf(const Outcomes<G>& player0_sees) {
  const Node& root = (*tree_)[root_];
  const Outcomes<G> seen = teller(turn_of(root)) == 0 ? player0_sees : mirrored<G>(player0_sees);
  if (depth_ == 0)
    statistics_.add(seen);
  else
    statistics_.add(scratch_->path[0].edge, seen);
}

// Values are recomputed from a node's own edges, never summed up along the way: so a visit through
// one parent also corrects what the others will see (KataGo, GraphSearch.md).
template <Game G, NodeTable Table>
void Search<G, Table>::back_up(NodeId leaf) {
  longest_ = std::max(longest_, depth_);
  for (NodeId child = leaf; depth_ > 0;) {
    const Hop hop = scratch_->path[--depth_];
    Node& node = (*tree_)[hop.node];
    const Node& below = (*tree_)[child];
    const HotEdges edges = tree_->hot(node);
    const float value = value_for(below.q, turn_of(below), teller(turn_of(node)));
    if (bounds_of(below) != Bounds{-kRange, kRange}) {
      edges.q(hop.edge) = value;
      update_bounds(node);
    }
    // The other edges are summed up before this one's new value is stored, so that the sums need
    // not wait for the node below.
    const bool chance = turn_of(node) == Turn::kChance;
    const EdgeSums others = chance ? sum_of_outcomes(edges, node.opened, hop.edge)
                                   : sum_of_actions(edges, node.opened, hop.edge, -G::kValueRange);
    const auto n = static_cast<float>(++edges.n(hop.edge));
    edges.q(hop.edge) = value;
    const float p = edges.p(hop.edge);
    const float own = unpack_value(node.own, G::kValueRange);
    ++node.n;
    if (chance) {
      node.q = others.value + p * value + (1 - (others.weight + p)) * own;
    } else {
      // What is proven to be the worst there is will not be played: the visits spent on finding out
      // count, its value does not.
      const float weight = p == 0 && value == -G::kValueRange ? 0 : n;
      node.q = std::max((others.value + value * weight + own) / (others.weight + weight + 1),
                        static_cast<float>(bounds_of(node).lower));
    }
    if (proven(node)) node.q = static_cast<float>(bounds_of(node).lower);
    node.flags &= static_cast<std::uint8_t>(~kOnPath);
    child = hop.node;
  }
}

// A player can reach the best of the lower bounds and nothing above the best upper one; chance
// averages.
template <Game G, NodeTable Table>
void Search<G, Table>::update_bounds(Node& node) {
  const HotEdges edges = tree_->hot(node);
  if (turn_of(node) == Turn::kChance) {
    if (node.opened < node.edges) return;
    float lower = 0, upper = 0, total = 0;
    for (std::uint32_t i = 0; i < node.opened; ++i) {
      const Bounds bounds = edge_bounds(node, i);
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
  Bounds best{-kRange, node.opened < node.edges ? kRange : -kRange};
  for (std::uint32_t i = 0; i < node.opened; ++i) {
    const Bounds bounds = edge_bounds(node, i);
    best.lower = std::max(best.lower, bounds.lower);
    best.upper = std::max(best.upper, bounds.upper);
    if (!bounds.proven()) continue;
    // Exact and nothing left to learn: only its value may attract further visits.
    edges.q(i) = static_cast<float>(bounds.lower);
    if (bounds.lower < kRange) edges.p(i) = 0;
  }
  set_bounds(node, best);
}

/// Bounds behind an edge, told by its parent.
template <Game G, NodeTable Table>
Bounds Search<G, Table>::edge_bounds(const Node& node, std::uint32_t edge) const {
  if (edge >= node.opened) return {-kRange, kRange};
  const NodeId child = tree_->hot(node).child(edge);
  if (child == kNoNode) return {-kRange, kRange};
  const Node& below = (*tree_)[child];
  const Bounds bounds = bounds_of(below);
  return teller(turn_of(below)) == teller(turn_of(node)) ? bounds : bounds.mirrored();
}

/// Visits of an edge, opened or not.
template <Game G, NodeTable Table>
std::uint32_t Search<G, Table>::edge_visits(const Node& node, std::uint32_t edge) const {
  return edge < node.opened ? static_cast<std::uint32_t>(tree_->hot(node).n(edge)) : 0;
}

/// What an edge is taken to be worth, told by its parent: its mean value, or before the first visit
/// its afterstate's own value or, without one, its parent's.
template <Game G, NodeTable Table>
float Search<G, Table>::edge_value(const Node& node, std::uint32_t edge) const {
  if (edge_visits(node, edge) > 0) return tree_->hot(node).q(edge);
  if (!(node.flags & kValuedEdges)) return node.q;
  return unpack_value(tree_->edge_values(node)[edge], G::kValueRange);
}

}  // namespace senet
