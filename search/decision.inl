// What the root makes of it all: which move is played, and what is known about the others.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "search/search.hpp"

namespace senet {

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
