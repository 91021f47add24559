// The way up: what a visit found changes every node on its path; and what the root makes of it all.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>

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

// `order` are the root's edges by rank and visits, none of rank 0: nothing is proven to be the
// best.
template <Game G, NodeTable Table>
void Search<G, Table>::put_surest_first(std::span<std::uint16_t> order) const {
  const Node& root = (*tree_)[root_];
  const auto visits = [&](std::uint16_t edge) {
    return static_cast<float>(edge_visits(root, edge));
  };
  const auto lower_bound = [&](std::uint16_t edge) {
    if (edge_bounds(root, edge).proven()) return edge_value(root, edge);
    return edge_value(root, edge) - kChoiceRadius * G::kValueRange / std::sqrt(visits(edge));
  };
  const float enough = std::max(1.0f, kChoiceShare * visits(order.front()));
  auto surest = order.begin();
  for (auto at = surest; at != order.end(); ++at) {
    if (scratch_->ranks[*at] != scratch_->ranks[*surest]) break;
    const bool counts = visits(*at) >= enough || edge_bounds(root, *at).proven();
    if (counts && lower_bound(*at) > lower_bound(*surest)) surest = at;
  }
  std::rotate(order.begin(), surest, surest + 1);
}

// Behind the first `count` choices, the root's edges, the legal moves that are none. The new count.
template <Game G, NodeTable Table>
std::size_t Search<G, Table>::add_unsound_choices(std::size_t count) {
  const Node& root = (*tree_)[root_];
  if constexpr (SoundMovesGame<G>) {
    if (!is_decision(turn_of(root)) || root.edges == 0) return count;
    const std::span<const ColdEdge> edges(tree_->cold(root), root.edges);
    ActionList<G::kMaxLegal> legal;
    tree_->state(root_).legal(legal);
    for (const Action action : legal) {
      if (std::ranges::find(edges, action, &ColdEdge::action) != edges.end()) continue;
      scratch_->choices[count++] = {action, 0, 0, unsound_value(action)};
    }
  }
  return count;
}

/// What a legal move of the root is worth that is no edge, for the player to move there: its result
/// when forced replies end the game, else the root's value, as for an edge without visits.
template <Game G, NodeTable Table>
float Search<G, Table>::unsound_value(Action action) const {
  const Node& root = (*tree_)[root_];
  G after = tree_->state(root_);
  after.play(action);
  play_forced(after);
  return after.turn() == Turn::kOver ? final_value(after, teller(turn_of(root))) : root.q;
}

template <Game G, NodeTable Table>
Decision<G> Search<G, Table>::decision() {
  auto& ranks = scratch_->ranks;
  auto& choices = scratch_->choices;
  const Node& root = (*tree_)[root_];
  const Bounds known = bounds_of(root);
  ColdEdge* const cold = tree_->cold(root);
  if (!(root.flags & kValuedEdges)) {  // what no visit needed in order is told in order
    std::sort(cold + root.opened, cold + root.edges,
              [](const ColdEdge& a, const ColdEdge& b) { return a.rank() > b.rank(); });
  }
  const std::span<std::uint16_t> order(scratch_->order.data(), root.edges);
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  // Proven results overrule visits: first what is proven to be as good as the root, last what is
  // proven worse.
  const auto rank = [&](std::uint32_t edge) {
    const Bounds bounds = edge_bounds(root, edge);
    if (known.proven() && bounds.lower == known.lower) return 0;
    const bool worse =
        bounds.upper < known.lower || (bounds.upper == -kRange && known.upper > -kRange);
    return worse ? 2 : 1;
  };
  const auto visits = [&](std::uint32_t edge) { return edge_visits(root, edge); };
  for (std::uint32_t i = 0; i < root.edges; ++i) ranks[i] = rank(i);
  std::sort(order.begin(), order.end(), [&](std::uint16_t a, std::uint16_t b) {
    if (ranks[a] != ranks[b]) return ranks[a] < ranks[b];
    if (visits(a) != visits(b)) return visits(a) > visits(b);
    return a < b;
  });
  if (is_decision(turn_of(root)) && root.opened > 0 && !known.proven()) put_surest_first(order);
  for (std::uint32_t i = 0; i < root.edges; ++i) {
    const std::uint16_t edge = order[i];
    choices[i] = {cold[edge].action, ranks[edge] > (known.proven() ? 0 : 1) ? 0 : visits(edge),
                  unpack_share(cold[edge].prior), edge_value(root, edge)};
  }
  const std::size_t count = add_unsound_choices(root.edges);
  return {.choices = {choices.data(), count},
          .outcomes = with_mean<G>(statistics_.root(root.q), root.q),
          .value = root.q,
          .visits = root.n,
          .evaluations = evaluations_,
          .depth = longest_,
          .proven = known.proven(),
          .full = full_};
}

}  // namespace senet
