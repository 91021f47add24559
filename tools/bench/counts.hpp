// What benchmarks measure of a game by its type.
#pragma once

#include "search/tree.hpp"
#include "tools/bench/timing.hpp"

namespace senet {

/// Sums over searches; everything but `visits` is read from the trees as they are now.
struct TreeCounts {
  double visits = 0;          // of the roots
  double plies = 0;           // edges that those visits went along, dice included
  double nodes = 0;           // in the trees
  double visited = 0;         // ... that at least one visit ended in or passed through
  double positions = 0;       // ... of those where a player is to move and the moves are known
  double legal = 0;           // legal moves of those positions together
  double used_bytes = 0;      // nodes, states, edges, and a table for just those nodes
  double reserved_bytes = 0;  // what the trees may grow to

  template <class AnySearch>
  void add(const AnySearch& search) {
    const auto& tree = search.tree();
    if (tree.size() == 0) return;
    visits += tree[search.root()].n;
    nodes += tree.size();
    used_bytes += static_cast<double>(tree.bytes_used());
    reserved_bytes += static_cast<double>(tree.bytes(tree.limits()));
    for (NodeId id = 0; id < tree.size(); ++id) {
      const Node& node = tree[id];
      visited += node.n > 0 ? 1 : 0;
      if (node.n > 0 && is_decision(turn_of(node))) {
        positions += 1;
        legal += node.edges;
      }
      const HotEdges edges = tree.hot(node);
      for (std::uint32_t i = 0; i < node.opened; ++i) plies += edges.n(i);
    }
  }
};

/// What the tree benchmark measures.
struct TreeMeasured {
  TreeCounts counts;        // of each position's search
  double evaluations = 0;   // rows of those
  Slices slices;            // visits a second, the same without the evaluator, its share
  double timed_visits = 0;  // in the slices
};

/// Sums over games that were played blindly.
struct PlayoutCounts {
  double games = 0, plies = 0, decisions = 0, legal = 0, first_player_wins = 0;
};

/// What the playout benchmark measures.
struct PlayoutMeasured {
  PlayoutCounts counts;    // of the first games
  Slices slices;           // games a second, plies a second
  double timed_games = 0;  // in the slices
};

/// What it costs to encode positions; means over them.
struct EncodeCost {
  double nanoseconds = 0;  // of encoding one into a batch
  double nonzeros = 0;     // features it writes
};

}  // namespace senet
