// Results of the benchmarks that are templates over the game's type.
#pragma once

#include "search/tree.hpp"
#include "tools/bench/timing.hpp"

namespace senet {

/// Sums over the current trees of searches.
struct TreeCounts {
  double visits = 0;          // of the roots
  double plies = 0;           // edges traversed by those visits, including dice
  double nodes = 0;           // in the trees
  double visited = 0;         // nodes with at least one visit
  double positions = 0;       // visited nodes where a player is to move
  double legal = 0;           // legal moves in those positions
  double used_bytes = 0;      // nodes, states, edges, and a table of minimum size
  double reserved_bytes = 0;  // maximum size of the trees

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

/// The result of the tree benchmark.
struct TreeMeasured {
  TreeCounts counts;        // from one search of each position
  double evaluations = 0;   // rows evaluated in those searches
  Slices slices;            // visits/s, visits/s without the evaluator's time, evaluator's share
  double timed_visits = 0;  // in the slices
};

/// Sums over games of random moves.
struct PlayoutCounts {
  double games = 0, plies = 0, decisions = 0, legal = 0, first_player_wins = 0;
};

/// The result of the playout benchmark.
struct PlayoutMeasured {
  PlayoutCounts counts;    // of the first games
  Slices slices;           // games/s, plies/s
  double timed_games = 0;  // in the slices
};

/// The mean cost of encoding a position.
struct EncodeCost {
  double nanoseconds = 0;  // for encoding it into a batch
  double nonzeros = 0;     // number of nonzero features
};

}  // namespace senet
