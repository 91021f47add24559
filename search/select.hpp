// The edge that a descent takes at a node: a player's by the rule of the search, the dice's by
// quota.
#pragma once

#include <cstdint>

#include "search/hot_edges.hpp"
#include "search/rule.hpp"
#include "search/tree.hpp"

namespace senet {

/// The chance outcome whose visits are furthest below its probability: argmax p / (1 + n). A quota
/// instead of a sample (D'Hondt's rule): no outcome ever falls a whole visit short of its share.
///
///   candidate_p   of the first unopened outcome; negative if all are open
inline std::uint32_t select_outcome(HotEdges edges, std::uint32_t opened, float candidate_p) {
  if (opened == 0) return 0;
  const auto lags = [](const EdgeBlock& block) { return block.p / as_floats(block.n + 1); };
  HighestScore highest(lags(edges.block(0)));
  for (std::uint32_t i = kLanes; i < opened; i += kLanes) highest.see(lags(edges.block(i)), i);
  const HighestScore::Edge best = highest.edge();
  return candidate_p >= best.score ? opened : best.index;
}

/// The edge that a descent takes at an evaluated node, `depth` edges below the root.
template <class AnyTree, class Rule>
std::uint32_t select(AnyTree& tree, Rule& rule, const Node& node, std::uint32_t depth) {
  if (!tree.is_chance(node)) return rule.select(tree, node, depth);
  return select_outcome(
      tree.hot(node), node.opened,
      node.opened < node.edges ? unpack_share(tree.cold(node)[node.opened].prior) : -1.0f);
}

/// Selects the edge that the next descent takes at a node with opened edges, and notes it there.
template <class AnyTree, class Rule>
void select_next(AnyTree& tree, Rule& rule, Node& node) {
  const std::uint32_t edge = select(tree, rule, node, 0);
  const std::uint32_t opens = edge == node.opened ? 1 : 0;  // nothing branches on it, see puct.hpp
  node.next_edge = static_cast<std::uint16_t>(edge);
  node.next = tree.hot(node).child(edge - opens) | (0 - opens);
}

}  // namespace senet
