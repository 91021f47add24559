// What a search expects to be played: the line of best moves.
#pragma once

#include <cstddef>

#include "search/search.hpp"

namespace senet {

/// A line is cut after so many moves.
inline constexpr std::size_t kLongestVariation = 64;

/// `first`, a legal action of the root, and the moves that are expected behind it: proven results
/// before visits, forced replies between them, until a turn of chance, the end of the game or the
/// end of what was visited. For when no visit is under way.
template <class AnySearch>
ActionList<kLongestVariation> principal_variation(const AnySearch& search, Action first) {
  const auto& tree = search.tree();
  ActionList<kLongestVariation> line;
  auto state = tree.state(search.root());
  const auto play = [&](Action action) {
    const auto note = [&](Action played) {
      if (line.size() < kLongestVariation) line.push_back(played);
    };
    note(action);
    state.play(action);
    play_forced(state, note);
  };
  NodeId id = kNoNode;
  const auto child = [&](const Node& node, std::uint32_t edge) {
    return edge < node.opened ? tree.hot(node).child(edge) : kNoNode;
  };
  const Node& root = tree[search.root()];
  for (std::uint32_t i = 0; i < root.edges; ++i) {
    if (tree.cold(root)[i].action == first) id = child(root, i);
  }
  play(first);
  while (id != kNoNode && line.size() < kLongestVariation) {
    const Node& node = tree[id];
    if (!is_decision(turn_of(node)) || node.opened == 0) break;
    const HotEdges edges = tree.hot(node);
    // Of a proven node's moves only those that reach its value count.
    const auto reaches_proof = [&](std::uint32_t edge) {
      const Bounds bounds = tree.edge_bounds(node, edge);
      return bounds.proven() && bounds.lower == bounds_of(node).lower;
    };
    std::uint32_t best = 0;
    bool best_reaches = false;
    for (std::uint32_t i = 0; i < node.opened; ++i) {
      const bool reaches = proven(node) && reaches_proof(i);
      if (i > 0 &&
          (reaches < best_reaches || (reaches == best_reaches && edges.n(i) <= edges.n(best)))) {
        continue;
      }
      best = i;
      best_reaches = reaches;
    }
    if (edges.n(best) == 0) break;
    play(tree.cold(node)[best].action);
    id = edges.child(best);
  }
  return line;
}

}  // namespace senet
