// The descent from the root to a leaf that needs the network, or to a node with a known value.
#pragma once

#include <cstdint>
#include <span>

#include "games/sound_moves.hpp"
#include "search/backup.hpp"
#include "search/expansion.hpp"
#include "search/rule.hpp"
#include "search/tablebase.hpp"

namespace senet {

/// Finds by its key, or creates, the child of an edge that no descent has taken yet. Plays forced
/// replies on the way: they need neither a node nor the network.
template <class AnyTree, Game G = typename AnyTree::State>
NodeId find_child(AnyTree& tree, const Tablebase<G>& tablebase, NodeId id, std::uint32_t edge) {
  Node& node = tree[id];
  NodeId& child = tree.hot(node).child(edge);
  auto state = tree.state(id);
  state.play(tree.cold(node)[edge].action);
  play_forced(state);
  const std::uint64_t key = state.key();
  child = tree.find(key);
  if (child != kNoNode) return child;
  child = tree.add(state, key);
  Node& made = tree[child];
  if (state.turn() == Turn::kOver) {
    made.q = final_value(state, 0);
    made.own = pack_value(made.q, value_range(state));
    made.flags |= kEvaluated;
    const int value = static_cast<int>(made.q);
    set_bounds(made, {value, value});
  } else if (Outcomes<G> known{}; tablebase.find(state, known)) {
    const bool is_nodes = state.viewer() == perspective(state.turn());
    made.q = mean_value(state, is_nodes ? known : mirrored(state, known));
    made.own = pack_value(made.q, value_range(state));
    made.flags |= kEvaluated | kInTablebase;
  } else if (state.turn() == Turn::kChance) {
    // Unvisited outcomes of the dice are worth the afterstate's own value or, without one, the
    // parent's value.
    const float own = node.flags & kValuedEdges
                          ? unpack_value(tree.edge_values(node)[edge], value_range(state))
                          : node.q;
    expand_chance(tree, child, value_for(own, turn_of(node), 0));
  }
  return child;
}

/// The chance outcome whose visits are furthest below its probability: argmax p / (1 + n). A quota
/// instead of a sample (D'Hondt's rule): no outcome ever falls a whole visit short of its share.
///
///   candidate_p   of the first unopened outcome; negative if all are open
inline Selection select_outcome(HotEdges edges, std::uint32_t opened, float candidate_p) {
  if (opened == 0) return {0, true};
  const auto lags = [](const EdgeBlock& block) { return block.p / as_floats(block.n + 1); };
  HighestScore highest(lags(edges.block(0)));
  for (std::uint32_t i = kLanes; i < opened; i += kLanes) highest.see(lags(edges.block(i)), i);
  const HighestScore::Edge best = highest.edge();
  if (candidate_p >= best.score) return {opened, true};
  return {best.index, false};
}

/// Takes back what descend() counted on these hops.
template <class AnyTree>
void uncount(AnyTree& tree, std::span<const Hop> path) {
  for (const Hop& hop : path) {
    Node& node = tree[hop.node];
    --tree.hot(node).n(hop.edge);
    --node.n;
  }
}

/// How a descent ended.
enum class Reached : std::uint8_t {
  kLeaf,   // a position that the network must evaluate
  kTaken,  // a leaf that another visit in flight has reached before
  kEnd,    // a finished game, or a position that the tablebase knows
  kKnown,  // a node whose value is used as it is: proven, visited more often through other paths,
           // already on this path, or too deep
};

struct Descent {
  Reached reached;
  NodeId node;
  std::uint32_t depth;  // number of hops to `node`
};

/// Walks from the root to where a visit ends and writes its hops into `path`, at most as many as
/// fit. `rule` selects a player's edges (search/rule.hpp), select_outcome() those of the dice.
///
/// Counts the visit on every hop at once, so that the next descents see the visits in flight
/// (Liu et al. 2020, WU-UCT). Until the first answer, an edge has its assumed value.
template <class AnyTree, class Rule>
Descent descend(AnyTree& tree, const Tablebase<typename AnyTree::State>& tablebase, NodeId root,
                Rule& rule, std::span<Hop> path) {
  std::uint32_t depth = 0;
  const auto end = [&](Reached reached, NodeId node) -> Descent {
    for (const Hop& hop : path.first(depth)) {
      tree[hop.node].flags &= static_cast<std::uint8_t>(~kOnPath);
    }
    return {reached, node, depth};
  };
  for (NodeId id = root;;) {
    Node& node = tree[id];
    if (!(node.flags & kEvaluated)) {
      return end(node.flags & kInFlight ? Reached::kTaken : Reached::kLeaf, id);
    }
    if (ends_visits(node)) return end(Reached::kEnd, id);
    if ((id != root && proven(node)) || depth == path.size()) return end(Reached::kKnown, id);
    const auto candidate_p = [&] {
      return node.opened < node.edges ? unpack_share(tree.cold(node)[node.opened].prior) : -1.0f;
    };
    const Selection selection = turn_of(node) == Turn::kChance
                                    ? select_outcome(tree.hot(node), node.opened, candidate_p())
                                    : rule.select(tree, node, depth);
    if (selection.opens) tree.open_edge(node, tree.edge_value(node, node.opened));
    const NodeId known = tree.hot(node).child(selection.edge);
    const NodeId child = known != kNoNode ? known : find_child(tree, tablebase, id, selection.edge);
    path[depth++] = {id, selection.edge};
    node.flags |= kOnPath;
    const Node& next = tree[child];
    // End the visit with the known value if the position repeats on this path, or if other paths
    // have visited it more often than this edge has (KataGo, GraphSearch.md).
    const auto n = static_cast<std::uint32_t>(tree.hot(node).n(selection.edge)++);
    ++node.n;
    const bool ahead = (next.flags & kEvaluated) && next.n > n;
    if ((next.flags & kOnPath) || (ahead && !ends_visits(next))) {
      return end(Reached::kKnown, child);
    }
    id = child;
  }
}

}  // namespace senet
