// The way down: from the root to a leaf that needs the network, or to one that already knows its
// value.
#pragma once

#include "search/search.hpp"

namespace senet {

// Keeps of the tree only what can be reached from a state that it knows, or from where that state's
// forced moves lead, as those have no nodes. False when it knows neither, or when what is kept
// leaves too little room for the rest of the budget: positions that other paths explored can
// outnumber the root's own visits.
template <Game G, NodeTable Table>
bool Search<G, Table>::keep(const G& state, std::uint64_t key, std::unique_ptr<TreeOf>& spare) {
  NodeId known = tree_->find(key);
  if constexpr (SoundMovesGame<G>) {
    if (known == kNoNode) {
      G ahead = state;
      play_forced(ahead);
      known = tree_->find(ahead.key());
    }
  }
  if (known == kNoNode) return false;
  const std::uint32_t visits = (*tree_)[known].n;
  root_ = tree_->move_reachable(known, *spare);
  std::swap(tree_, spare);
  const TreeLimits rest =
      limits_for<G>(budget_.visits - std::min(visits, budget_.visits), settings_.evaluates);
  return tree_->fits(rest.nodes, rest.words);
}

template <Game G, NodeTable Table>
bool Search<G, Table>::finished() {
  const Node& root = (*tree_)[root_];
  if (!(root.flags & kEvaluated)) return false;
  if (!root_ready_) open_root();
  if (root.n >= budget_.visits || proven(root)) return true;
  full_ = !tree_->fits(kVisitNodes, kVisitWords);
  return full_;
}

// Noise is mixed into the priors of the root's hot edges only, so that its cold ones stay the
// network's. For that all edges are opened: no longer sorted, each can be the next.
template <Game G, NodeTable Table>
void Search<G, Table>::open_root() {
  root_ready_ = true;
  Node& root = (*tree_)[root_];
  if (!budget_.noise || turn_of(root) == Turn::kChance) return;
  while (root.opened < root.edges) {
    if (!tree_->fits(0, hot_words(root.opened + 1u))) return;
    tree_->open_edge(root, edge_value(root, root.opened));
  }
  const HotEdges edges = tree_->hot(root);
  const ColdEdge* const cold = tree_->cold(root);
  const std::span<float> noise(scratch_->scores.data(), root.edges);
  noise_.dirichlet(settings_.noise_total / static_cast<float>(root.edges), noise);
  for (std::uint32_t i = 0; i < root.edges; ++i) {
    const Bounds bounds = edge_bounds(root, i);
    if (bounds.proven() && bounds.lower < kRange) continue;  // nothing left to learn there
    edges.p(i) = (1 - settings_.noise_share) * unpack_share(cold[i].prior) +
                 settings_.noise_share * noise[i];
  }
}

/// Walks from the root. True: leaf_ waits for evaluation. False: the visit is complete and backed
/// up.
template <Game G, NodeTable Table>
bool Search<G, Table>::descend() {
  depth_ = 0;
  for (NodeId id = root_;;) {
    Node& node = (*tree_)[id];
    if (!(node.flags & kEvaluated)) {
      leaf_ = id;
      return true;
    }
    const bool settled = turn_of(node) == Turn::kOver || (id != root_ && proven(node));
    if (settled || depth_ == kMaxDepth) {
      if (turn_of(node) == Turn::kOver) {
        Outcomes<G> certain{};
        certain[tree_->state(id).outcome()] = 1;
        count_leaf(certain);
        ++node.n;
      }
      back_up(id);
      return false;
    }
    const Selection selection = select(node);
    if (selection.opens) tree_->open_edge(node, 0);
    const NodeId child = follow(id, selection.edge);
    scratch_->path[depth_++] = {id, selection.edge};
    node.flags |= kOnPath;
    const Node& next = (*tree_)[child];
    // A position that repeats on this path, or one that was visited more often than this edge
    // because other paths lead there: count the visit with the value that is known (KataGo,
    // GraphSearch.md).
    const bool ahead = (next.flags & kEvaluated) &&
                       next.n > static_cast<std::uint32_t>(tree_->hot(node).n(selection.edge));
    if ((next.flags & kOnPath) || (ahead && turn_of(next) != Turn::kOver)) {
      back_up(child);
      return false;
    }
    id = child;
  }
}

template <Game G, NodeTable Table>
Selection Search<G, Table>::select(Node& node) {
  const HotEdges edges = tree_->hot(node);
  const bool has_candidate = node.opened < node.edges;
  const float p = has_candidate ? unpack_share(tree_->cold(node)[node.opened].prior) : 0.0f;
  if (turn_of(node) == Turn::kChance) return select_outcome(edges, node.opened, has_candidate, p);
  const float c = settings_.c_puct * std::sqrt(static_cast<float>(node.n));
  if (!has_candidate) return select_action(edges, node.opened, c, nullptr);
  const Candidate candidate =
      node.flags & kValuedEdges
          ? Candidate{p, unpack_value(tree_->edge_values(node)[node.opened], G::kValueRange), 0}
          : Candidate{p, node.q, settings_.fpu_reduction};
  return select_action(edges, node.opened, c, &candidate);
}

// The node behind an opened edge, made when this is the first way there. Forced replies are played
// on the way: they need neither a node nor the network.
template <Game G, NodeTable Table>
NodeId Search<G, Table>::follow(NodeId id, std::uint32_t edge) {
  Node& node = (*tree_)[id];
  NodeId& child = tree_->hot(node).child(edge);
  if (child != kNoNode) return child;
  G state = tree_->state(id);
  state.play(tree_->cold(node)[edge].action);
  play_forced(state);
  const std::uint64_t key = state.key();
  child = tree_->find(key);
  if (child != kNoNode) return child;
  child = tree_->add(state, key);
  Node& made = (*tree_)[child];
  if (state.turn() == Turn::kOver) {
    made.q = final_value(state, 0);
    made.own = pack_value(made.q, G::kValueRange);
    made.flags |= kEvaluated;
    const int value = static_cast<int>(made.q);
    set_bounds(made, {value, value});
  } else if (state.turn() == Turn::kChance) {
    // What is not yet seen of the dice is worth the afterstate's own value or, without one, what
    // the mover had.
    const float own = node.flags & kValuedEdges
                          ? unpack_value(tree_->edge_values(node)[edge], G::kValueRange)
                          : node.q;
    expand_chance(child, value_for(own, turn_of(node), 0));
  }
  return child;
}

}  // namespace senet
