// The descent from the root to a leaf that needs the network, or to a node with a known value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "games/sound_moves.hpp"
#include "search/backup.hpp"
#include "search/expansion.hpp"
#include "search/outcomes.hpp"
#include "search/select.hpp"
#include "search/tablebase.hpp"

namespace senet {

/// Finds by its key, or creates, the child of an edge that no descent has taken yet. Plays forced
/// replies on the way: they need neither a node nor the network. `moves`, the moves to consider at
/// the child, are a by-product: empty if they were not needed.
template <class AnyTree, Game G = typename AnyTree::State>
NodeId find_child(AnyTree& tree, const Tablebase<G>& tablebase, NodeId id, std::uint32_t edge,
                  ActionList<G::kMaxLegal>& moves) {
  Node& node = tree[id];
  NodeId& child = tree.hot(node).child(edge);
  auto state = tree.state(id);
  state.play(tree.cold(node)[edge].action);
  if (!play_forced(state, moves, IgnoreMove())) moves.clear();
  const NodeId next = tree.size();
  child = tree.find_or_add(state, state.key());
  if (child != next) return child;
  Node& made = tree[child];
  if (state.turn() == Turn::kOver) {
    made.q = final_value(state, 0);
    made.own = rounded_value(made.q, value_range(state));
    made.flags |= kEvaluated;
    // A game of one player has no proofs: the moves that lead to an end cost something too.
    if (player_count(state) == 2) {
      const int value = static_cast<int>(made.q);
      set_bounds(made, {value, value});
    }
  } else if (Outcomes<G> known{}; tablebase.find(state, known)) {
    const bool is_nodes = state.viewer() == perspective(state.turn());
    made.q = mean_value(state, is_nodes ? known : mirrored(state, known));
    made.own = rounded_value(made.q, value_range(state));
    made.flags |= kEvaluated | kInTablebase;
  } else if (state.turn() == Turn::kChance) {
    // Unvisited outcomes of the dice are worth the afterstate's own value or, without one, the
    // parent's value.
    const float own = node.flags & kValuedEdges
                          ? unpack_value(tree.edge_values(node)[edge], value_range(state))
                          : node.q;
    expand_chance(tree, child, value_for(own, perspective(node), 0));
  }
  return child;
}

/// Takes back what descend() counted on these hops.
template <class AnyTree>
void uncount(AnyTree& tree, std::span<const Hop> path) {
  for (const Hop& hop : path) {
    Node& node = tree[hop.node];
    --tree.hot(node).n(hop.edge);
    --node.n;
    node.forget_next();
  }
}

/// Whether a path comes from this node.
inline bool is_on(std::span<const Hop> path, NodeId node) {
  return std::ranges::find(path, node, &Hop::node) != path.end();
}

/// How a descent ended.
enum class Reached : std::uint8_t {
  kLeaf,   // a position that the network must evaluate
  kTaken,  // a leaf that another visit in flight has reached before
  kEnd,    // a finished game, or a position that the tablebase knows
  kKnown,  // a node whose value is used as it is: proven, visited more often through other paths
           // or earlier on this one, or too deep
};

struct Descent {
  Reached reached;
  NodeId node;
  std::uint32_t depth;  // number of hops to `node`
};

/// Walks from the root to where a visit ends and writes its hops into `path`, at most as many as
/// fit. `moves` are those to consider at the leaf, or empty if they have not been listed. `rule`
/// selects a player's edges (search/rule.hpp), select_outcome() those of the dice.
///
/// Counts the visit on every hop at once, so that the next descents see the visits in flight
/// (Liu et al. 2020, WU-UCT). Until the first answer, an edge has its assumed value. `several`:
/// several visits may be in flight.
template <class AnyTree, class Rule>
Descent descend(AnyTree& tree, const Tablebase<typename AnyTree::State>& tablebase, NodeId root,
                Rule& rule, bool several, std::span<Hop> path,
                ActionList<AnyTree::State::kMaxLegal>& moves) {
  std::uint32_t depth = 0;
  NodeId listed = kNoNode;  // whose moves are in `moves`
  for (NodeId id = root;;) {
    Node& node = tree[id];
    NodeId child = node.next;
    std::uint32_t edge = node.next_edge;
    if (child == kNoNode || depth == path.size()) {  // else the noted child is next
      if (!(node.flags & kEvaluated)) {
        if (id != listed) moves.clear();
        return {node.flags & kInFlight ? Reached::kTaken : Reached::kLeaf, id, depth};
      }
      if (ends_visits(node)) return {Reached::kEnd, id, depth};
      if ((id != root && proven(node)) || depth == path.size()) return {Reached::kKnown, id, depth};
      if (edge == kNoEdge) edge = select(tree, rule, node, depth);
      if (edge == node.opened) tree.open_edge(node, tree.edge_value(node, edge));
      child = tree.hot(node).child(edge);
      if (child == kNoNode) listed = child = find_child(tree, tablebase, id, edge, moves);
    }
    node.forget_next();
    path[depth++] = {id, edge};
    const auto n = static_cast<std::uint32_t>(tree.hot(node).n(edge)++);
    ++node.n;
    // End the visit with the known value if the position repeats on this path, or if other paths
    // have visited it more often than this edge has (KataGo, GraphSearch.md). One visit at a time,
    // the latter includes the former: a child has at least the visits of the edge, and this visit
    // has counted there already. Visits that are taken back break that
    // (so does a path that fills up, where a position may then repeat).
    const Node& next = tree[child];
    const bool ahead = (next.flags & kEvaluated) && next.n > n;
    if ((ahead && !ends_visits(next)) || (several && is_on(path.first(depth), child))) {
      return {Reached::kKnown, child, depth};
    }
    id = child;
  }
}

}  // namespace senet
